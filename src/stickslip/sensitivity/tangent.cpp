// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/tangent.h"

#include "stickslip/math/rotation.h"

#include <cmath>

namespace stickslip::sensitivity {
namespace {

constexpr double kSmallAngle = 1e-4;  // below it, the first terms of the series are exact to rounding

}  // namespace

void move_along(const model::State& from, const Eigen::Ref<const Eigen::VectorXd>& direction, double amount,
                model::State& to) {
  if (&to != &from) to = from;
  for (std::size_t i = 0; i < to.bodies.size(); ++i) {
    const auto d = direction.segment<kBodyTangent>(static_cast<Eigen::Index>(i) * kBodyTangent);
    model::BodyState& body = to.bodies[i];
    const Vec3 turn = amount * d.segment<3>(kRotation);
    body.pose.position += amount * d.segment<3>(kPosition);
    body.velocity.linear += amount * d.segment<3>(kLinear);
    body.velocity.angular += amount * d.segment<3>(kAngular);
    if (turn.isZero(0)) continue;
    body.pose.orientation = (exponential(turn).normalized() * body.pose.orientation).normalized();
    body.angle += turn.z();
  }
}

void move_slightly(const model::State& from, const Eigen::Ref<const Eigen::VectorXd>& direction, double amount,
                   model::State& to) {
  if (&to != &from) to = from;
  for (std::size_t i = 0; i < to.bodies.size(); ++i) {
    const auto d = direction.segment<kBodyTangent>(static_cast<Eigen::Index>(i) * kBodyTangent);
    model::BodyState& body = to.bodies[i];
    body.pose.position += amount * d.segment<3>(kPosition);
    body.velocity.linear += amount * d.segment<3>(kLinear);
    body.velocity.angular += amount * d.segment<3>(kAngular);
    turn_slightly(amount * d.segment<3>(kRotation), body);
  }
}

Eigen::Matrix<double, kBodyTangent, 1> difference(const model::BodyState& from, const model::BodyState& to) {
  Eigen::Matrix<double, kBodyTangent, 1> d;
  Quat turn = to.pose.orientation * from.pose.orientation.conjugate();
  if (turn.w() < 0) turn.coeffs() *= -1;
  const double sine = turn.vec().norm();
  const double scale = sine > kSmallAngle ? 2 * std::atan2(sine, turn.w()) / sine : 2.0;
  d.segment<3>(kPosition) = to.pose.position - from.pose.position;
  d.segment<3>(kRotation) = scale * turn.vec();
  d.segment<3>(kLinear) = to.velocity.linear - from.velocity.linear;
  d.segment<3>(kAngular) = to.velocity.angular - from.velocity.angular;
  return d;
}

Mat3 rotation_of(const Vec3& w) {
  return exponential(w).normalized().toRotationMatrix();
}

Mat3 left_jacobian(const Vec3& w) {
  const double a = w.norm();
  const Mat3 K = cross_matrix(w);
  if (a < kSmallAngle) return Mat3::Identity() + 0.5 * K + K * K / 6;
  return Mat3::Identity() + (1 - std::cos(a)) / (a * a) * K + (a - std::sin(a)) / (a * a * a) * K * K;
}

}  // namespace stickslip::sensitivity
