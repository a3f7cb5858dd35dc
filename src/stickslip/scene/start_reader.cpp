// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/start_reader.h"

#include "stickslip/contact/body_dynamics.h"
#include "stickslip/expression/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace stickslip::scene {
namespace {

bool moves_freely(const contact::BodyTraits& traits) {
  return traits.movable && !traits.driven;
}

void read_pose(const TableReader& table, int dimension, model::Body& body) {
  model::BodyState state;
  state.pose.position = read_vector(table.require("position"), table.scope(), table.what("position"), dimension);
  const Value *angle = table.find("angle"), *quaternion = table.find("quaternion");
  const Value* turned = angle != nullptr ? angle : quaternion;
  if (turned != nullptr && !body.rotates())
    throw SceneError(turned->place, fmt::format("{} is a particle and does not turn", table.name()));
  if (dimension == 2) {
    if (quaternion != nullptr)
      throw SceneError(quaternion->place, fmt::format("{} is planar: write 'angle'", table.name()));
    state.angle = table.number("angle", 0);
    state.pose.orientation = Quat(Eigen::AngleAxisd(state.angle, Vec3::UnitZ()));
  } else if (angle != nullptr) {
    throw SceneError(angle->place, fmt::format("{} is spatial: write 'quaternion'", table.name()));
  } else if (quaternion != nullptr) {
    const std::vector<double> q = read_numbers(*quaternion, table.scope(), table.what("quaternion"));
    const double size = q.size() == 4 ? Quat(q[0], q[1], q[2], q[3]).norm() : 0;
    if (!(size > 0))
      throw SceneError(quaternion->place, fmt::format("{} must be 4 numbers, not all zero", table.what("quaternion")));
    state.pose.orientation = Quat(q[0], q[1], q[2], q[3]);
    // What was written by a run has unit length to rounding, and keeps its bits.
    if (std::fabs(size - 1) > 1e-14) state.pose.orientation.normalize();
  }
  body.initial = state;
}

}  // namespace

void read_start(const Value* start, const expression::Scope& constants, model::Model& model) {
  if (start == nullptr) return;
  if (start->kind != Value::Kind::Table)
    throw SceneError(start->place, fmt::format("start must be a table, not {}", Value::name_of(start->kind)));
  const std::vector<contact::BodyTraits> traits = contact::body_traits(model);
  for (const Value::Entry& entry : start->entries) {
    const auto body = std::ranges::find(model.bodies, entry.key, &model::Body::name);
    if (body == model.bodies.end()) {
      std::vector<std::string> names;
      for (const model::Body& known : model.bodies) names.push_back(known.name);
      throw SceneError(entry.place, fmt::format("start: no body is called '{}'", entry.key),
                       expression::did_you_mean(entry.key, names));
    }
    if (!moves_freely(traits[static_cast<std::size_t>(body - model.bodies.begin())]))
      throw SceneError(entry.place, fmt::format("start: '{}' does not move freely", entry.key));
    const TableReader table(entry.value, keys_of("start.NAME"), constants, fmt::format("start of '{}'", entry.key));
    read_pose(table, model.dimension, *body);
  }
}

std::string start_text(const model::Model& model, const model::State& state) {
  const std::vector<contact::BodyTraits> traits = contact::body_traits(model);
  std::string text = "[start]\n";
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!moves_freely(traits[i])) continue;
    const model::Body& body = model.bodies[i];
    const model::BodyState& s = state.bodies[i];
    const Vec3& x = s.pose.position;
    const Quat& q = s.pose.orientation;
    text += fmt::format("{} = {{ position = [{}, {}", body.name, x.x(), x.y());
    text += model.dimension == 2 ? "]" : fmt::format(", {}]", x.z());
    if (body.rotates())
      text += model.dimension == 2 ? fmt::format(", angle = {}", s.angle)
                                   : fmt::format(", quaternion = [{}, {}, {}, {}]", q.w(), q.x(), q.y(), q.z());
    text += " }\n";
  }
  return text;
}

}  // namespace stickslip::scene
