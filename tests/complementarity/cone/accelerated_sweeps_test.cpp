// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/accelerated_sweeps.h"

#include "stickslip/complementarity/cone/contact_problem.h"

#include <gtest/gtest.h>

namespace stickslip::complementarity {
namespace {

constexpr int D = 3;
constexpr double kWeight = 9.81e-3;  // m g h of one ball

// A column of balls of unit mass that rests on the floor:
//
//     O            contact k carries the balls above it: r_n = (balls - k) m g h
//     O  contact 1
//     O  contact 0: the floor
//
// The load is known, but a sweep tells each ball only of its neighbours: plain Gauss-Seidel needs about balls^2 sweeps.
ContactProblem column_of_balls(int balls) {
  Eigen::SparseMatrix<double> W(balls * D, balls * D);
  for (int c = 0; c < balls; ++c)
    for (int k = 0; k < D; ++k) {
      W.insert(c * D + k, c * D + k) = c == 0 ? 1.0 : 2.0;
      if (c > 0) W.insert(c * D + k, (c - 1) * D + k) = W.insert((c - 1) * D + k, c * D + k) = -1.0;
    }
  ContactProblem problem;
  problem.W = make_block_matrix(W, D);
  problem.q.assign(balls * D, 0.0);
  problem.q[0] = -kWeight;
  problem.mu.assign(balls, 0.5);
  return problem;
}

TEST(AcceleratedSweeps, CarryTheLoadDownAColumnInFarFewerSweepsThanGaussSeidel) {
  constexpr int kBalls = 40;
  const ContactProblem problem = column_of_balls(kBalls);
  IslandSplitter<D> splitter;
  ASSERT_EQ(splitter.split(problem), 1);
  Island<D> island;
  splitter.extract(problem, 0, island);

  Budget plain_budget, budget;
  Search<D> plain, search;
  GaussSeidel<D> sweeper;
  constexpr double kGoal = 1e-10;
  constexpr int kEnough = 20000;
  std::vector<double> r(island.unknowns(), 0.0), u(r.size());
  plain.begin(island, kGoal, plain_budget, nullptr);
  sweeper.reset(island);
  while (!plain.reached() && plain_budget.used_iterations < kEnough) {
    sweeper.sweep(island, r.data());
    plain_budget.spend(1);
    island_velocity(island, r.data(), u.data());
    plain.offer(r.data(), u.data());
  }

  std::fill(r.begin(), r.end(), 0.0);
  search.begin(island, kGoal, budget, nullptr);
  sweeper.reset(island);
  AcceleratedSweeps<D> accelerated;
  ASSERT_TRUE(accelerated.run(sweeper, search, r, {.sweeps = kEnough, .patience = kEnough}));
  for (int c = 0; c < kBalls; ++c)  // 1e-10 of the norms, times the column's condition of about balls^2
    EXPECT_NEAR(r[c * D] * island.scale[c], (kBalls - c) * kWeight, 1e-6 * kBalls * kWeight) << "contact " << c;
  EXPECT_GT(plain_budget.used_iterations, 10 * budget.used_iterations)
      << "plain " << plain_budget.used_iterations << ", accelerated " << budget.used_iterations;
}

TEST(AcceleratedSweeps, GiveUpWhenNothingIsGained) {
  // A goal below rounding cannot be reached.
  const ContactProblem problem = column_of_balls(3);
  IslandSplitter<D> splitter;
  ASSERT_EQ(splitter.split(problem), 1);
  Island<D> island;
  splitter.extract(problem, 0, island);
  Budget budget;
  Search<D> search;
  search.begin(island, 1e-30, budget, nullptr);
  GaussSeidel<D> sweeper;
  sweeper.reset(island);
  AcceleratedSweeps<D> accelerated;
  std::vector<double> r(island.unknowns(), 0.0);
  EXPECT_FALSE(accelerated.run(sweeper, search, r, {.sweeps = 5000, .patience = 20}));
  EXPECT_LT(budget.used_iterations, 1000);
  EXPECT_LT(search.best(), 1e-12) << "what was found on the way is kept";
}

}  // namespace
}  // namespace stickslip::complementarity
