// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Rotations and their vectors.
//
//     [a]x b = a x b          exp(theta) = (cos(|theta|/2), sin(|theta|/2) theta / |theta|)
#pragma once

#include "stickslip/math/types.h"

#include <cmath>

namespace stickslip {

[[nodiscard]] inline Mat3 cross_matrix(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

// The rotation about theta by its length; of unit length up to rounding.
[[nodiscard]] inline Quat exponential(const Vec3& theta) {
  const double angle = theta.norm(), half = 0.5 * angle;
  // sin(a/2)/a = 1/2 - a^2/48 + ...; the next term is below rounding here.
  const double scale = angle < 1e-4 ? 0.5 - angle * angle / 48 : std::sin(half) / angle;
  return {std::cos(half), scale * theta.x(), scale * theta.y(), scale * theta.z()};
}

}  // namespace stickslip
