// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/contact/body_dynamics.h"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

const Mat3 kInertia = Vec3(1.0, 2.5, 3.0).asDiagonal();

TEST(GyroscopicStep, KeepsEnergyAndAngularMomentumAtAnyStepSize) {
  const Quat orientation = Quat(0.3, -0.5, 0.2, 0.7).normalized();
  Vec3 w(0.4, 2.0, -0.3);  // near the unstable middle axis
  const auto energy = [&](const Vec3& x) {
    const Vec3 b = orientation.conjugate() * x;
    return 0.5 * b.dot(kInertia * b);
  };
  const auto momentum = [&](const Vec3& x) { return (kInertia * (orientation.conjugate() * x)).norm(); };
  const double e0 = energy(w), l0 = momentum(w);
  for (int k = 0; k < 2000; ++k) w = contact::gyroscopic_step(kInertia, orientation, w, 0.05);
  // 2000 steps of Newton to 1e-24 (squared), each rounding in the last bits.
  EXPECT_NEAR(energy(w) / e0, 1, 1e-11);
  EXPECT_NEAR(momentum(w) / l0, 1, 1e-11);
}

TEST(GyroscopicStep, IsEulersEquationForSmallSteps) {
  const Vec3 w(1, 2, 3);
  const double h = 1e-6;
  const Vec3 rate = (contact::gyroscopic_step(kInertia, Quat::Identity(), w, h) - w) / h;
  const Vec3 euler = -(kInertia.inverse() * w.cross(kInertia * w));
  EXPECT_LT((rate - euler).norm(), 1e-5 * euler.norm());  // O(h), and the cancellation in the difference
}

TEST(Inertia, LockedAxesAnswerNothing) {
  model::Model model;
  model::Body body;
  body.mass = 2;
  body.inertia << 1, 0.2, 0.1, 0.2, 2, 0.3, 0.1, 0.3, 3;
  body.drive.rotation_locked = {true, false, false};
  model.bodies = {body};
  const auto traits = contact::body_traits(model);
  contact::BodyDynamics dynamics;
  contact::evaluate_inertia(body, traits[0], Quat::Identity(), 0, dynamics);
  EXPECT_EQ(dynamics.inverse_inertia.row(0).norm(), 0);
  EXPECT_EQ(dynamics.inverse_inertia.col(0).norm(), 0);
  const Eigen::Matrix2d free = body.inertia.bottomRightCorner<2, 2>();
  EXPECT_LT((dynamics.inverse_inertia.bottomRightCorner<2, 2>() * free - Eigen::Matrix2d::Identity()).norm(), 1e-14);
}

TEST(Traits, PrescribedAndMassless) {
  model::Model model;
  model.bodies.resize(3);
  model.bodies[0].mass = 1;
  model.bodies[0].inertia = kInertia;
  model.bodies[0].drive.translation[1] = [](double) { return model::TimeJet{}; };
  model.bodies[1].mass = 0;  // no drive: stands still
  model.bodies[2].kind = model::BodyKind::Particle2;
  model.bodies[2].mass = 1;
  const auto traits = contact::body_traits(model);
  EXPECT_TRUE(traits[0].free_translation[0] && !traits[0].free_translation[1] && traits[0].free_translation[2]);
  EXPECT_TRUE(traits[0].free_rotation && traits[0].driven && traits[0].movable && !traits[0].isotropic);
  EXPECT_FALSE(traits[1].movable || traits[1].driven);
  EXPECT_TRUE(traits[2].free_translation[0] && !traits[2].free_translation[2] && !traits[2].free_rotation);
}

}  // namespace
}  // namespace stickslip
