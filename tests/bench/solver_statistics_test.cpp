// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/common/solver_statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::bench {
namespace {

Run run(const char* solver, double seconds) {
  Run result;
  result.solver = solver;
  result.solved = seconds > 0;
  if (result.solved) result.seconds = seconds;
  return result;
}

// Negative times: failed.
ProblemRuns problem(double ours, double a, double b) {
  ProblemRuns result;
  result.ours = run(kOurName, ours);
  result.peers = {run("A", a), run("B", b)};
  return result;
}

TEST(Statistics, GeometricMeanOfPowersOfTwo) {
  const double values[] = {1, 2, 4};
  EXPECT_NEAR(geometric_mean(values), 2, 1e-15);
  EXPECT_TRUE(std::isnan(geometric_mean({})));
}

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Statistics, RatioIsTakenOnCommonProblemsOnly) {
  // A is twice as slow where both solve, and its failure on the last problem is no help and no harm to the ratio.
  const ProblemRuns runs[] = {problem(1, 2, -1), problem(3, 6, -1), problem(1, -1, -1)};
  const ClassStatistics statistics = summarise(runs);
  ASSERT_EQ(statistics.peers.front().solver, "A");
  EXPECT_EQ(statistics.peers.front().common, 2);
  EXPECT_NEAR(statistics.peers.front().ratio, 2, 1e-15);
  EXPECT_EQ(statistics.ours.solved, 3);
}

TEST(Statistics, ProfileCountsShareWithinFactorOfTheFastest) {
  const ProblemRuns runs[] = {problem(1, 2, 15), problem(4, 1, 2), problem(-1, 1, -1), problem(1, -1, -1)};
  const ClassStatistics statistics = summarise(runs);
  EXPECT_EQ(statistics.ours.rho(1), 0.5);
  EXPECT_EQ(statistics.ours.rho(4), 0.75);
  EXPECT_EQ(statistics.ours.rho(1e9), 0.75);
  EXPECT_EQ(statistics.peers[0].rho(2), 0.75);
  EXPECT_EQ(statistics.peers[1].rho(2), 0.25);
  EXPECT_EQ(statistics.ours_fastest, 2);
  EXPECT_EQ(statistics.ours_within_two, 2);
}

TEST(Statistics, ProblemsThatNobodySolvesAreCountedApart) {
  ProblemRuns none = problem(-1, -1, -1), impossible = none;
  impossible.infeasible = true;
  const ProblemRuns runs[] = {none, impossible, problem(1, 1, 1)};
  const ClassStatistics statistics = summarise(runs);
  EXPECT_EQ(statistics.problems, 1);
  EXPECT_EQ(statistics.infeasible, 1);
  EXPECT_EQ(statistics.unsolved, 1);
}

TEST(Statistics, ClosestRivalSolvesAtLeastHalf) {
  // B is faster than A, but solves only one problem of three.
  const ProblemRuns runs[] = {problem(1, 3, 0.5), problem(1, 3, -1), problem(1, 3, -1)};
  const ClassStatistics statistics = summarise(runs);
  ASSERT_NE(statistics.closest_rival(), nullptr);
  EXPECT_EQ(statistics.closest_rival()->solver, "A");
}

}  // namespace
}  // namespace stickslip::bench
