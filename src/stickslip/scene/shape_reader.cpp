// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/shape_reader.h"

#include "stickslip/expression/nearest_name.h"
#include "stickslip/motion/prescribed_rotation.h"
#include "stickslip/scene/shape_catalogue.h"
#include "stickslip/scene/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace stickslip::scene {
namespace {

void read_placement(const TableReader& table, const ShapeContext& context, model::Pose& pose) {
  pose.position = table.vector("offset", Vec3::Zero(), context.dimension);
  const Value* angle = table.find("angle");
  const Value* orientation = table.find("orientation");
  if (angle != nullptr && context.dimension != 2)
    throw SceneError(angle->place, "a shape in space is turned by 'orientation'");
  if (orientation != nullptr && context.dimension != 3)
    throw SceneError(orientation->place, "a shape in the plane is turned by 'angle'");
  if (angle != nullptr) pose.orientation = Quat(Eigen::AngleAxisd(table.number("angle"), Vec3::UnitZ()));
  if (orientation != nullptr)
    pose.orientation = read_orientation(*orientation, table.scope(), table.what("orientation"));
}

}  // namespace

Quat read_orientation(const Value& value, const expression::Scope& scope, const std::string& what) {
  const TableReader table(value, keys_of("orientation"), scope, what);
  const int forms =
      int{table.has("quaternion")} + int{table.has("axis") || table.has("angle")} + int{table.has("euler")};
  if (forms != 1)
    throw SceneError(value.place, fmt::format("{} must be one of quaternion, axis with angle, or euler", what));
  if (table.has("axis") || table.has("angle")) {
    const Vec3 axis = read_vector(table.require("axis"), scope, table.what("axis"), 3);
    if (!(axis.norm() > 0)) throw SceneError(value.place, fmt::format("{}: the axis must not be zero", what));
    return Quat(Eigen::AngleAxisd(table.number("angle"), axis.normalized()));
  }
  const bool euler = table.has("euler");
  const char* key = euler ? "euler" : "quaternion";
  const std::vector<double> q = read_numbers(table.require(key), scope, table.what(key));
  if (q.size() != (euler ? 3U : 4U)) {
    throw SceneError(table.require(key).place, fmt::format("{} must be {} numbers", table.what(key), euler ? 3 : 4));
  }
  if (euler) return motion::from_euler_angles(q[0], q[1], q[2]);
  const Quat quaternion(q[0], q[1], q[2], q[3]);
  if (!(quaternion.norm() > 0)) throw SceneError(value.place, fmt::format("{}: the quaternion must not be zero", what));
  return quaternion.normalized();
}

namespace {

// A table that names no shape but something else: the word is meant to be one.
void require_known_shape(const Value& value, const std::string& what) {
  if (value.kind != Value::Kind::Table) return;
  std::vector<std::string> names;
  std::string list;
  for (const ShapeEntry& entry : shape_catalogue()) {
    if (value.find(entry.key.name) != nullptr) return;
    names.emplace_back(entry.key.name);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", entry.key.name);
  }
  const std::span<const Key> known = keys_of("shape").keys;
  for (const Value::Entry& entry : value.entries) {
    if (std::ranges::any_of(known, [&](const Key& key) { return entry.key == key.name; })) continue;
    const std::string near = expression::did_you_mean(entry.key, names);
    throw SceneError(entry.place, fmt::format("unknown shape '{}' in {}", entry.key, what),
                     near.empty() ? "known are " + list : near);
  }
  throw SceneError(value.place, fmt::format("{} names no shape", what), "known are particle, " + list);
}

}  // namespace

model::PlacedShape read_shape(const Value& value, const expression::Scope& scope, const std::string& what,
                              const ShapeContext& context) {
  if (value.kind == Value::Kind::Text) {
    if (value.text != "particle")
      throw SceneError(value.place, fmt::format("{} must be \"particle\" or a table such as {{ box = [1, 1] }}", what));
    return {model::PointSet{{Vec3::Zero()}}, {}};
  }
  require_known_shape(value, what);
  const TableReader table(value, keys_of("shape"), scope, what);
  const ShapeEntry* chosen = nullptr;
  for (const ShapeEntry& entry : shape_catalogue()) {
    if (!table.has(entry.key.name)) continue;
    if (chosen != nullptr)
      throw SceneError(value.place, fmt::format("{} has both '{}' and '{}': use 'shapes' for several", what,
                                                chosen->key.name, entry.key.name));
    chosen = &entry;
  }
  const std::string_view name = chosen->key.name;
  if (chosen->dimension != 0 && chosen->dimension != context.dimension) {
    throw SceneError(table.require(name).place,
                     fmt::format("{}: '{}' belongs to dimension {}, the scene has dimension {}", what, name,
                                 chosen->dimension, context.dimension));
  }
  model::PlacedShape placed;
  placed.shape = chosen->read({table.require(name), scope, fmt::format("'{}' of {}", name, what), context});
  read_placement(table, context, placed.pose);
  return placed;
}

}  // namespace stickslip::scene
