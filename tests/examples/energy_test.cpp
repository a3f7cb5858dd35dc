// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Crowds: spheres and boxes that fall on each other. Every step is certified, no step gains energy, nothing sinks in.
#include "stickslip/contact/body_dynamics.h"
#include "tests/support/example_run.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace stickslip::testing {
namespace {

constexpr const char* kBoxes = R"toml(
dimension = 3
gravity = [0, 0, -9.81]
duration = 0.7
[parameters]
seed = 0
[method]
step = 1e-3
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "box"
count = 6
density = 1000
shape = { box = [0.1, 0.08, 0.06] }
position = ["0.06 * random(index, seed + 1)", "0.06 * random(index, seed + 2)", "0.12 + 0.14 * index"]
velocity = ["random(index, seed + 3) - 0.5", "random(index, seed + 4) - 0.5", 0]
angular_velocity = ["6 * random(index, seed + 5) - 3", "6 * random(index, seed + 6) - 3", "6 * random(index, seed + 7) - 3"]
[[contact]]
between = ["*", "*"]
friction = 0.4
)toml";

// The largest gain of energy in a step, relative to the energy at the start.
void expect_no_gain(const scene::Scene& scene, const std::string& what) {
  simulation::Simulation simulation(scene.model, scene.method);
  const auto energy = [&] {
    return contact::kinetic_energy(scene.model, simulation.state()) +
           contact::potential_energy(scene.model, simulation.state());
  };
  const double start = energy();
  double before = start, worst = 0;
  EXPECT_TRUE(simulation.run_until(scene.duration,
                                   [&](const simulation::Simulation&) {
                                     const double now = energy();
                                     worst = std::max(worst, now - before);
                                     before = now;
                                     return true;
                                   }))
      << what << ", t = " << simulation.time();
  // Feature pairs that come into reach within a step are seen when they overlap a little, and are pushed apart.
  EXPECT_LE(worst, 1e-4 * start) << what;
  EXPECT_LT(before, start) << what;
  double deepest = 0;
  for (const contact::ContactResult& contact : simulation.contacts()) deepest = std::min(deepest, contact.contact.gap);
  EXPECT_GE(deepest, -1e-4) << what;
}

class Crowd : public ::testing::TestWithParam<const char*> {};

TEST_P(Crowd, FallingSpheresGainNoEnergy) {
  expect_no_gain(load_example("pile", with(GetParam(), "1e-3", {{"n", "10"}, {"duration", "0.6"}})), GetParam());
}

TEST_P(Crowd, FallingBoxesGainNoEnergy) {
  for (const char* seed : {"0", "10", "20"}) {
    const Settings settings = with(GetParam(), "1e-3", {{"seed", seed}});
    expect_no_gain(scene::parse_scene(kBoxes, "boxes.toml", settings), std::string(GetParam()) + ", seed " + seed);
  }
}

// A box that lands nearly flat on a line: its second corner follows the first within the same step, faster than the box
// fell. It must not pass a line without thickness.
TEST_P(Crowd, NothingFallsThroughAChain) {
  for (const char* angle : {"0.5", "0.55", "0.59", "0.6", "0.605", "0.61", "0.62", "0.63", "0.7"}) {
    const ExampleRun box(scene::parse_scene(R"toml(
dimension = 2
gravity = [0, -9.81]
duration = 1
[parameters]
angle = 0
[[body]]
name = "track"
fixed = true
shape = { chain = [[-2, 1], [-1, 0.3], [0, 0], [1, 0.3], [2, 1]] }
[[body]]
name = "box"
density = 10
shape = { box = [0.2, 0.1] }
position = [1.4, 0.9]
angle = "angle"
[[contact]]
between = ["*", "*"]
friction = 0.2
[observe]
lowest = "min_over_time(box.y)"
)toml",
                                            "chain.toml", with(GetParam(), "1e-3", {{"angle", angle}})));
    EXPECT_GT(box["lowest"], 0.04) << "angle " << angle;
  }
}

INSTANTIATE_TEST_SUITE_P(Steppers, Crowd, ::testing::Values(kFirstOrder, kSecondOrder),
                         [](const auto& which) { return which.index == 0 ? "FirstOrder" : "SecondOrder"; });

// A rod whose slip reverses in the impact: Newton's law alone would end with 4.74 J.
TEST(Rod, LocatedImpactGainsNoEnergy) {
  const ExampleRun rod(scene::parse_scene(R"toml(
dimension = 2
gravity = [0, 0]
duration = 0.5
[method]
stepper = "second-order"
step = 1e-3
[[body]]
name = "floor"
fixed = true
shape = { half-plane = { normal = [0, 1] } }
[[body]]
name = "rod"
mass = 1
shape = { box = [1, 0.02] }
position = [0, 0.8]
angle = 0.7
velocity = [-1, -2]
angular_velocity = -6
[[contact]]
between = ["rod", "floor"]
restitution = 0.9
friction = 0.8
[observe]
before = "initial(kinetic_energy())"
after = "kinetic_energy()"
)toml",
                                          "rod.toml"));
  EXPECT_NEAR(rod["before"], 4.0006, 1e-12);
  EXPECT_LE(rod["after"], rod["before"] * (1 + 1e-9));
  EXPECT_GE(rod["after"], 0.99 * rod["before"]) << "no more is taken back than needed";
}

}  // namespace
}  // namespace stickslip::testing
