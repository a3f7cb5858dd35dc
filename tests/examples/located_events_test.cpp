// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the second-order stepper sees inside a step: impacts that are passed on, touches that end, jumps of a force.
#include "stickslip/contact/body_dynamics.h"
#include "tests/support/example_run.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace stickslip::testing {
namespace {

// The waiting discs touch up to rounding, and are hit one after the other within one step.
TEST(Cradle, LastDiscLeavesWithTheSpeedOfTheFirst) {
  for (const char* space : {"0", "1e-9", "1e-5", "0.01"})
    for (const char* step : {"1e-2", "1e-3"}) {
      const ExampleRun run("newtons-cradle", with(kSecondOrder, step, {{"space", space}}));
      EXPECT_NEAR(run["energy"], 0.5, 1e-12) << "space " << space << ", step " << step;
      // Discs that touch to the last bit may be hit together, and then share the speed.
      if (std::string(space) != "0") {
        EXPECT_NEAR(run["v4"], 1, 1e-12) << "space " << space << ", step " << step;
      }
      EXPECT_EQ(run.simulation().counters().fallbacks, 0);
    }
}

// A slab on more points than events are located for one by one falls flat, and returns its share of the speed at the
// instant of the touch; slightly tilted it touches with one end after the other, the same at every step.
TEST(Slab, ManyPointsBounce) {
  const auto fall = [](const char* step, const char* angle) {
    std::string text = R"toml(
dimension = 3
gravity = [0, 0, -10]
duration = 0.35
[method]
stepper = "second-order"
step = STEP
[[body]]
name = "floor"
fixed = true
shape = { half-space = { normal = [0, 0, 1] } }
[[body]]
name = "slab"
mass = 2
inertia = [0.1, 0.1, 0.2]
shape = { points = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [3, 1, 0], [4, 1, 0], [0, 2, 0], [1, 2, 0], [2, 2, 0], [3, 2, 0], [4, 2, 0], [0, 3, 0], [1, 3, 0], [2, 3, 0], [3, 3, 0], [4, 3, 0]] }
position = [-2, -1.5, 0.2]
orientation = { axis = [1, 2, 0], angle = ANGLE }
[[contact]]
between = ["slab", "floor"]
restitution = 0.5
friction = 0.3
[observe]
energy = "kinetic_energy() + 20 * slab.z"
speed = "slab.vz"
)toml";
    text.replace(text.find("STEP"), 4, step);
    text.replace(text.find("ANGLE"), 5, angle);
    return ExampleRun(scene::parse_scene(text, "slab.toml"));
  };
  // Touches at t = 0.2 with 2 m/s, leaves with 1 m/s: at 0.35 it falls with 0.5 m/s.
  const ExampleRun flat = fall("1e-3", "0");
  EXPECT_NEAR(flat["speed"], -0.5, 1e-12);
  EXPECT_NEAR(flat["energy"], 1, 1e-12);  // 2 kg at 1 m/s, from height 0
  const ExampleRun tilted = fall("1e-3", "1e-4"), finer = fall("1e-5", "1e-4");
  EXPECT_NEAR(tilted["speed"], finer["speed"], 1e-9);
  EXPECT_NEAR(tilted["energy"], finer["energy"], 1e-9);
  EXPECT_NEAR(tilted["speed"], -0.5, 0.01);  // the tilt's share
}

// The floor comes up, hits and is back at its place within one step.
TEST(Touch, ThatEndsWithinItsStepIsSeen) {
  const ExampleRun run(scene::parse_scene(R"toml(
dimension = 2
gravity = [0, 0]
duration = 0.01
[method]
stepper = "second-order"
step = 1e-2
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
motion = { position = [0, "0.01 * sin(100 * pi * t)"] }
[[body]]
name = "ball"
mass = 1
shape = { disc = 0.1 }
position = [0, 0.105]
[[contact]]
between = ["ball", "floor"]
[observe]
y = "ball.y"
vy = "ball.vy"
touched = "first_time(touching(ball, floor))"
)toml",
                                          "tap.toml"));
  // The gap of 5 mm is closed when sin(100 pi t) = 1/2, t = 1/600 s; the ball takes over the floor's speed there.
  const double speed = std::acos(-1.0) * std::cos(std::acos(-1.0) / 6);
  EXPECT_NEAR(run["touched"], 1.0 / 600, 1e-4);
  EXPECT_NEAR(run["vy"], speed, 0.02 * speed);
  EXPECT_GT(run["y"], 0.105);
}

