// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The disk of Song, Kumar and Pang 2005, IV.A: the launch with which backspin turns into rolling and the disk arrives
// in time. Values of 21, 22, 220 implicit steps by an independent Newton; exact ones in closed form (g = 9.8).
#include "tests/planning/plan_files.h"

namespace stickslip::planning {
namespace {

double launch(const char* steps) {
  return expect_solved(load_example("plan-disk", {{"steps", steps}})).at("v0");
}

TEST(PlanDisk, ImplicitSteps) {
  EXPECT_NEAR(launch("21"), 1.252860, 1e-6);
  EXPECT_NEAR(launch("22"), 1.252029091, 1e-9);
  EXPECT_NEAR(launch("220"), 1.241311913, 1e-9);
  EXPECT_NEAR(launch("2200"), 1.240222871, 1e-9);
}

TEST(PlanDisk, WholeTrajectory) {
  for (const char* steps : {"22", "220"}) {
    Plan plan = load_example("plan-disk", {{"steps", steps}});
    plan.method = SearchMethod::Whole;
    const PlanResult result = solve(plan);
    ASSERT_EQ(result.status, PlanResult::Status::Solved) << steps << ' ' << result.violation;
    EXPECT_NEAR(named(plan, result.solutions[0]).at("v0"), launch(steps), 1e-9);
  }
}

// Error 12 h: two step sizes extrapolate to the closed form.
TEST(PlanDisk, ConvergesToTheClosedForm) {
  EXPECT_NEAR(2 * launch("2200") - launch("1100"), 1.24010192724, 1e-6);
}

TEST(PlanDisk, RollsFromTheInstantOfTheClosedForm) {
  const PlanResult result = solve(load_example("plan-disk", {{"steps", "2200"}}));
  ASSERT_EQ(result.solutions.size(), 1U);
  ASSERT_EQ(result.solutions[0].modes.size(), 2U);
  EXPECT_NEAR(result.solutions[0].modes[1].begin, 0.0113954245514, 1.1e-5);
}

}  // namespace
}  // namespace stickslip::planning
