// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#define STICKSLIP_COUNT_ALLOCATIONS
#include "tests/support/allocation_counter.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/complementarity/corpus/contact_generators.h"

#include <gtest/gtest.h>

namespace stickslip::complementarity {
namespace {

using tests::allocations;

void expect_no_allocation_once_warm(const ContactProblem& problem) {
  ContactSolver solver;
  std::vector<double> r;
  ASSERT_TRUE(solver.solve(problem, r).solved());
  // Other data of the same size and pattern, as in the next step of a simulation.
  ContactProblem next = problem;
  for (double& q : next.q) q *= 1.01;
  const long before = allocations();
  for (int step = 0; step < 3; ++step) {
    (void)solver.solve(next, r);  // warm
    std::fill(r.begin(), r.end(), 0.0);
    (void)solver.solve(problem, r);  // cold
    (void)contact_residual(problem, r);
  }
  EXPECT_EQ(allocations() - before, 0) << problem.contacts() << " contacts";
}

TEST(ContactAllocation, RepeatedSolvesOfOneSizeAllocateNothing) {
  if (!tests::kCountsAllocations) GTEST_SKIP() << "a sanitizer owns malloc";
  expect_no_allocation_once_warm(block_on_table(2, 0.3, 1.0));
  expect_no_allocation_once_warm(block_on_table(3, 0.3, 1.0, 0.2, 3.0));
  expect_no_allocation_once_warm(box_stack(3, 12, 0.5, 0.01));  // 48 contacts: sparse fronts, wrench space
  expect_no_allocation_once_warm(sphere_pile(2, 6, 0.4));
  expect_no_allocation_once_warm(sphere_pile(3, 4, 0.3));
}

}  // namespace
}  // namespace stickslip::complementarity
