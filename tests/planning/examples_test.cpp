// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The plans of examples/: solved, replayed, and held against what is known independently.
#include "tests/planning/plan_files.h"

#include <cmath>

namespace stickslip::planning {
namespace {

// Closed form: one impact with restitution 0.8, after which the ball rolls; and the throw through the air.
TEST(PlanImpact, BothClassesAreFound) {
  const Plan plan = load_example("plan-impact");
  const PlanResult result = solve(plan);
  ASSERT_EQ(result.solutions.size(), 2U);
  EXPECT_EQ(result.searches_solved, 3) << "from the launch of the scene, the straight line and the ballistic motion";
  EXPECT_EQ(result.solutions[1].origin, "ballistic");
  const auto impact = named(plan, result.solutions[0]), flight = named(plan, result.solutions[1]);
  EXPECT_NEAR(impact.at("vx"), 1.017124004, 1e-8);
  EXPECT_NEAR(impact.at("vz"), -0.9554804776, 1e-8);
  ASSERT_EQ(result.solutions[0].touches.size(), 1U);
  EXPECT_NEAR(result.solutions[0].touches[0].time, 0.25143001, 5e-4) << "h^2 g / (2 v)";
  EXPECT_NEAR(flight.at("vx"), 8.0 / 9, 1e-9);
  EXPECT_NEAR(flight.at("vz"), 1.760555556, 1e-8);
  EXPECT_TRUE(result.solutions[1].touches.empty());
  for (const Solution& solution : result.solutions) expect_replays(plan, solution);
}

TEST(PlanImpact, OtherRestitutions) {
  const auto launch = [](const char* e) {
    const Plan plan = load_example("plan-impact", {{"restitution", e}});
    return named(plan, solve(plan).solutions.at(0));
  };
  EXPECT_NEAR(launch("1").at("vz"), -0.178347264, 1e-8);
  EXPECT_NEAR(launch("0.9").at("vz"), -0.459775849, 1e-8);
  EXPECT_NEAR(launch("0.7").at("vx"), 1.058212989, 1e-8);
  EXPECT_NEAR(launch("0.5").at("vz"), -4.25614363, 1e-7);
}

// One class by bounds: only the straight line is a start within them.
TEST(PlanImpact, OneClassByBounds) {
  Plan plan = load_example("plan-impact");
  plan.unknowns[1].high = 0;
  const PlanResult result = solve(plan);
  ASSERT_EQ(result.solutions.size(), 1U);
  EXPECT_NEAR(named(plan, result.solutions[0]).at("vz"), -0.9554804776, 1e-8);
}

TEST(PlanReorient, ProtrusionTurnsThePartUpright) {
  const Plan plan = load_example("plan-reorient");
  const auto u = expect_solved(plan);
  ASSERT_FALSE(u.empty());
  EXPECT_LT(std::abs(u.at("px")), 0.08);
}

TEST(PlanThrow, LandsFlatAfterOneBounce) {
  const Plan plan = load_example("plan-throw");
  const PlanResult result = solve(plan);
  ASSERT_EQ(result.status, PlanResult::Status::Solved);
  EXPECT_EQ(result.solutions[0].touches.size(), 1U) << "one bounce";
  expect_replays(plan, result.solutions[0]);
}

// The field of the plan's goal: inward along x, outward along y.
TEST(PlanPlate, SaddleField) {
  const Plan plan = load_example("plan-plate");
  const auto u = expect_solved(plan);
  ASSERT_FALSE(u.empty());
}

TEST(PlanPush, NeedlePathBringsTheBlockToItsPose) {
  const Plan plan = load_example("plan-push");
  ASSERT_EQ(plan.unknowns.size(), 7U);
  expect_solved(plan);
}

// The height at the end is free, and as close to 0.5 as possible is wanted: the launch is the one of that height.
TEST(PlanObjective, HeightThatIsWantedButNotAsked) {
  Plan plan = load_example("plan-impact");
  plan.wanted = Wanted::One;
  plan.starts = 1;
  plan.unknowns[0].guesses = {0.4 / 0.45};
  plan.unknowns[1].guesses = {(-0.2 + 9.8 / 2 * 0.45 * 0.45) / 0.45};
  plan.conditions.pop_back();  // the height is free
  plan.objective = plan.conditions[0].left;
  plan.objective.text = "(ball.z - 0.5)^2";
  plan.has_objective = true;
  const PlanResult result = solve(plan);
  ASSERT_EQ(result.status, PlanResult::Status::Solved);
  EXPECT_NEAR(result.solutions[0].objective, 0, 1e-10);
  EXPECT_NEAR(named(plan, result.solutions[0]).at("vz"), (-0.1 + 9.8 / 2 * 0.45 * 0.45) / 0.45, 1e-4);
}

}  // namespace
}  // namespace stickslip::planning
