// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The energy of one body:   T = m v^2 / 2 + w . L / 2,   V = -m g . x
//
// Symbol   variable              meaning
//   L      angular_momentum()    about the centre of mass; none of a particle (body_dynamics.h)
#pragma once

#include "stickslip/contact/body_dynamics.h"

namespace stickslip::contact {

[[nodiscard]] inline double kinetic_energy(const model::Body& body, const model::BodyState& s) {
  const double linear = 0.5 * body.mass * s.velocity.linear.squaredNorm();
  if (!body.rotates()) return linear;
  return linear + 0.5 * s.velocity.angular.dot(angular_momentum(body, s.pose.orientation, s.velocity.angular));
}

[[nodiscard]] inline double potential_energy(const model::Body& body, const Vec3& gravity, const model::BodyState& s) {
  return -body.mass * gravity.dot(s.pose.position);
}

}  // namespace stickslip::contact