TEST(Touch, OfABounceHasATime) {
  const ExampleRun ball(scene::parse_scene(R"toml(
dimension = 2
gravity = [0, -10]
duration = 0.3
[method]
stepper = "second-order"
step = 1e-2
[[body]]
name = "floor"
fixed = true
shape = { half-plane = { normal = [0, 1] } }
[[body]]
name = "ball"
mass = 1
shape = { disc = 0.1 }
position = [0, 0.29]
[[contact]]
between = ["ball", "floor"]
restitution = 1
[observe]
touched = "first_time(touching(ball, floor))"
)toml",
                                           "bounce.toml"));
  EXPECT_NEAR(ball["touched"], std::sqrt(2 * 0.19 / 10), 1e-12);
}

// A block slides down a wedge that slides away: two corners on the wedge's side, each one contact.
TEST(Wedge, NormalForceIsThatOfTheClosedForm) {
  for (const char* stepper : {kFirstOrder, kSecondOrder}) {
    const ExampleRun run(scene::parse_scene(R"toml(
dimension = 2
gravity = [0, -9.81]
duration = 0.5
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "wedge"
mass = 4
shape = { polygon = [[0, 0], [2.598076211353316, 0], [0, 1.5]] }
[[body]]
name = "block"
mass = 1
shape = { box = [0.2, 0.1] }
position = [0.28480762113533165, 1.393301270189222]
angle = -0.5235987755982988
[observe]
n = "normal_force(block, wedge)"
)toml",
                                            "wedge.toml", with(stepper, "1e-2")));
    // N = m g cos - m A sin with the wedge's acceleration A = m g sin cos / (M + m sin^2).
    const double A = 9.81 * 0.5 * std::sqrt(0.75) / 4.25;
    EXPECT_NEAR(run["n"], 9.81 * std::sqrt(0.75) - 0.5 * A, 1e-9) << stepper;
  }
}

// The contact point of a rounded box runs over its flat side within a step.
TEST(Superellipse, RollingOverAFlatSideGainsNoEnergy) {
  for (const char* exponent : {"4", "10", "20"})
    for (const char* step : {"1e-3", "2e-4"}) {
      const ExampleRun run(scene::parse_scene(R"toml(
dimension = 2
gravity = [0, -9.81]
duration = 1
[parameters]
exponent = 10
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "body"
mass = 1
inertia = 0.0166
shape = { superellipse = { a = 0.2, b = 0.1, exponent = "exponent" } }
position = [0, 0.3]
angle = 0.2
velocity = [0.3, 0]
[[contact]]
between = ["body", "floor"]
friction = 0.3
[observe]
highest = "max_over_time(kinetic_energy() + 9.81 * body.y)"
first = "initial(kinetic_energy() + 9.81 * body.y)"
)toml",
                                              "rounded.toml", with(kSecondOrder, step, {{"exponent", exponent}})));
      EXPECT_LE(run["highest"], run["first"] * (1 + 1e-3)) << "exponent " << exponent << ", step " << step;
    }
}

// A push that ends inside a step gives the impulse that it should.
TEST(Force, ThatJumpsInTimeEndsWhereItSays) {
  for (const char* step : {"1e-2", "7e-4"}) {
    const ExampleRun run(scene::parse_scene(R"toml(
dimension = 2
gravity = [0, 0]
duration = 0.1
[method]
stepper = "second-order"
[[body]]
name = "cart"
mass = 2
shape = { disc = 0.1 }
force = ["if(t > 0.0123 && t < 0.0456, 3, 0)", 0]
[observe]
v = "cart.vx"
)toml",
                                            "push.toml", Settings{{"method.step", step}}));
    EXPECT_NEAR(run["v"], 1.5 * (0.0456 - 0.0123), 1e-12) << "step " << step;
  }
}

}  // namespace
}  // namespace stickslip::testing
