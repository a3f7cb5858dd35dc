// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/reduction.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "tests/problems/portable_random.h"

#include <gtest/gtest.h>
#include <Eigen/Dense>

namespace stickslip::complementarity {
namespace {

// Bodies of the given size with random mass blocks, every contact between two of them or a body and the ground.
GlobalContactProblem random_global(std::uint64_t seed, int dimension, int bodies, int body_size, int contacts) {
  PortableRandom random(seed);
  const int n = bodies * body_size, m = contacts * dimension;
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n), H = Eigen::MatrixXd::Zero(n, m);
  for (int b = 0; b < bodies; ++b) {
    Eigen::MatrixXd A(body_size, body_size);
    for (int k = 0; k < body_size * body_size; ++k) A(k / body_size, k % body_size) = random.normal();
    M.block(b * body_size, b * body_size, body_size, body_size) =
        A * A.transpose() + Eigen::MatrixXd::Identity(body_size, body_size);
  }
  for (int c = 0; c < contacts; ++c)
    for (int side = 0; side < 2; ++side) {
      const int b = random.index(bodies + 1);
      if (b == bodies) continue;
      for (int i = 0; i < body_size; ++i)
        for (int k = 0; k < dimension; ++k) H(b * body_size + i, c * dimension + k) += random.normal();
    }
  GlobalContactProblem problem;
  problem.dimension = dimension;
  problem.M = M.sparseView(), problem.H = H.sparseView();
  problem.f = Eigen::VectorXd(n), problem.w = Eigen::VectorXd::Zero(m);
  for (int i = 0; i < n; ++i) problem.f[i] = random.normal();
  problem.mu.assign(contacts, 0.4);
  return problem;
}

Eigen::MatrixXd dense(const BlockMatrix& W) {
  const int D = W.block_size;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(W.rows() * D, W.rows() * D);
  for (int i = 0; i < W.rows(); ++i)
    for (int p = W.row_start[i]; p < W.row_start[i + 1]; ++p)
      for (int k = 0; k < D * D; ++k) out(i * D + k / D, W.column[p] * D + k % D) = W.value[p * D * D + k];
  return out;
}

void expect_reduction(const GlobalContactProblem& problem) {
  Reduction reduction;
  ASSERT_TRUE(reduction.reduce(problem));
  EXPECT_EQ(validate(reduction.local()), "");
  const Eigen::MatrixXd M = problem.M, H = problem.H;
  const Eigen::MatrixXd W = H.transpose() * M.lu().solve(H);
  const Eigen::VectorXd q = H.transpose() * M.lu().solve(problem.f) + problem.w;
  EXPECT_LE((dense(reduction.local().W) - W).norm(), 1e-12 * W.norm());
  EXPECT_LE((Eigen::Map<const Eigen::VectorXd>(reduction.local().q.data(), q.size()) - q).norm(), 1e-12 * q.norm());

  std::vector<double> r(problem.w.size());
  for (std::size_t k = 0; k < r.size(); ++k) r[k] = std::sin(1.0 + static_cast<double>(k));
  Eigen::VectorXd v;
  reduction.velocities(problem, r, v);
  const Eigen::VectorXd forces =
      H * Eigen::Map<Eigen::VectorXd>(r.data(), static_cast<Eigen::Index>(r.size())) + problem.f;
  EXPECT_LE((M * v - forces).norm(), 1e-12 * forces.norm());
}

TEST(Reduction, OfBodiesIsTheDelassusMatrix) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    expect_reduction(random_global(seed, 3, 5, 6, 9));
    expect_reduction(random_global(seed, 2, 4, 3, 7));
  }
}

TEST(Reduction, OfOneLargeElasticBodyGoesThroughSparseLu) {
  expect_reduction(random_global(5, 3, 2, 40, 6));
}

TEST(Reduction, RefusesAMassThatIsZero) {
  GlobalContactProblem problem = random_global(3, 3, 2, 6, 4);
  problem.M.coeffRef(0, 0) = 0;
  for (int k = 1; k < 6; ++k) problem.M.coeffRef(0, k) = problem.M.coeffRef(k, 0) = 0;
  Reduction reduction;
  EXPECT_FALSE(reduction.reduce(problem));
}

TEST(GlobalForm, IsCertifiedInItsOwnTermsAndMatchesTheLocalOne) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    GlobalContactProblem problem = random_global(seed, 3, 4, 6, 8);
    problem.compliance.assign(8 * 9, 0.0);
    for (int c = 0; c < 8; c += 2)
      for (int k = 0; k < 3; ++k) problem.compliance[c * 9 + 4 * k] = 0.1;
    ContactSolver solver;
    std::vector<double> r;
    Eigen::VectorXd v;
    const SolverSummary summary = solver.solve(problem, r, v);
    ASSERT_TRUE(summary.solved()) << "seed " << seed << " error " << summary.residual.error;
    const Eigen::Map<Eigen::VectorXd> impulses(r.data(), static_cast<Eigen::Index>(r.size()));
    const Eigen::VectorXd balance = problem.M * v - problem.H * impulses - problem.f;
    EXPECT_LE(balance.norm(), 1e-12 * (problem.f.norm() + (problem.H * impulses).norm()));

    Reduction reduction;
    ASSERT_TRUE(reduction.reduce(problem));
    EXPECT_LE(contact_residual(reduction.local(), r).error, 1e-8);
  }
}

// Impulses are then tiny numbers beside velocities: an error relative to r and u alone would ask for 1e-15 of q where
// contacts stick.
TEST(GlobalForm, LightBodiesAreSolvedLikeHeavyOnes) {
  for (const double mass : {1e-9, 1e-6, 1.0, 1e6})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      GlobalContactProblem problem = random_global(seed, 3, 4, 6, 8);
      problem.M *= mass, problem.f *= mass;
      ContactSolver solver;
      std::vector<double> r;
      Eigen::VectorXd v;
      const SolverSummary summary = solver.solve(problem, r, v);
      EXPECT_TRUE(summary.solved()) << "masses times " << mass << " seed " << seed << " error "
                                    << summary.residual.error;
    }
}

}  // namespace
}  // namespace stickslip::complementarity
