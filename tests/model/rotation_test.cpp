// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/math/rotation.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

namespace stickslip {
namespace {

TEST(Rotation, CrossMatrixIsTheCrossProduct) {
  const Vec3 a(0.3, -1.7, 2.9), b(4.1, 0.2, -0.6);
  EXPECT_EQ((cross_matrix(a) * b - a.cross(b)).norm(), 0);
}

// Against Eigen's rotation about an axis, on both sides of the angle at which the series takes over, where the two forms
// must agree to rounding.
TEST(Rotation, ExponentialIsTheRotationAboutItsVector) {
  const Vec3 axis = Vec3(1, -2, 0.5).normalized();
  for (const double angle : {1e-9, 0.99e-4, 1.01e-4, 0.1, 3.0, 7.0}) {
    const Quat expected(Eigen::AngleAxisd(angle, axis));
    EXPECT_LE((exponential(angle * axis).coeffs() - expected.coeffs()).norm(), 4e-16) << angle;
  }
  EXPECT_EQ(exponential(Vec3::Zero()).coeffs(), Quat::Identity().coeffs());
}

}  // namespace
}  // namespace stickslip
