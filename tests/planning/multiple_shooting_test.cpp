// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A disk rolls over the top of a hump, where every change of the launch grows ten-thousandfold: shooting with whole
// runs finds nothing from there, segments that are fitted together do.
#include "tests/planning/plan_files.h"

namespace stickslip::planning {
namespace {

TEST(PlanHump, FittedSegmentsFindWhatWholeRunsDoNot) {
  Plan plan = load_example("plan-hump");
  plan.method = SearchMethod::Shooting;
  EXPECT_EQ(solve(plan).status, PlanResult::Status::NotFound);
  plan.method = SearchMethod::Auto;
  const PlanResult result = solve(plan);
  ASSERT_EQ(result.status, PlanResult::Status::Solved) << result.violation << ' ' << result.cause;
  EXPECT_EQ(result.method, "multiple-shooting");
  EXPECT_GT(std::abs(result.solutions[0].influence(0, 0)), 1e3) << "the motion is unstable";
  expect_replays(plan, result.solutions[0]);
}

// Energy at the launch is that at the top, and a little more: rolling, 3/4 m v^2 = m g (R + r) (1 - cos a).
TEST(PlanHump, LaunchIsJustEnoughForTheTop) {
  const Plan plan = load_example("plan-hump", {{"steps", "1600"}});
  const double v = expect_solved(plan).at("v");
  EXPECT_NEAR(v, std::sqrt(4.0 / 3 * 9.8 * 1.1 * (1 - std::cos(0.3))), 2e-2);
}

// The launch of the equation of motion of a rolling disk, 3/2 (R + r) theta'' = g sin(theta), theta(4 s) = 0.3: integrated
// by Runge-Kutta of fourth order with 40000 steps, and bisection. What is off by 1e-6 ends 3e-3 rad elsewhere.
TEST(PlanHump, SecondOrderFindsTheLaunchOfTheEquationOfMotion) {
  const Plan plan = load_example("plan-hump/located.toml");
  EXPECT_NEAR(expect_solved(plan).at("v"), 0.8013208990899849, 1e-6);
}

// Where shooting works, segments lead to the same motion.
TEST(MultipleShooting, FindsTheSameLaunches) {
  Plan disk = load_example("plan-disk");
  disk.method = SearchMethod::Multiple;
  EXPECT_NEAR(expect_solved(disk).at("v0"), 1.252860, 1e-6);
  Plan ball = load_example("plan-ball");
  ball.method = SearchMethod::Multiple;
  EXPECT_NEAR(expect_solved(ball).at("vx"), 1.544679596, 1e-8);
}

}  // namespace
}  // namespace stickslip::planning
