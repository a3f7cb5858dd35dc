// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/start_coordinate.h"

#include "stickslip/contact/body_dynamics.h"
#include "stickslip/expression/nearest_name.h"
#include "stickslip/sensitivity/tangent.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace stickslip::sensitivity {
namespace {

struct Named {
  const char* name;
  int component;
};
constexpr Named kPlanar[] = {{"x", kPosition}, {"y", kPosition + 1}, {"angle", kRotation + 2},
                             {"vx", kLinear},  {"vy", kLinear + 1},  {"wz", kAngular + 2}};
constexpr Named kSpatial[] = {{"x", kPosition},      {"y", kPosition + 1},  {"z", kPosition + 2}, {"rx", kRotation},
                              {"ry", kRotation + 1}, {"rz", kRotation + 2}, {"vx", kLinear},      {"vy", kLinear + 1},
                              {"vz", kLinear + 2},   {"wx", kAngular},      {"wy", kAngular + 1}, {"wz", kAngular + 2}};

std::span<const Named> coordinates_of(const model::Body& body) {
  return body.planar() ? std::span<const Named>(kPlanar) : std::span<const Named>(kSpatial);
}

bool is_free(const contact::BodyTraits& traits, int component) {
  if (!traits.movable) return false;
  const bool turns = (component >= kRotation && component < kLinear) || component >= kAngular;
  return turns ? traits.free_rotation : traits.free_translation[static_cast<std::size_t>(component % 3)];
}

}  // namespace

StartCoordinate start_coordinate(const scene::Scene& scene, const std::string& name) {
  const scene::Place place{scene.file.string(), 0, 0};
  const std::size_t dot = name.find('.');
  const std::string body = name.substr(0, dot), component = dot == std::string::npos ? "" : name.substr(dot + 1);
  const auto found = std::ranges::find(scene.model.bodies, body, &model::Body::name);
  if (found == scene.model.bodies.end()) {
    std::vector<std::string> names;
    for (const model::Body& one : scene.model.bodies) names.push_back(one.name);
    throw scene::SceneError(place, fmt::format("the scene has no body '{}'", body),
                            expression::did_you_mean(body, names));
  }
  const auto list = coordinates_of(*found);
  const auto named = std::ranges::find_if(list, [&](const Named& one) { return component == one.name; });
  if (named == list.end()) {
    std::string known;
    for (const Named& one : list) known += (known.empty() ? "" : ", ") + std::string(one.name);
    throw scene::SceneError(place, fmt::format("'{}' has no start coordinate '{}'", body, component),
                            "known are " + known);
  }
  const auto index = static_cast<std::size_t>(found - scene.model.bodies.begin());
  if (!is_free(contact::body_traits(scene.model)[index], named->component))
    throw scene::SceneError(place, fmt::format("'{}' is prescribed: it has no initial value to vary", name));
  return {static_cast<int>(index), named->component};
}

std::vector<std::string> start_coordinates(const scene::Scene& scene) {
  std::vector<std::string> names;
  const std::vector<contact::BodyTraits> traits = contact::body_traits(scene.model);
  for (std::size_t i = 0; i < scene.model.bodies.size(); ++i)
    for (const Named& one : coordinates_of(scene.model.bodies[i]))
      if (is_free(traits[i], one.component)) names.push_back(scene.model.bodies[i].name + "." + one.name);
  return names;
}

double start_value(const model::Model& model, const StartCoordinate& coordinate) {
  const model::Body& body = model.bodies[static_cast<std::size_t>(coordinate.body)];
  const int axis = coordinate.component % 3;
  if (coordinate.component < kRotation) return body.initial.pose.position[axis];
  if (coordinate.component < kLinear) return body.planar() ? body.initial.angle : 0;
  return coordinate.component < kAngular ? body.initial.velocity.linear[axis] : body.initial.velocity.angular[axis];
}

void move_start(const StartCoordinate& coordinate, double amount, model::Model& model) {
  model::State state;
  state.bodies.assign(1, model.bodies[static_cast<std::size_t>(coordinate.body)].initial);
  move_along(state, Eigen::VectorXd::Unit(kBodyTangent, coordinate.component), amount, state);
  model.bodies[static_cast<std::size_t>(coordinate.body)].initial = state.bodies[0];
}

}  // namespace stickslip::sensitivity
