// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Functions that the steppers share: moving the free part of a body, and the tangential part of contact velocities.
#pragma once

#include "stickslip/contact/body_dynamics.h"
#include "stickslip/stepping/rest.h"

#include <cmath>
#include <cstddef>

namespace stickslip::stepping {

// The model counts bodies and contacts with int, the standard library wants this.
[[nodiscard]] inline std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

[[nodiscard]] inline model::Twist scaled_sum(double a, const model::Twist& x, double b, const model::Twist& y) {
  return {a * x.linear + b * y.linear, a * x.angular + b * y.angular};
}

// The free, or the prescribed, components of a body's velocity; the others zero.
[[nodiscard]] inline model::Twist part_of(const contact::BodyTraits& traits, const model::Twist& v, bool free) {
  model::Twist out;
  for (int k = 0; k < 3; ++k)
    if (traits.free_translation[index(k)] == free) out.linear[k] = v.linear[k];
  if (traits.free_rotation == free) out.angular = v.angular;
  return out;
}

// q (+) h v of the free degrees of freedom: the exponential map for rotations.
inline void displace(model::BodyState& s, const model::Twist& v, double h, const contact::BodyTraits& traits,
                     bool planar) {
  for (int k = 0; k < 3; ++k)
    if (traits.free_translation[index(k)]) s.pose.position[k] += h * v.linear[k];
  if (traits.free_rotation) turn(s, v.angular, h, planar);
}
// The same from a start; prescribed degrees of freedom of `end` stay where they are.
inline void displace_from(const model::BodyState& start, const model::Twist& v, double h,
                          const contact::BodyTraits& traits, bool planar, model::BodyState& end) {
  for (int k = 0; k < 3; ++k)
    if (traits.free_translation[index(k)]) end.pose.position[k] = start.pose.position[k];
  if (traits.free_rotation) {
    end.pose.orientation = start.pose.orientation;
    end.angle = start.angle;
  }
  displace(end, v, h, traits, planar);
}

// Contact velocities and impulses are (normal, tangent[, tangent]).
[[nodiscard]] inline double tangential_dot(const double* u, const double* v, int dimension) {
  return u[1] * v[1] + (dimension == 3 ? u[2] * v[2] : 0.0);
}
[[nodiscard]] inline double tangential_norm(const double* u, int dimension) {
  return dimension == 2 ? std::fabs(u[1]) : std::sqrt(u[1] * u[1] + u[2] * u[2]);
}

}  // namespace stickslip::stepping
