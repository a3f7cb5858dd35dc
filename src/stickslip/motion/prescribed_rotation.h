// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Prescribed rotation in space, from angular velocity or angular acceleration in the world frame.
//
//   one axis:      theta from prescribed_motion.h,  R(t) = exp(theta(t) axis) R0
//   several axes:  R' = [omega]x R by dense_orientation.h
//
// symmetric (Berard, Nguyen, Trinkle and Anderson, appendix A): alpha_i = a_i sin(b_i t + c_i) gives omega_i = -a_i cos(b_i t + c_i) / b_i, and
// the orientation starts so that the angles swing about zero: integrate one period from the identity, take the Euler
// angles (roll about x, pitch about y, yaw about z) over that period, and start from minus the middle of each one's
// range. The body's own orientation R0 then is the middle of the swing.
#pragma once

#include "stickslip/motion/prescribed_motion.h"

#include <array>

namespace stickslip::motion {

struct RotationRequest {
  std::array<TimeExpression, 3> rate;    // angular velocity or acceleration about x, y, z
  Given given = Given::Velocity;         // Velocity or Acceleration
  Quat orientation = Quat::Identity();   // at the start, or the middle of the swing
  Vec3 angular_velocity = Vec3::Zero();  // at the start, for Acceleration without symmetric
  bool symmetric = false;
  double period = 0;  // of the whole motion; 0: from the frequencies
};

[[nodiscard]] model::OrientationFunction make_rotation(const RotationRequest& request, const Span& span);

// R(t) = exp(angle(t) axis) R0 for a prescribed angle about a fixed axis (unit length).
[[nodiscard]] model::OrientationFunction rotation_about(const Vec3& axis, model::TimeFunction angle, const Quat& start);

[[nodiscard]] model::OrientationFunction constant_orientation(const Quat& orientation);

// Whether two rotations made here are the same function for certain (as same_motion).
[[nodiscard]] bool same_rotation(const model::OrientationFunction& a, const model::OrientationFunction& b);

// Of a rotation about one fixed axis; empty when it is none that was made so, or its angle has no closed form.
struct ClosedRotation {
  Vec3 axis;
  ClosedForm angle;
  Quat start;
};
[[nodiscard]] std::optional<ClosedRotation> closed_rotation_of(const model::OrientationFunction& rotation);

// roll about x, then pitch about y, then yaw about z (axes of the world).
[[nodiscard]] Quat from_euler_angles(double roll, double pitch, double yaw);

// The orientation at t = 0 from which the Euler angles swing symmetrically about zero over one period of omega.
[[nodiscard]] Quat symmetric_start(const std::function<Vec3(double)>& omega, double period);

}  // namespace stickslip::motion
