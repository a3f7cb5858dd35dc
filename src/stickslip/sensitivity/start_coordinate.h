// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One number of the initial state, by a name such as "ball.vx":
//
//   plane   x, y, angle, vx, vy, wz
//   space   x, y, z, rx, ry, rz, vx, vy, vz, wx, wy, wz        rx ...: a small rotation about the world's axis
#pragma once

#include "stickslip/scene/scene.h"

#include <string>
#include <vector>

namespace stickslip::sensitivity {

struct StartCoordinate {
  int body = 0;
  int component = 0;  // place in the body's tangent (tangent.h)
};

// Parameters have no dots in their names.
[[nodiscard]] inline bool names_start(const std::string& name) {
  return name.find('.') != std::string::npos;
}
// Throws SceneError when there is no such body or coordinate, or when it follows a function of time.
[[nodiscard]] StartCoordinate start_coordinate(const scene::Scene& scene, const std::string& name);
// The names of all that are free.
[[nodiscard]] std::vector<std::string> start_coordinates(const scene::Scene& scene);

// The number as the scene has it; 0 for rotations in space.
[[nodiscard]] double start_value(const model::Model& model, const StartCoordinate& coordinate);
void move_start(const StartCoordinate& coordinate, double amount, model::Model& model);

}  // namespace stickslip::sensitivity
