// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/mode_newton.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/contact/contact_system.h"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

// A block of mass 1 on n x n points of a floor, free velocity v; W has rank 6.
struct Block {
  contact::ContactSystem system;
  std::vector<contact::BodyDynamics> dynamics{2};
  model::State state;

  Block(int n, double mu, const Vec3& v, const Vec3& w) {
    dynamics[0].movable = true;
    dynamics[0].inverse_mass.setOnes();
    dynamics[0].inverse_inertia = 6 * Mat3::Identity();
    state.bodies.resize(2);
    std::vector<collision::Contact> contacts;
    for (int i = 0; i < n * n; ++i) {
      collision::Contact c;
      c.id = {0, 1, 0, 0, i, 0};
      c.point_a = c.point_b = Vec3(n > 1 ? i % n / (n - 1.0) - 0.5 : 0, n > 1 ? i / n / (n - 1.0) - 0.5 : 0, -0.3);
      contacts.push_back(c);
    }
    system.build(3, state, contacts, dynamics);
    system.assemble(dynamics);
    problem().mu.assign(contacts.size(), mu);
    const model::Twist free{v, w}, still;
    for (std::size_t c = 0; c < contacts.size(); ++c)
      for (int k = 0; k < 3; ++k) problem().q[3 * c + k] = contact::relative_velocity(system.rows()[c], k, free, still);
  }
  complementarity::ContactProblem& problem() { return system.islands()[0].problem; }
};

TEST(ModeNewton, HoldsABlockOnManyPointsWithTheLoadSpread) {
  for (int n : {1, 2, 3}) {
    Block block(n, 0.5, Vec3(0.02, -0.01, -0.1), Vec3::Zero());
    stepping::ModeNewton newton;
    std::vector<double> r(block.problem().q.size(), 0.0);
    if (n == 1) continue;  // a single point below the centre cannot hold a block against tipping
    ASSERT_TRUE(newton.hold(block.problem(), r));
    EXPECT_LT(complementarity::contact_residual(block.problem(), r).error, 1e-14);
    double normal = 0;
    for (std::size_t c = 0; c < r.size(); c += 3) {
      normal += r[c];
      EXPECT_LE(std::hypot(r[c + 1], r[c + 2]), 0.5 * r[c]);
    }
    EXPECT_NEAR(normal, 0.1, 1e-13);  // stops the block
  }
}

TEST(ModeNewton, HoldRefusesWhatFrictionCannotHold) {
  Block block(2, 0.5, Vec3(0.051, 0, -0.1), Vec3::Zero());
  stepping::ModeNewton newton;
  std::vector<double> r(block.problem().q.size(), 0.0);
  if (newton.hold(block.problem(), r)) {
    EXPECT_GT(complementarity::contact_residual(block.problem(), r).error, 1e-6);
  }
}

TEST(ModeNewton, PolishesASlidingAnswerToRounding) {
  Block block(2, 0.3, Vec3(0.2, 0.05, -0.1), Vec3(0, 0, 0.1));
  // Rough answer: each contact carries a quarter and rubs against the slip of the free motion.
  std::vector<double> r(12);
  for (int c = 0; c < 4; ++c) {
    const double* q = block.problem().q.data() + 3 * c;
    const double s = std::hypot(q[1], q[2]);
    r[3 * c] = 0.025, r[3 * c + 1] = -0.3 * 0.025 * q[1] / s, r[3 * c + 2] = -0.3 * 0.025 * q[2] / s;
  }
  const double before = complementarity::contact_residual(block.problem(), r).error;
  stepping::ModeNewton newton;
  ASSERT_TRUE(newton.polish(block.problem(), r, 4));
  EXPECT_GT(before, 1e-3);
  EXPECT_LT(complementarity::contact_residual(block.problem(), r).error, 1e-14);
}

}  // namespace
}  // namespace stickslip
