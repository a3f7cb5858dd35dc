// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The ball of Song, Kumar and Pang 2005, IV.B: launch velocities for a target, through the change from sliding to
// rolling. The values of 100 and 101 implicit steps and the exact ones were computed independently (closed form; Newton
// on the scheme).
#include "stickslip/planning/whole_trajectory.h"
#include "stickslip/sensitivity/run_sensitivity.h"
#include "stickslip/simulation/simulation.h"
#include "tests/planning/plan_files.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace stickslip::planning {
namespace {

TEST(PlanBall, HundredImplicitSteps) {
  const auto v = expect_solved(load_example("plan-ball"));
  EXPECT_NEAR(v.at("vx"), 1.544679596, 1e-8);
  EXPECT_NEAR(v.at("vy"), 0.4174456165, 1e-8);
}

TEST(PlanBall, HundredAndOneImplicitSteps) {
  const auto v = expect_solved(load_example("plan-ball", {{"steps", "101"}, {"duration", "1.01"}}));
  EXPECT_NEAR(v.at("vx"), 1.534684455, 1e-8);
  EXPECT_NEAR(v.at("vy"), 0.421191121, 1e-8);
}

// First order in the step, and two step sizes extrapolate to the exact launch.
TEST(PlanBall, ConvergesToTheExactLaunch) {
  const auto at = [](const char* steps) { return expect_solved(load_example("plan-ball", {{"steps", steps}})); };
  const auto coarse = at("500"), fine = at("1000");
  EXPECT_NEAR(fine.at("vx"), 1.54046563957, 0.5e-3);
  EXPECT_NEAR(2 * fine.at("vx") - coarse.at("vx"), 1.54046563957, 2e-5);
  EXPECT_NEAR(2 * fine.at("vy") - coarse.at("vy"), 0.413442357591, 2e-5);
}

// The end of the run with (1, 0.5) as the target gives that launch back.
TEST(PlanBall, ConsistencyWithTheInitialValueProblem) {
  const Plan plan = load_example("plan-ball", {{"steps", "101"}, {"duration", "1.01"}});
  const std::vector<double> launch{1, 0.5};
  const scene::Scene scene = scene_at(plan, launch);
  simulation::Simulation run(scene.model, scene.method);
  ASSERT_TRUE(run.run_until(scene.duration));
  const Vec3 end = run.state().bodies[1].pose.position;
  EXPECT_NEAR(end.x(), 0.5633564, 1e-7) << "101 implicit steps, computed independently";
  EXPECT_NEAR(end.y(), -0.0533045, 1e-7);
  const auto v = expect_solved(load_example(
      "plan-ball", {{"steps", "101"}, {"duration", "1.01"}, set("target_x", end.x()), set("target_y", end.y())}));
  EXPECT_NEAR(v.at("vx"), 1, 1e-8);
  EXPECT_NEAR(v.at("vy"), 0.5, 1e-8);
}

// Targets that launches in [-2, 2]^2 reach: all are found from the same cold start (0, 0).
void solve_random_targets(int count, int steps) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> speed(-2, 2);
  const Settings grid{{"steps", std::to_string(steps)}};
  const Plan any = load_example("plan-ball", grid);
  for (int i = 0; i < count; ++i) {
    const std::vector<double> launch{speed(random), speed(random)};
    const scene::Scene scene = scene_at(any, launch);
    simulation::Simulation run(scene.model, scene.method);
    ASSERT_TRUE(run.run_until(scene.duration));
    const Vec3 end = run.state().bodies[1].pose.position;
    Settings settings = grid;
    settings.push_back(set("target_x", end.x()));
    settings.push_back(set("target_y", end.y()));
    const auto v = expect_solved(load_example("plan-ball", settings));
    ASSERT_FALSE(v.empty()) << "launch " << launch[0] << ", " << launch[1];
    EXPECT_NEAR(v.at("vx"), launch[0], 1e-6);
    EXPECT_NEAR(v.at("vy"), launch[1], 1e-6);
  }
}

TEST(PlanBall, TwoHundredRandomTargets) {
  solve_random_targets(200, 100);
}

TEST(SlowPlanBall, HundredRandomTargetsOfAThousandSteps) {
  solve_random_targets(100, 1000);
}

