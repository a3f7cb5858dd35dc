// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contact problems with a friction pyramid, against mechanics that can be done by hand.
#include "stickslip/complementarity/cone/pyramid.h"
#include "stickslip/complementarity/affine/affine_solver.h"

#include <gtest/gtest.h>
#include <cmath>

namespace stickslip::complementarity {
namespace {

// A particle of unit mass on the ground: W = identity, q = velocity it would have without contact.
ContactProblem particle(const Eigen::Vector3d& free_velocity, double mu) {
  ContactProblem problem;
  Eigen::SparseMatrix<double> W(3, 3);
  W.setIdentity();
  problem.W = make_block_matrix(W, 3);
  problem.q = {free_velocity[0], free_velocity[1], free_velocity[2]};
  problem.mu = {mu};
  return problem;
}

GlobalContactProblem global_particle(const Eigen::Vector3d& free_velocity, double mu) {
  GlobalContactProblem problem;
  problem.M.resize(3, 3);
  problem.M.setIdentity();
  problem.H = problem.M;
  problem.f = free_velocity;
  problem.w = Eigen::VectorXd::Zero(3);
  problem.mu = {mu};
  return problem;
}

Eigen::VectorXd impulses(const PyramidForm& form) {
  AffineSolver solver;
  Eigen::VectorXd z;
  const SolverSummary summary = solver.solve(form.problem, z);
  EXPECT_TRUE(summary.solved()) << to_string(summary.status);
  return form.impulses(z);
}

TEST(Pyramid, ParticleSticksBelowTheFrictionLimit) {
  const Eigen::VectorXd r = impulses(make_pyramid(particle({-1, 0.2, -0.1}, 0.5), 8));
  EXPECT_NEAR((r - Eigen::Vector3d(1, -0.2, 0.1)).norm(), 0, 1e-14);
}

TEST(Pyramid, ParticleSlidesAgainstADirectionOfThePyramid) {
  // Sliding exactly along a direction of the pyramid: the full friction mu r_n, straight against the motion.
  const Eigen::VectorXd r = impulses(make_pyramid(particle({-1, 2, 0}, 0.5), 8));
  EXPECT_NEAR((r - Eigen::Vector3d(1, -0.5, 0)).norm(), 0, 1e-14);
}

TEST(Pyramid, ConvergesToTheConeWithTheNumberOfDirections) {
  // Exact cone: r_t = -mu r_n v / |v| (W is a multiple of the identity). An inscribed polygon of d sides is off by at
  // most its side, 2 pi mu / d.
  const Eigen::Vector2d v(2, 1.3), exact = -0.5 * v.normalized();
  for (const int d : {4, 8, 16, 32, 64, 128}) {
    const Eigen::VectorXd r = impulses(make_pyramid(particle({-1, v[0], v[1]}, 0.5), d));
    EXPECT_LE((r.tail(2) - exact).norm(), 0.5 * 2 * M_PI / d) << d;
    EXPECT_LE(r.tail(2).norm(), 0.5 + 1e-14) << d;
  }
}

TEST(Pyramid, SeparatingContactCarriesNothing) {
  EXPECT_EQ(impulses(make_pyramid(particle({0.1, 2, 1}, 0.5), 8)).norm(), 0);
}

TEST(Pyramid, FrictionlessContactHasOnlyANormalImpulse) {
  const PyramidForm form = make_pyramid(particle({-1, 2, 1}, 0), 8);
  EXPECT_EQ(form.problem.size(), 1);
  EXPECT_EQ(form.slip_index[0], -1);
  EXPECT_NEAR((impulses(form) - Eigen::Vector3d(1, 0, 0)).norm(), 0, 1e-15);
}

TEST(Pyramid, SupportTakesTheGivenNormalImpulse) {
  ContactProblem problem = particle({-1, 2, 0}, 0.5);
  problem.kind = {ContactKind::Support};
  problem.normal_impulse = {3};
  const Eigen::VectorXd sliding = impulses(make_pyramid(problem, 8));
  EXPECT_NEAR((sliding - Eigen::Vector3d(3, -1.5, 0)).norm(), 0, 1e-14);
  problem.normal_impulse = {10};
  const Eigen::VectorXd sticking = impulses(make_pyramid(problem, 8));
  EXPECT_NEAR((sticking - Eigen::Vector3d(10, -2, 0)).norm(), 0, 1e-14);
}

TEST(Pyramid, BilateralBlockStopsAllMotion) {
  ContactProblem problem = particle({0.7, 2, -3}, 0);
  problem.kind = {ContactKind::Bilateral};
  EXPECT_NEAR((impulses(make_pyramid(problem, 8)) + Eigen::Vector3d(0.7, 2, -3)).norm(), 0, 1e-14);
}

TEST(Pyramid, PlanarContactHasTwoDirections) {
  ContactProblem problem;
  Eigen::SparseMatrix<double> W(2, 2);
  W.setIdentity();
  problem.W = make_block_matrix(W, 2);
  problem.q = {-1, 2};
  problem.mu = {0.5};
  const PyramidForm form = make_pyramid(problem, 64);
  EXPECT_EQ(form.problem.size(), 4);
  EXPECT_NEAR((impulses(form) - Eigen::Vector2d(1, -0.5)).norm(), 0, 1e-15);
}

TEST(Pyramid, GlobalFormGivesTheSameImpulsesAndTheVelocities) {
  for (const Eigen::Vector3d& v :
       {Eigen::Vector3d(-1, 2, 1.3), Eigen::Vector3d(-1, 0.1, 0.2), Eigen::Vector3d(1, 1, 1)}) {
    const PyramidForm local = make_pyramid(particle(v, 0.5), 12), global = make_pyramid(global_particle(v, 0.5), 12);
    AffineSolver solver;
    Eigen::VectorXd z;
    ASSERT_TRUE(solver.solve(global.problem, z).solved());
    EXPECT_LE((global.impulses(z) - impulses(local)).norm(), 1e-13);
    EXPECT_LE((global.velocities(z) - v - global.impulses(z)).norm(), 1e-13);
  }
}

TEST(Pyramid, ComplianceSoftensTheContact) {
  // u_n = -1 + r_n + c r_n = 0 at r_n = 1 / (1 + c).
  GlobalContactProblem problem = global_particle({-1, 0, 0}, 0.5);
  problem.compliance = {3, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_NEAR(impulses(make_pyramid(problem, 8))[0], 0.25, 1e-15);
}

TEST(Pyramid, MassMatrixMayBeSingular) {
  // Quasi-static: no mass at all in the tangential plane, a spring of stiffness 1 along the normal.
  GlobalContactProblem problem = global_particle({-1, 0, 0}, 0.5);
  Eigen::SparseMatrix<double> M(3, 3);
  M.insert(0, 0) = 1;
  problem.M = M;
  EXPECT_NEAR(impulses(make_pyramid(problem, 8))[0], 1, 1e-14);
}

}  // namespace
}  // namespace stickslip::complementarity
