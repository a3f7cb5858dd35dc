// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/infeasibility.h"
#include "stickslip/complementarity/affine/affine_solver.h"
#include "tests/problems/affine_generators.h"
#include "tests/problems/portable_random.h"

#include <gtest/gtest.h>

namespace stickslip::complementarity {
namespace {

AffineProblem one_unknown(double m, double q) {
  return make_lcp(Eigen::MatrixXd::Constant(1, 1, m), Eigen::VectorXd::Constant(1, q));
}

TEST(Infeasibility, PainleveParadoxAtAccelerationLevel) {
  // Pushing harder makes the rod accelerate further into the ground: a z + b < 0 for all z >= 0.
  AffineSolver solver;
  Eigen::VectorXd z;
  EXPECT_EQ(solver.solve(one_unknown(-0.5, -1), z).status, Status::Infeasible);
  // The other branch of the paradox has two solutions.
  EXPECT_TRUE(solver.solve(one_unknown(-0.5, 1), z).solved());
}

TEST(Infeasibility, ContradictingEquations) {
  // u = 1 and u = 2: two equations for one free unknown (the second column is zero).
  MixedLcp blocks;
  blocks.A.resize(2, 1);
  blocks.A.insert(0, 0) = 1;
  blocks.A.insert(1, 0) = 1;
  blocks.B.resize(1, 1);
  blocks.B.insert(0, 0) = 1;
  blocks.C.resize(2, 1);
  blocks.D.resize(1, 1);
  blocks.a = Eigen::Vector2d(-1, -2);
  blocks.b = Eigen::VectorXd::Constant(1, -1);
  AffineSolver solver;
  Eigen::VectorXd z;
  const MixedLcpForm form = make_mixed_lcp(blocks);
  EXPECT_EQ(solver.solve(form.problem, z).status, Status::Infeasible);

  // With u = 1 twice there is a solution.
  blocks.a = Eigen::Vector2d(-1, -1);
  ASSERT_TRUE(solver.solve(make_mixed_lcp(blocks).problem, z).solved());
  EXPECT_NEAR(z[0], 1, 1e-12);
}

TEST(Infeasibility, NeedsACombinationOfRows) {
  // Each row alone can be satisfied, their sum cannot: w1 = z1 - z2 - 1 >= 0, w2 = z2 - z1 - 1 >= 0.
  Eigen::MatrixXd M(2, 2);
  M << 1, -1, -1, 1;
  const AffineProblem problem = make_lcp(M, Eigen::Vector2d(-1, -1));
  InfeasibilityProver prover;
  EXPECT_FALSE(prover.prove_by_row(problem));
  EXPECT_TRUE(prover.prove_by_linear_program(problem, Deadline()));
  AffineSolver solver;
  Eigen::VectorXd z;
  EXPECT_EQ(solver.solve(problem, z).status, Status::Infeasible);
}

TEST(Infeasibility, WrongCertificatesAreRejected) {
  Eigen::MatrixXd M(2, 2);
  M << 1, -1, -1, 1;
  const AffineProblem problem = make_lcp(M, Eigen::Vector2d(-1, -1));
  const double right[] = {1, 1}, unbalanced[] = {1, 0.5}, negative[] = {-1, -1}, zero[] = {0, 0}, nan[] = {NAN, 1};
  EXPECT_TRUE(proves_infeasible(problem, right));
  EXPECT_FALSE(proves_infeasible(problem, unbalanced));
  EXPECT_FALSE(proves_infeasible(problem, negative));
  EXPECT_FALSE(proves_infeasible(problem, zero));
  EXPECT_FALSE(proves_infeasible(problem, nan));
}

TEST(Infeasibility, NeverClaimedWhereASolutionIsKnown) {
  InfeasibilityProver prover;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const KnownProblem& known : {semidefinite(12, seed), monotone(12, seed)}) {
      EXPECT_FALSE(prover.prove_by_row(known.problem));
      EXPECT_FALSE(prover.prove_by_linear_program(known.problem, Deadline()));
    }
  }
}

TEST(Infeasibility, MonotoneProblemsAreAlwaysDecided) {
  // For a positive semidefinite M: feasible means solvable. So each random problem is solved or proved infeasible.
  PortableRandom random(21);
  AffineSolver solver;
  Eigen::VectorXd z;
  int solved = 0, infeasible = 0;
  for (int k = 0; k < 300; ++k) {
    const int n = 3 + k % 6, rank = 1 + k % 3;
    Eigen::MatrixXd A(rank, n);
    Eigen::VectorXd q(n);
    for (int j = 0; j < n; ++j) {
      q[j] = random.normal();
      for (int i = 0; i < rank; ++i) A(i, j) = random.normal();
    }
    const SolverSummary summary = solver.solve(make_lcp(Eigen::MatrixXd(A.transpose() * A), q), z);
    solved += summary.solved();
    infeasible += summary.status == Status::Infeasible;
    EXPECT_TRUE(summary.solved() || summary.status == Status::Infeasible) << k << " " << to_string(summary.status);
  }
  EXPECT_GT(solved, 50);
  EXPECT_GT(infeasible, 50);
}

// Rounding of z1 = 1/49 is blown up by the second row's 1e-10; the third row then seems to contradict the other two.
TEST(Infeasibility, NotClaimedBecauseForcedValuesWereRounded) {
  Eigen::MatrixXd M(3, 3);
  M << 49, 0, 0, 49, 1e-10, 0, 0, 1, 0;
  AffineProblem problem = make_lcp(M, Eigen::Vector3d(-1, -1, 0));
  problem.lower.setConstant(-kInfinity);  // z = (1/49, 0, anything) solves it
  AffineSolver solver;
  Eigen::VectorXd z;
  EXPECT_NE(solver.solve(problem, z).status, Status::Infeasible);
}

// Positive definite, so it has a solution, though one of size 1e13: (M'y)_j = 1e-13 is small, but not zero.
TEST(Infeasibility, NotClaimedForASolutionFarAway) {
  Eigen::MatrixXd M(2, 2);
  M << 1, -1, -1, 1 + 1e-13;
  const AffineProblem problem = make_lcp(M, Eigen::Vector2d(-1, 0));
  const double y[] = {1, 1};
  EXPECT_FALSE(proves_infeasible(problem, y));
  AffineSolver solver;
  Eigen::VectorXd z;
  EXPECT_NE(solver.solve(problem, z).status, Status::Infeasible);
}

}  // namespace
}  // namespace stickslip::complementarity