// The form of Song, Kumar and Pang 2005, one complementarity problem for all steps, has the same solution.
TEST(PlanBall, WholeTrajectory) {
  Plan plan = load_example("plan-ball");
  plan.method = SearchMethod::Whole;
  const PlanResult result = solve(plan);
  ASSERT_EQ(result.status, PlanResult::Status::Solved) << result.violated << ' ' << result.violation;
  EXPECT_EQ(result.method, "whole");
  EXPECT_NEAR(named(plan, result.solutions[0]).at("vx"), 1.544679596, 1e-8);
  EXPECT_NEAR(named(plan, result.solutions[0]).at("vy"), 0.4174456165, 1e-8);
  expect_replays(plan, result.solutions[0]);
}

// Equation 10 of the same paper: the contact gives way, and its deformations are carried through all steps. The launches
// are those of a recurrence of one contact worked out by hand (normal and tangential impulse of each step in closed
// form) and Newton's method on it; its digits end at 1e-12. Stiff, it is the rigid one.
TEST(PlanBall, WholeTrajectoryOnAFloorThatGivesWay) {
  struct Case {
    const char* stiffness;
    double vx, vy;
  };
  for (const auto& [stiffness, vx, vy] :
       {Case{"1e4", 1.544655991639, 0.417423192057}, Case{"300", 1.543897231751, 0.416702370163},
        Case{"1e9", 1.544679596035, 0.417445616234}}) {
    const Plan plan = load_example("papers/001/whole.toml", {{"stiffness", stiffness}});
    Shooter shooter(plan);
    const SearchResult found = solve_whole(plan, shooter, Eigen::VectorXd::Zero(2));
    EXPECT_EQ(found.ending, SearchResult::Ending::Solved) << stiffness;
    EXPECT_NEAR(found.unknowns[0], vx, 1e-9) << stiffness;
    EXPECT_NEAR(found.unknowns[1], vy, 1e-9) << stiffness;
    EXPECT_LE(found.worst_residual, 1e-11) << stiffness;
    EXPECT_LE(found.iterations, 30) << "Newton's method with exact derivatives";
    const PlanResult result = solve(plan);
    ASSERT_EQ(result.status, PlanResult::Status::Solved) << stiffness;
    expect_replays(plan, result.solutions[0]);
  }
}

// The launch depends on the damping, and the search by runs of the stepper itself finds the same one.
TEST(PlanBall, WholeTrajectoryFeelsTheDamping) {
  const auto launch = [](const char* damping) {
    const Plan plan = load_example("papers/001/whole.toml", {{"stiffness", "300"}, {"damping", damping}});
    Shooter shooter(plan);
    const SearchResult whole = solve_whole(plan, shooter, Eigen::VectorXd::Zero(2));
    EXPECT_EQ(whole.ending, SearchResult::Ending::Solved) << damping;
    const SearchResult shot = search(plan, shooter, Eigen::VectorXd::Zero(2));  // runs of the stepper itself
    EXPECT_LE((whole.unknowns - shot.unknowns).norm(), 1e-7) << damping;
    return whole.unknowns[0];
  };
  EXPECT_GT(std::fabs(launch("1") - launch("100")), 1e-5);
}

TEST(PlanBall, WholeTrajectoryRefusesWhatItDoesNotKnow) {
  for (const auto& [key, value, words] :
       {std::tuple{"method.gamma", "1e-6", "smoothed cone"}, std::tuple{"method.gap_step", "1e-6", "gap_step"}}) {
    const Plan plan = load_example("papers/001/whole.toml", {{key, value}});
    Shooter shooter(plan);
    EXPECT_THAT(objection_to_whole(plan, shooter.scene()), ::testing::HasSubstr(words));
  }
}

TEST(PlanBall, SlidesThenRolls) {
  const PlanResult result = solve(load_example("plan-ball"));
  ASSERT_EQ(result.solutions.size(), 1U);
  const auto& modes = result.solutions[0].modes;
  ASSERT_EQ(modes.size(), 2U);
  EXPECT_EQ(modes[0].mode, contact::Mode::Slide);
  EXPECT_EQ(modes[1].mode, contact::Mode::Roll);
  EXPECT_NEAR(modes[1].begin, 0.5108, 0.011) << "exact; within a step";
  EXPECT_EQ(result.derivatives, "exact");
  EXPECT_LE(result.solutions[0].dynamics, 1e-9);
}

}  // namespace
}  // namespace stickslip::planning
