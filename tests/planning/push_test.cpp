// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pushing plans: poses that random needle paths reach, found again within 12 starts.
#include "stickslip/runs/observer.h"
#include "stickslip/simulation/simulation.h"
#include "tests/planning/plan_files.h"

#include <random>

namespace stickslip::planning {
namespace {

// The observables at the end of a run, by name.
std::map<std::string, double> observe(const scene::Scene& scene) {
  simulation::Simulation run(scene.model, scene.method);
  runs::Observer observer(scene);
  const auto advance = [&] { observer.advance({run.state(), run.contacts(), {}}); };
  advance();
  EXPECT_TRUE(run.run_until(scene.duration, [&](const simulation::Simulation&) {
    advance();
    return true;
  }));
  std::vector<double> values(scene.observables.size());
  observer.evaluate({run.state(), run.contacts(), {}}, values);
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < values.size(); ++i) named[scene.observables[i].name] = values[i];
  return named;
}

void find_random_poses(int count, int segments) {
  const Settings path{{"segments", std::to_string(segments)}};
  const Plan any = load_example("plan-push", path);
  std::mt19937_64 random(static_cast<std::uint64_t>(segments));
  std::uniform_real_distribution<double> offset(-0.7, 0.7), sideways(-0.06, 0.06), forward(0.04, 0.14);
  for (int goals = 0; goals < count;) {
    std::vector<double> u{offset(random)};
    for (int i = 0; i < segments; ++i) u.push_back(sideways(random));
    for (int i = 0; i < segments; ++i) u.push_back(forward(random));
    const auto reached = observe(scene_at(any, u));
    if (reached.at("off_edge") > 0.95) continue;  // the needle left the edge: not reachable in this way
    ++goals;
    Settings settings = path;
    for (const char* name : {"x", "y", "angle"}) settings.push_back(set(std::string("goal_") + name, reached.at(name)));
    const Plan plan = load_example("plan-push", settings);
    const PlanResult result = solve(plan);
    ASSERT_EQ(result.status, PlanResult::Status::Solved)
        << segments << " segments, goal " << goals << ": \"" << result.violated << "\" by " << result.violation;
    EXPECT_LE(result.starts, 12);
    const Solution& solution = result.solutions[0];
    const auto replayed = observe(scene_at(plan, {solution.unknowns.data(), plan.unknowns.size()}));
    EXPECT_LT(replayed.at("off_edge"), 1) << "the needle stays on the edge";
    for (const char* name : {"x", "y", "angle"}) EXPECT_NEAR(replayed.at(name), reached.at(name), 1e-6) << name;
  }
}

TEST(PlanPushPoses, TwoSegments) {
  find_random_poses(5, 2);
}

TEST(SlowPlanPushPoses, FiftyPosesOfTwoToFiveSegments) {
  for (const int segments : {2, 3, 4, 5}) find_random_poses(50, segments);
}

}  // namespace
}  // namespace stickslip::planning
