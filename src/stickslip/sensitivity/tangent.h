// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A small change of a state, 12 numbers per body:   position (3), rotation (3), velocity (3), angular velocity (3)
//
// Rotations are vectors in the world frame: the orientation R becomes exp(x) R. Planar bodies use x, y and the rotation
// about z; their angle changes with it.
#pragma once

#include "stickslip/model/state.h"

#include <Eigen/Core>

namespace stickslip::sensitivity {

inline constexpr int kBodyTangent = 12;
inline constexpr int kPosition = 0, kRotation = 3, kLinear = 6, kAngular = 9;  // places within a body's 12 numbers

// to = from moved by amount * direction. `to` may be `from`.
void move_along(const model::State& from, const Eigen::Ref<const Eigen::VectorXd>& direction, double amount,
                model::State& to);

// A body turned by a rotation vector so small that its square does not count.
inline void turn_slightly(const Vec3& turn, model::BodyState& body) {
  Quat& q = body.pose.orientation;
  const Quat change = Quat(0, 0.5 * turn.x(), 0.5 * turn.y(), 0.5 * turn.z()) * q;
  q.coeffs() += change.coeffs();
  body.angle += turn.z();
}

// move_along for a change so small.
void move_slightly(const model::State& from, const Eigen::Ref<const Eigen::VectorXd>& direction, double amount,
                   model::State& to);

// The change that leads from one pose and velocity to another nearby.
[[nodiscard]] Eigen::Matrix<double, kBodyTangent, 1> difference(const model::BodyState& from,
                                                                const model::BodyState& to);

// exp(w) applied to a small rotation that came before, and the change of exp(w) with w:
//     exp(w + dw) = exp(left(w) dw) exp(w)
[[nodiscard]] Mat3 rotation_of(const Vec3& w);
[[nodiscard]] Mat3 left_jacobian(const Vec3& w);
// The change of an orientation that turns by w, where w changes by dw.
inline void turn_tangent(const Vec3& w, const Vec3& dw, bool planar, Eigen::Ref<Vec3> turn) {
  if (planar)
    turn += dw;
  else
    turn = rotation_of(w) * Vec3(turn) + left_jacobian(w) * dw;
}

}  // namespace stickslip::sensitivity
