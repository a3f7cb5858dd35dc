// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#define STICKSLIP_COUNT_ALLOCATIONS
#include "tests/support/allocation_counter.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "tests/problems/contact_generators.h"

#include <gtest/gtest.h>

namespace stickslip::complementarity {
namespace {

using tests::allocations;

void expect_no_allocation_once_warm(const ContactProblem& problem, const char* algorithm = "auto") {
  ContactSolver solver;
  std::vector<double> r;
  // Other data of the same size and pattern, as in the next step of a simulation.
  ContactProblem next = problem;
  for (double& q : next.q) q *= 1.01;
  const auto steps = [&] {
    (void)solver.solve(next, r, {}, algorithm);  // warm
    std::fill(r.begin(), r.end(), 0.0);
    EXPECT_TRUE(solver.solve(problem, r, {}, algorithm).solved()) << algorithm;  // cold
    (void)contact_residual(problem, r);
  };
  r.assign(problem.q.size(), 0.0);
  steps();
  steps();
  const long before = allocations();
  for (int step = 0; step < 3; ++step) steps();
  EXPECT_EQ(allocations() - before, 0) << problem.contacts() << " contacts, " << algorithm;
}

TEST(ContactAllocation, RepeatedSolvesOfOneSizeAllocateNothing) {
  if (!tests::kCountsAllocations) GTEST_SKIP() << "a sanitizer owns malloc";
  expect_no_allocation_once_warm(block_on_table(2, 0.3, 1.0));
  expect_no_allocation_once_warm(block_on_table(3, 0.3, 1.0, 0.2, 3.0));
  expect_no_allocation_once_warm(box_stack(3, 12, 0.5, 0.01));  // 48 contacts: sparse fronts, wrench space
  expect_no_allocation_once_warm(sphere_pile(2, 6, 0.4));
  expect_no_allocation_once_warm(sphere_pile(3, 4, 0.3));
}

TEST(ContactAllocation, EveryNamedAlgorithmAllocatesNothing) {
  if (!tests::kCountsAllocations) GTEST_SKIP() << "a sanitizer owns malloc";
  for (const AlgorithmInfo& algorithm : ContactSolver::algorithms()) {
    expect_no_allocation_once_warm(block_on_table(2, 0.3, 1.0), algorithm.name);
    expect_no_allocation_once_warm(block_on_table(3, 0.3, 1.0, 0.2, 3.0), algorithm.name);
    expect_no_allocation_once_warm(sphere_pile(3, 3, 0.9), algorithm.name);
  }
}

// Blocks that slide over a floor, three contacts each, in global form; with some compliance.
GlobalContactProblem sliding_blocks(int count) {
  GlobalContactProblem problem;
  problem.M.resize(count * 3, count * 3);
  problem.H.resize(count * 3, count * 6);
  for (int b = 0; b < count; ++b) {
    for (int k = 0; k < 3; ++k) problem.M.insert(b * 3 + k, b * 3 + k) = k < 2 ? 2.0 : 0.3;
    for (int c = 0; c < 2; ++c) {
      const double arm = c == 0 ? 0.5 : -0.5;
      problem.H.insert(b * 3 + 1, b * 6 + c * 3) = 1, problem.H.insert(b * 3 + 2, b * 6 + c * 3) = arm;
      problem.H.insert(b * 3, b * 6 + c * 3 + 1) = 1, problem.H.insert(b * 3 + 2, b * 6 + c * 3 + 1) = 0.2;
    }
  }
  problem.M.makeCompressed(), problem.H.makeCompressed();
  problem.f = Eigen::VectorXd::Zero(count * 3);
  problem.w = Eigen::VectorXd::Zero(count * 6);
  for (int b = 0; b < count; ++b) problem.f[b * 3] = 2.0, problem.f[b * 3 + 1] = -0.02 * (1 + b);
  problem.mu.assign(static_cast<std::size_t>(count) * 2, 0.3);
  for (int c = 0; c < count * 2; ++c)
    for (int k = 0; k < 9; ++k) problem.compliance.push_back(k % 4 == 0 ? 1e-3 : 0.0);
  return problem;
}

TEST(ContactAllocation, GlobalFormAllocatesNothing) {
  if (!tests::kCountsAllocations) GTEST_SKIP() << "a sanitizer owns malloc";
  const GlobalContactProblem problem = sliding_blocks(5);
  GlobalContactProblem next = problem;
  next.f *= 1.01;
  for (const AlgorithmInfo& algorithm : ContactSolver::algorithms()) {
    ContactSolver solver;
    std::vector<double> r(problem.mu.size() * 3, 0.0);
    Eigen::VectorXd v;
    const auto steps = [&] {
      EXPECT_TRUE(solver.solve(next, r, v, {}, algorithm.name).solved()) << algorithm.name;
      std::fill(r.begin(), r.end(), 0.0);
      EXPECT_TRUE(solver.solve(problem, r, v, {}, algorithm.name).solved()) << algorithm.name;
    };
    steps();
    steps();
    const long before = allocations();
    for (int step = 0; step < 3; ++step) steps();
    EXPECT_EQ(allocations() - before, 0) << algorithm.name;
  }
}

}  // namespace
}  // namespace stickslip::complementarity
