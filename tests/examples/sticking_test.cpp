// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What should stick sticks exactly: examples/incline, pinch, stack and pile, with both steppers.
#include "tests/support/example_run.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

#include <string>

namespace stickslip::testing {
namespace {

class Sticking : public ::testing::TestWithParam<const char*> {};

TEST_P(Sticking, BoxOnASlopeDoesNotMove) {
  for (const char* h : {"1e-2", "1e-3"}) {
    const ExampleRun run("incline", with(GetParam(), h, {{"tangent", "0.5"}, {"mu", "0.6"}}));
    EXPECT_LE(std::fabs(run["slide"]), 1e-12) << h;
    EXPECT_LE(std::fabs(run["sink"]), 1e-12) << h;
  }
}

TEST_P(Sticking, BoxBetweenJawsDoesNotDrop) {
  for (const char* h : {"1e-2", "1e-3"}) {
    const ExampleRun run("pinch", with(GetParam(), h, {{"force", "20"}, {"mu", "1"}}));
    EXPECT_LE(std::fabs(run["drop"]), 1e-12) << h;
  }
}

TEST_P(Sticking, MassDoesNotMatter) {
  for (const char* mass : {"1e-6", "1e6"}) {
    const ExampleRun run("incline", with(GetParam(), "1e-3", {{"mass", mass}, {"duration", "1"}}));
    EXPECT_LE(std::fabs(run["slide"]), 1e-12) << mass;
  }
}

// a = g (sin - mu cos) with tan = mu (1 + 1e-9): 10 s at this acceleration are g cos mu 1e-9 50 s^2 = 2.52e-7 m.
TEST_P(Sticking, BreaksAwayBetweenOnePartInABillionBelowAndAbove) {
  const ExampleRun below("incline", with(GetParam(), "1e-3", {{"mu", "0.6"}, {"tangent", "0.6 * (1 - 1e-9)"}}));
  EXPECT_LE(std::fabs(below["slide"]), 1e-12);
  const ExampleRun above("incline", with(GetParam(), "1e-3", {{"mu", "0.6"}, {"tangent", "0.6 * (1 + 1e-9)"}}));
  const double expected = 9.81 / std::sqrt(1.36) * 0.6e-9 * 50;
  EXPECT_NEAR(above["slide"], expected, 1e-3 * expected);
}

// Slides with the constant acceleration of the textbook, exactly up to the position update's h/2 v at first order.
TEST_P(Sticking, BoxSlidesDownASteepSlope) {
  const ExampleRun run("incline", with(GetParam(), "1e-3", {{"mu", "0.3"}, {"tangent", "0.5"}, {"duration", "1"}}));
  const double a = 9.81 / std::sqrt(1.25) * (0.5 - 0.3);
  const bool first = std::string(GetParam()) == kFirstOrder;
  EXPECT_NEAR(run["slide"], 0.5 * a, first ? 0.51e-3 * a : 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Steppers, Sticking, ::testing::Values(kFirstOrder, kSecondOrder),
                         [](const auto& which) { return which.index == 0 ? "FirstOrder" : "SecondOrder"; });

// A box on two corners under a push that grows: which corner bears how much of it is not unique, and neither may be
// given kinetic friction before both together are at the end of static friction, t = mu_s m g / 30.
TEST_P(Sticking, BoxOnTwoCornersBreaksAwayAtStaticFriction) {
  const char* text = R"toml(
dimension = 2
gravity = [0, -9.81]
duration = 0.6
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "box"
mass = 2
shape = { box = [2, 0.1] }
position = [0, 0.05]
force = ["30 * t", 0]
[[contact]]
between = ["box", "floor"]
friction = { static = 0.6, kinetic = 0.4 }
[observe]
t_slip = "first_time(sliding(box, floor))"
)toml";
  for (const char* step : {"1e-2", "1e-3"}) {
    const ExampleRun run(scene::parse_scene(text, "ramp.toml", with(GetParam(), step)));
    EXPECT_NEAR(run["t_slip"], 0.6 * 2 * 9.81 / 30, 2 * std::stod(step)) << "step " << step;
  }
}

class StackOf : public ::testing::TestWithParam<int> {};

TEST_P(StackOf, BoxesAtRestReadStick) {
  const ExampleRun run("stack", {{"n", std::to_string(GetParam())}, {"duration", "0.3"}});
  EXPECT_EQ(run["kinetic_energy"], 0);
  EXPECT_LE(run["worst_penetration"], 1e-12);
  // One interval per pair of neighbours: never anything but stick.
  EXPECT_TRUE(run.simulation().timeline().finished().empty());
  ASSERT_EQ(run.simulation().timeline().current().size(), static_cast<std::size_t>(GetParam()));
  for (const auto& interval : run.simulation().timeline().current()) {
    EXPECT_EQ(interval.mode, contact::Mode::Stick) << interval.body_a << " on " << interval.body_b;
    EXPECT_EQ(interval.begin, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Boxes, StackOf, ::testing::Values(2, 5, 7, 10, 12));

TEST(Pile, ComesToRest) {
  const ExampleRun run("pile", {{"n", "10"}});
  // The scene asks for a certificate of 1e-6: velocities known to 1e-6 g h = 1e-8 m/s, ten balls of 0.5 kg.
  EXPECT_LE(run["kinetic_energy"], 5e-16);
  EXPECT_LE(run["worst_penetration"], 1e-6);
}

// After settling, not one bit of the state changes.
void expect_constant_bits(std::int64_t steps) {
  const scene::Scene scene = load_example("incline", {{"method.step", "1e-2"}});
  simulation::Simulation simulation(scene.model, scene.method);
  ASSERT_TRUE(simulation.run_until(0.1));
  const std::string settled = bits(simulation.state());
  for (std::int64_t k = 0; k < steps; ++k)
    if (!simulation.step().certified) FAIL() << simulation.time();
  EXPECT_EQ(bits(simulation.state()), settled);
}

TEST(Rest, BoxKeepsItsBits) {
  expect_constant_bits(20000);
}

TEST(Rest, SlowBoxKeepsItsBitsForTenHours) {
  expect_constant_bits(3600000);
}

}  // namespace
}  // namespace stickslip::testing
