// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The impact of Song, Kumar and Pang 2005, IV.B on a compliant floor. Launch velocities by shooting with event-driven
// integration of the continuous law (residual below 1e-11), for C = 2 sqrt(10) = 6.3246 and K = 1e4.
#include "stickslip/simulation/simulation.h"
#include "tests/planning/plan_files.h"

namespace stickslip::planning {
namespace {

TEST(PlanCompliantImpact, BothClassesAreFound) {
  const Plan plan = load_example("plan-impact/compliant.toml", {{"damping", "2 * sqrt(10)"}});
  const PlanResult result = solve(plan);
  ASSERT_EQ(result.solutions.size(), 2U);
  const auto impact = named(plan, result.solutions[0]), flight = named(plan, result.solutions[1]);
  EXPECT_NEAR(impact.at("vx"), 0.991100679, 1e-6);
  EXPECT_NEAR(impact.at("vz"), -1.036402649, 1e-6);
  ASSERT_EQ(result.solutions[0].touches.size(), 1U);
  EXPECT_NEAR(result.solutions[0].touches[0].time, 0.2455694, 1e-7);
  EXPECT_NEAR(flight.at("vx"), 8.0 / 9, 1e-9);
  EXPECT_NEAR(flight.at("vz"), 1.760555556, 1e-8);
  for (const Solution& solution : result.solutions) expect_replays(plan, solution);
}

// All parts of all steps together are fewer than a hundred.
TEST(PlanCompliantImpact, TakesFewSteps) {
  const Plan plan = load_example("plan-impact/compliant.toml");
  const std::vector<double> launch{0.991100679, -1.036402649};
  const scene::Scene scene = scene_at(plan, launch);
  simulation::Simulation run(scene.model, scene.method);
  int parts = 0;
  ASSERT_TRUE(run.run_until(scene.duration, [&](const simulation::Simulation& now) {
    parts += now.last_report().sub_steps;
    return true;
  }));
  EXPECT_LE(parts, 100);
}

}  // namespace
}  // namespace stickslip::planning
