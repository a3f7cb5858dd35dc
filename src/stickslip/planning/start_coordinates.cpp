// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/start_coordinates.h"

#include "stickslip/expression/nearest_name.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/sensitivity/tangent.h"

#include <fmt/format.h>

#include <algorithm>

namespace stickslip::planning {
namespace {

using scene::SceneError;
using scene::Value;

// Start coordinates: where they stand in a scene file, and in the tangent of a body.
struct SceneCoordinate {
  const char* name;
  const char* key;
  int item;  // of the key's list; -1: the key is one number
  int component;
};
constexpr SceneCoordinate kPlanar[] = {{"x", "position", 0, 0},   {"y", "position", 1, 1},
                                       {"angle", "angle", -1, 5}, {"vx", "velocity", 0, 6},
                                       {"vy", "velocity", 1, 7},  {"wz", "angular_velocity", -1, 11}};
constexpr SceneCoordinate kSpatial[] = {
    {"x", "position", 0, 0},          {"y", "position", 1, 1},           {"z", "position", 2, 2},
    {"vx", "velocity", 0, 6},         {"vy", "velocity", 1, 7},          {"vz", "velocity", 2, 8},
    {"wx", "angular_velocity", 0, 9}, {"wy", "angular_velocity", 1, 10}, {"wz", "angular_velocity", 2, 11}};

std::span<const SceneCoordinate> coordinates(bool planar) {
  return planar ? std::span<const SceneCoordinate>(kPlanar) : std::span<const SceneCoordinate>(kSpatial);
}

const SceneCoordinate& coordinate_named(const std::string& name, const model::Body& body, const std::string& what,
                                        const scene::Place& place) {
  const auto list = coordinates(body.planar());
  const auto found = std::ranges::find_if(list, [&](const SceneCoordinate& one) { return name == one.name; });
  if (found != list.end()) return *found;
  std::string known;
  for (const SceneCoordinate& one : list) known += (known.empty() ? "" : ", ") + std::string(one.name);
  throw SceneError(place, fmt::format("{}: '{}' has no coordinate '{}'", what, body.name, name), "known are " + known);
}

Value number_value(double number, const scene::Place& place) {
  Value value;
  value.kind = Value::Kind::Number;
  value.number = number;
  value.place = place;
  return value;
}

Value text_value(std::string text, const scene::Place& place) {
  Value value;
  value.kind = Value::Kind::Text;
  value.text = std::move(text);
  value.place = place;
  return value;
}

Value* body_table(scene::Document& document, const std::string& name) {
  for (Value& table : document.root.find("body")->items) {
    const Value* known = table.find("name");
    if (known != nullptr && known->text == name) return &table;
  }
  return nullptr;
}

// Returns the number that stood there.
double rewrite(Value& body, const SceneCoordinate& coordinate, const std::string& name, const scene::Place& place,
               int dimension, const expression::Scope& constants) {
  if (coordinate.item < 0) {
    const Value* before = body.find(coordinate.key);
    const double value =
        before != nullptr ? scene::read_number(*before, constants, fmt::format("'{}'", coordinate.key)) : 0;
    set_entry(body, coordinate.key, text_value(name, place));
    return value;
  }
  if (body.find(coordinate.key) == nullptr) {
    Value list;
    list.kind = Value::Kind::Array;
    list.place = place;
    for (int k = 0; k < dimension; ++k) list.items.push_back(number_value(0, place));
    set_entry(body, coordinate.key, std::move(list));
  }
  Value& list = *body.find(coordinate.key);
  if (list.kind != Value::Kind::Array || static_cast<int>(list.items.size()) <= coordinate.item)
    throw SceneError(list.place, fmt::format("'{}' must be a list of {} numbers", coordinate.key, dimension));
  Value& item = list.items[static_cast<std::size_t>(coordinate.item)];
  const double value = scene::read_number(item, constants, fmt::format("'{}'", coordinate.key));
  item = text_value(name, place);
  return value;
}

}  // namespace

int component_named(const std::string& name, const model::Body& body, const std::string& what,
                    const scene::Place& place) {
  return coordinate_named(name, body, what, place).component;
}

void set_component(int component, double value, model::BodyState& body) {
  if (component < sensitivity::kRotation) {
    body.pose.position[component] = value;
  } else if (component < sensitivity::kLinear) {  // the angle of a planar body
    body.angle = value;
    body.pose.orientation = Quat(Eigen::AngleAxisd(value, Vec3::UnitZ()));
  } else if (component < sensitivity::kAngular) {
    body.velocity.linear[component - sensitivity::kLinear] = value;
  } else {
    body.velocity.angular[component - sensitivity::kAngular] = value;
  }
}

void set_entry(Value& table, const std::string& key, Value value) {
  if (Value* known = table.find(key)) {
    *known = std::move(value);
    return;
  }
  const scene::Place place = value.place;
  table.entries.push_back({key, place, std::move(value)});
}

Value& parameters_of(scene::Document& document) {
  if (document.root.find("parameters") == nullptr)
    document.root.entries.push_back({"parameters", document.root.place, Value{}});
  return *document.root.find("parameters");
}

// The body's key is rewritten to read a new parameter.
double tie_to_start(const Value& start, const std::string& what, const scene::Scene& scene,
                    const expression::Scope& constants, scene::Document& document, Unknown& unknown) {
  const std::string& text = scene::read_text(start, what);
  const std::size_t dot = text.find('.');
  const std::string body = text.substr(0, dot), component = dot == std::string::npos ? "" : text.substr(dot + 1);
  const auto found = std::ranges::find(scene.model.bodies, body, &model::Body::name);
  if (found == scene.model.bodies.end()) {
    std::vector<std::string> names;
    for (const model::Body& one : scene.model.bodies) names.push_back(one.name);
    throw SceneError(start.place, fmt::format("{}: the scene has no body '{}'", what, body),
                     expression::did_you_mean(body, names));
  }
  const SceneCoordinate& coordinate = coordinate_named(component, *found, what, start.place);
  Value* table = body_table(document, body);
  if (table == nullptr || table->find("frame") != nullptr || table->find("count") != nullptr)
    throw SceneError(start.place, fmt::format("{}: body '{}' is a copy or written in another's frame; make the start a "
                                              "parameter of the scene",
                                              what, body));
  unknown.body = static_cast<int>(found - scene.model.bodies.begin());
  unknown.component = coordinate.component;
  unknown.start = text;
  const double value = rewrite(*table, coordinate, unknown.name, start.place, scene.model.dimension, constants);
  if (parameters_of(document).find(unknown.name) != nullptr)
    throw SceneError(start.place, fmt::format("the scene already has a parameter '{}'; leave out 'start', or choose "
                                              "another name",
                                              unknown.name));
  set_entry(parameters_of(document), unknown.name, number_value(value, start.place));
  return value;
}

}  // namespace stickslip::planning
