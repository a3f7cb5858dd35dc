// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The Jacobian rows of one contact: frame, moments, and how the two bodies answer an impulse at it.
//
//     u = J v,   J = [ d'  (arm_a x d)'  | -d'  -(arm_b x d)' ]   for d = normal, tangent[, second tangent]
//
// u is the velocity of body a against body b at the contact, in the contact's frame. Planar contacts have one tangent,
// the normal turned clockwise: for a floor below (normal +y) it points along +x. For a floor in space (normal +z) the
// tangents are +x and +y.
//
// Symbol            variable             meaning
//   d               direction            normal (from b to a), then tangents
//   arm x d         moment_a, moment_b   about the centres of mass; each arm ends in its body's own closest point
//   I^-1 (arm x d)  turn_a, turn_b       change of the angular velocity by a unit impulse along d, damping included
//
// Cost: a few dozen flops per contact. No allocation.
#pragma once

#include "stickslip/collision/contact.h"
#include "stickslip/contact/body_dynamics.h"

#include <cmath>

namespace stickslip::contact {

struct ContactRows {
  int a = 0, b = 0;               // bodies
  Vec3 direction[3];              // normal, tangents; world frame
  Vec3 moment_a[3], moment_b[3];  // arm x direction
  Vec3 turn_a[3], turn_b[3];      // inverse inertia times moment
};

inline void set_frame(const Vec3& n, int dimension, ContactRows& rows) {
  rows.direction[0] = n;
  if (dimension == 2) {
    rows.direction[1] = Vec3(n.y(), -n.x(), 0);
    return;
  }
  // Branch-free orthonormal basis; exact for axis-aligned normals.
  const double sign = std::copysign(1.0, n.z()), p = -1 / (sign + n.z()), q = n.x() * n.y() * p;
  rows.direction[1] = Vec3(1 + sign * n.x() * n.x() * p, sign * q, -sign * n.x());
  rows.direction[2] = Vec3(q, sign + n.y() * n.y() * p, -n.y());
}

// The frame of another configuration of the same contact, carried along with the normal: velocities in both may be
// added.
inline void carry_frame(const ContactRows& from, const Vec3& n, int dimension, ContactRows& rows) {
  if (dimension == 2) {
    set_frame(n, 2, rows);
    return;
  }
  rows.direction[0] = n;
  if (n == from.direction[0]) {
    rows.direction[1] = from.direction[1];
    rows.direction[2] = from.direction[2];
    return;
  }
  const Vec3 t = from.direction[1] - from.direction[1].dot(n) * n;
  const double length = t.norm();
  if (!(length > 0.1)) {  // turned by about a right angle within a step: no frame to carry
    set_frame(n, dimension, rows);
    return;
  }
  rows.direction[1] = t / length;
  rows.direction[2] = n.cross(rows.direction[1]);
}

// Moments at a contact between bodies in the given poses; the frame is already set. Each body's arm ends in its own
// closest point, so that d gap / dt is exact for rigid bodies.
template <int D>
inline void set_moments(const collision::Contact& contact, const model::State& state, ContactRows& rows) {
  rows.a = contact.id.body_a;
  rows.b = contact.id.body_b;
  const Vec3 arm_a = contact.point_a - state.bodies[static_cast<std::size_t>(rows.a)].pose.position;
  const Vec3 arm_b = contact.point_b - state.bodies[static_cast<std::size_t>(rows.b)].pose.position;
  for (int k = 0; k < D; ++k) {
    if constexpr (D == 2) {
      const Vec3& d = rows.direction[k];
      rows.moment_a[k] = Vec3(0, 0, arm_a.x() * d.y() - arm_a.y() * d.x());
      rows.moment_b[k] = Vec3(0, 0, arm_b.x() * d.y() - arm_b.y() * d.x());
    } else {
      rows.moment_a[k] = arm_a.cross(rows.direction[k]);
      rows.moment_b[k] = arm_b.cross(rows.direction[k]);
    }
  }
}

template <int D>
inline void set_rows(const collision::Contact& contact, const model::State& state, ContactRows& rows) {
  set_frame(contact.normal, D, rows);
  set_moments<D>(contact, state, rows);
}

// Rows in the frame of another configuration.
inline void set_rows_near(const ContactRows& from, const collision::Contact& contact, const model::State& state,
                          int dimension, ContactRows& rows) {
  carry_frame(from, contact.normal, dimension, rows);
  if (dimension == 2)
    set_moments<2>(contact, state, rows);
  else
    set_moments<3>(contact, state, rows);
}

// Fills turn_a and turn_b; only movable bodies' are ever read.
template <int D>
inline void set_turns(const BodyDynamics& a, const BodyDynamics& b, ContactRows& rows) {
  for (int k = 0; k < D; ++k) {
    if constexpr (D == 2) {
      rows.turn_a[k] = Vec3(0, 0, a.inverse_inertia(2, 2) * rows.moment_a[k].z());
      rows.turn_b[k] = Vec3(0, 0, b.inverse_inertia(2, 2) * rows.moment_b[k].z());
    } else {
      if (a.movable) rows.turn_a[k].noalias() = a.inverse_inertia * rows.moment_a[k];
      if (b.movable) rows.turn_b[k].noalias() = b.inverse_inertia * rows.moment_b[k];
    }
  }
}

// Velocity of a against b along row k.
[[nodiscard]] inline double relative_velocity(const ContactRows& rows, int k, const model::Twist& a,
                                              const model::Twist& b) {
  return rows.direction[k].dot(a.linear - b.linear) + rows.moment_a[k].dot(a.angular) - rows.moment_b[k].dot(b.angular);
}

// Adds what the impulse p (contact frame) does to the velocities of the two bodies.
template <int D>
inline void apply_impulse(const ContactRows& rows, const double* p, const BodyDynamics& dynamics_a,
                          const BodyDynamics& dynamics_b, model::Twist& a, model::Twist& b) {
  Vec3 impulse = p[0] * rows.direction[0];
  for (int k = 1; k < D; ++k) impulse += p[k] * rows.direction[k];
  if (dynamics_a.movable) {
    a.linear += dynamics_a.inverse_mass.cwiseProduct(impulse);
    for (int k = 0; k < D; ++k) a.angular += p[k] * rows.turn_a[k];
  }
  if (dynamics_b.movable) {
    b.linear -= dynamics_b.inverse_mass.cwiseProduct(impulse);
    for (int k = 0; k < D; ++k) b.angular -= p[k] * rows.turn_b[k];
  }
}

}  // namespace stickslip::contact
