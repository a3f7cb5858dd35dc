// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Components that rest are skipped by second-order steps: with the same bits as if they were solved, until something comes near.
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <gtest/gtest.h>

#include <cstring>

namespace stickslip::testing {
namespace {

// Two stacks; a ball rolls away, and one falls onto the first stack half way through.
constexpr const char* kStacks = R"(
dimension = 3
gravity = [0, 0, -10]
duration = 1
[method]
stepper = "second-order"
step = 2e-3
[[body]]
name = "floor"
fixed = true
shape = { half-space = { normal = [0, 0, 1] } }
[[body]]
name = "a"
count = 2
mass = 1
shape = { box = [0.4, 0.3, 0.2] }
position = [0, 0, "0.1 + 0.2 * index"]
[[body]]
name = "b"
count = 3
mass = 1
shape = { box = [0.4, 0.3, 0.2] }
position = [2, 0, "0.1 + 0.2 * index"]
[[body]]
name = "ball"
mass = 0.3
shape = { sphere = 0.05 }
position = [0.05, 0.02, 1.7]
[[body]]
name = "roller"
mass = 0.3
shape = { sphere = 0.05 }
position = [5, 0, 0.05]
velocity = [1, 0, 0]
[[contact]]
between = ["*", "*"]
friction = 0.5
)";

std::int64_t bits(double x) {
  std::int64_t out = 0;
  std::memcpy(&out, &x, sizeof out);
  return out;
}

TEST(RestingComponents, AreSkippedWithTheSameBitsUntilABallFallsOnThem) {
  const scene::Scene skipped = scene::parse_scene(kStacks, "stacks.toml");
  const scene::Scene solved = scene::parse_scene(kStacks, "stacks.toml", {{{"method.rest", "solved"}}});
  simulation::Simulation a(skipped.model, skipped.method), b(solved.model, solved.method);
  int solves_a = 0, solves_b = 0, before_a = 0;
  for (int step = 0; step < 500; ++step) {
    const auto report_a = a.step(), report_b = b.step();
    ASSERT_TRUE(report_a.certified && report_b.certified) << step;
    solves_a += report_a.solves, solves_b += report_b.solves;
    if (step == 200) before_a = solves_a;
    for (std::size_t k = 0; k < skipped.model.bodies.size(); ++k) {
      const model::BodyState &x = a.state().bodies[k], &y = b.state().bodies[k];
      for (int d = 0; d < 3; ++d) {
        ASSERT_EQ(bits(x.pose.position[d]), bits(y.pose.position[d])) << step << ' ' << skipped.model.bodies[k].name;
        ASSERT_EQ(bits(x.velocity.linear[d]), bits(y.velocity.linear[d]))
            << step << ' ' << skipped.model.bodies[k].name;
        ASSERT_EQ(bits(x.velocity.angular[d]), bits(y.velocity.angular[d])) << step;
      }
    }
    ASSERT_EQ(a.contacts().size(), b.contacts().size());
    for (std::size_t c = 0; c < a.contacts().size(); ++c)
      for (int d = 0; d < 3; ++d) ASSERT_EQ(a.contacts()[c].force[d], b.contacts()[c].force[d]) << step;
  }
  // The roller is solved in every step; the stacks are not while they rest: two more problems in each of the first 200 steps.
  EXPECT_LE(before_a, 1.2 * 200);
  EXPECT_GE(solves_b, solves_a + 2 * 150);
  EXPECT_LT(std::fabs(a.state().bodies[1].pose.position.z() - 0.1), 1e-6);
}

}  // namespace
}  // namespace stickslip::testing
