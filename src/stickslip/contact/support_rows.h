// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Rows of 2.5D problems: planar contacts and the points on which planar bodies stand, in one problem of D = 3.
//
//     support   direction = (0, x, y): no normal row, two tangents in the plane of motion; its normal impulse is given
//     contact   direction = (n, t, 0): no second tangent
//
// Symbol   variable               meaning
//   x, y   direction[1], [2]      axes of the plane of motion
//   n, t   direction[0], [1]      normal and tangent of a planar contact
//
// The missing rows are zero; complete_block() puts a positive number on their diagonal, which makes them harmless
// (complementarity/cone/contact_problem.h).
#pragma once

#include "stickslip/contact/contact_rows.h"

namespace stickslip::contact {

[[nodiscard]] inline bool has_supports(const model::Model& model) {
  for (const model::Body& body : model.bodies)
    if (!body.support.points.empty()) return true;
  return false;
}

inline void set_support_rows(const model::State& state, int body, int plane, const Vec3& point, ContactRows& rows) {
  const model::Pose& pose = state.bodies[static_cast<std::size_t>(body)].pose;
  const Vec3 arm = pose.orientation * point;
  rows.a = body;
  rows.b = plane;
  const bool moves = static_cast<std::size_t>(plane) < state.bodies.size();
  const Vec3 arm_b =
      moves ? Vec3(pose.position + arm - state.bodies[static_cast<std::size_t>(plane)].pose.position) : Vec3::Zero();
  rows.direction[0].setZero();
  rows.direction[1] = Vec3::UnitX();
  rows.direction[2] = Vec3::UnitY();
  for (int k = 0; k < 3; ++k) {
    rows.moment_a[k] = arm.cross(rows.direction[k]);
    rows.moment_b[k] = arm_b.cross(rows.direction[k]);
    rows.moment_a[k].head<2>().setZero();  // planar bodies turn about z only
    rows.moment_b[k].head<2>().setZero();
  }
}

inline void add_empty_tangent(ContactRows& rows) {
  rows.direction[2].setZero();
  rows.moment_a[2].setZero();
  rows.moment_b[2].setZero();
}

// Of a diagonal block of W, row-major 3 x 3.
inline void complete_block(double* block) {
  if (block[0] == 0) block[0] = block[4];
  if (block[8] == 0) block[8] = block[4];
}

}  // namespace stickslip::contact
