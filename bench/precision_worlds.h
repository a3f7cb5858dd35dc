// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Scenes with known answers, one body above the plane z = 0, posed to other engines for precision.cpp. Each engine runs as it comes in
// all but the number of its iterations, which is large enough not to matter here.
#pragma once

#include "stickslip/math/types.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stickslip::bench {

struct PrecisionScene {
  std::string name;
  bool is_box = false;       // else a sphere
  Vec3 size = Vec3::Zero();  // edges; a sphere's radius three times
  double mass = 1, mu = 0, restitution = 0, duration = 1;
  Vec3 gravity = Vec3::Zero(), position = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();
  Vec3 answer = Vec3::Zero();  // position of the centre at the end

  [[nodiscard]] Vec3 inertia() const {
    if (!is_box) return Vec3::Constant(0.4 * mass * size.x() * size.x());
    const Vec3 square = size.cwiseProduct(size);
    return mass / 12 * Vec3(square.y() + square.z(), square.x() + square.z(), square.x() + square.y());
  }
};

class PrecisionWorld {
 public:
  PrecisionWorld() = default;
  PrecisionWorld(const PrecisionWorld&) = delete;
  PrecisionWorld& operator=(const PrecisionWorld&) = delete;
  virtual ~PrecisionWorld() = default;
  virtual void step() = 0;
  [[nodiscard]] virtual Vec3 position() const = 0;
};

struct PrecisionPeer {
  std::string name;
  bool restitution = true;  // has a coefficient of it
  std::function<std::unique_ptr<PrecisionWorld>(const PrecisionScene&, double h)> make;
};

// Those that are installed.
[[nodiscard]] std::vector<PrecisionPeer> ode_precision();
[[nodiscard]] std::vector<PrecisionPeer> bullet_precision();
[[nodiscard]] std::vector<PrecisionPeer> mujoco_precision();

}  // namespace stickslip::bench
