// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Visco-elastic contacts by the runge-kutta stepper against event-driven integration of the same law (order 8, errors
// below 2e-9), and what holds whatever the step.
#include "tests/support/example_run.h"

#include <cmath>

namespace stickslip {
namespace {

using testing::ExampleRun;
using testing::with;

// Four impacts, and the end to seven digits with a hundred steps: the error of a part is at most 1e-7 of the speed.
TEST(RungeKutta, BallThatBouncesFourTimes) {
  for (const char* step : {"1e-2", "1e-3"}) {
    const ExampleRun end("bounce", with("runge-kutta", step));
    EXPECT_NEAR(end.at("x"), .368392538, 5e-8) << step;
    EXPECT_NEAR(end.at("y"), -.263214925, 5e-8) << step;
    EXPECT_NEAR(end.at("z"), .070112794, 2e-7) << step;
  }
}

TEST(RungeKutta, BallThatHardlyBounces) {
  const ExampleRun end("bounce", with("runge-kutta", "1e-2", {{"damping", "sqrt(200000)"}}));
  EXPECT_NEAR(end.at("x"), .382169095, 2e-9);
  EXPECT_NEAR(end.at("y"), -.235661810, 2e-9);
  EXPECT_NEAR(end.at("z"), .049960800, 1e-9);
  const ExampleRun rough("bounce", with("runge-kutta", "1e-2", {{"damping", "sqrt(200000)"}, {"mu", "0.5"}}));
  EXPECT_NEAR(rough.at("x"), .382138592, 2e-9);
  EXPECT_NEAR(rough.at("y"), -.235722815, 2e-9);
}

// Corners that land, slip and stick one after the other, in the plane.
TEST(RungeKutta, PegEndsWhereTheReferenceEnds) {
  const auto x = [](const char* damping, const char* mu) {
    return ExampleRun("peg", with("runge-kutta", "1e-3", {{"damping", damping}, {"mu", mu}, {"duration", "0.4"}}))
        .at("x");
  };
  EXPECT_NEAR(x("sqrt(200000)", "1"), .03165035, 5e-8);
  EXPECT_NEAR(x("sqrt(200000)", "0.2"), .01861008, 5e-8);
  EXPECT_NEAR(x("sqrt(200000)", "0"), 0, 1e-12);           // nothing pushes sideways
  EXPECT_NEAR(x("1000 * sqrt(2)", "1"), .03160842, 3e-7);  // stiffer: more parts
}

// Settled, the layer carries the weight: deformation m g / K.
TEST(RungeKutta, ComesToRestWhereTheSpringCarriesTheWeight) {
  const ExampleRun end("bounce", with("runge-kutta", "1e-2", {{"damping", "sqrt(200000)"}, {"duration", "3"}}));
  EXPECT_NEAR(end.at("z"), 0.05 - 0.2 * 9.8 / 5e4, 1e-12);
}

// A box sinks into a floor by far more than it moves in a step, and swings: a chain is as good a floor as a half-plane.
TEST(RungeKutta, ChainCarriesWhatSinksIntoIt) {
  const auto at_the_end = [](const char* floor) {
    const std::string text = std::string(R"(
dimension = 2
gravity = [0, -9.81]
duration = 0.05
[method]
stepper = "runge-kutta"
step = 3e-4
[[body]]
name = "floor"
fixed = true
shape = )") + floor + R"(
[[body]]
name = "box"
mass = 3.849
shape = { box = [0.34297, 0.4898] }
position = [0, 0.2449]
velocity = [0.1, 0]
[[contact]]
between = ["*", "*"]
friction = 0.5
stiffness = 2e4
damping = 20
[observe]
x = "box.x"
y = "box.y"
)";
    return ExampleRun(scene::parse_scene(text, "test.toml"));
  };
  const ExampleRun chain = at_the_end("{ chain = [[-20, 0], [-1, 0], [1.5, 0], [20, 0]] }"),
                   plane = at_the_end("{ half-plane = { normal = [0, 1] } }");
  EXPECT_NEAR(chain.at("x"), plane.at("x"), 1e-12);
  EXPECT_NEAR(chain.at("y"), plane.at("y"), 1e-12);
  // m y'' = -m g - 2 k d - 2 c d' with d = 0 at the start: near its lowest point after half a period of 0.0616 s.
  const double k = 4e4 / 3.849, c = 40 / 3.849, w = std::sqrt(k - 0.25 * c * c), t = 0.05, rest = 9.81 / k;
  const double sunk = rest * (1 - std::exp(-0.5 * c * t) * (std::cos(w * t) + 0.5 * c / w * std::sin(w * t)));
  EXPECT_NEAR(0.2449 - plane.at("y"), sunk, 1e-4 * sunk + 1e-5) << "friction turns it a little";
}

TEST(RungeKutta, RefusesWhatItDoesNotKnow) {
  const auto objection = [](const char* example) {
    const scene::Scene scene = testing::load_example(example);
    stepping::Method method = scene.method;
    method.stepper = "runge-kutta";
    return stepping::objection_to(method, scene.model);
  };
  EXPECT_NE(objection("incline").find("stiffness"), std::string::npos);
  EXPECT_NE(objection("needle-push").find("only dynamic motion"), std::string::npos);
  EXPECT_EQ(objection("bounce"), "");
}

}  // namespace
}  // namespace stickslip
