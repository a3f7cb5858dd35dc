// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Bodies at rest are left out of steps until something disturbs them, and no bit of any run changes by it: every scene
// runs twice, with rest skipped and solved, and the states are compared after each step.
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"
#include "tests/support/example_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

namespace stickslip::testing {
namespace {

using scene::Scene;
using simulation::Simulation;

bool same_bits(const Vec3& x, const Vec3& y) {
  return std::memcmp(x.data(), y.data(), 3 * sizeof(double)) == 0;
}

// Empty, or the first body that differs.
std::string difference(const Simulation& x, const Simulation& y) {
  for (std::size_t i = 0; i < x.state().bodies.size(); ++i) {
    const model::BodyState &a = x.state().bodies[i], &b = y.state().bodies[i];
    if (!same_bits(a.pose.position, b.pose.position) || !same_bits(a.velocity.linear, b.velocity.linear) ||
        !same_bits(a.velocity.angular, b.velocity.angular) ||
        a.pose.orientation.coeffs() != b.pose.orientation.coeffs())
      return fmt::format("{} at t = {}", x.model().bodies[i].name, x.time());
  }
  const auto contacts_x = x.contacts(), contacts_y = y.contacts();
  if (contacts_x.size() != contacts_y.size())
    return fmt::format("{} and {} contacts at t = {}", contacts_x.size(), contacts_y.size(), x.time());
  for (std::size_t c = 0; c < contacts_x.size(); ++c)
    if (contacts_x[c].contact.id != contacts_y[c].contact.id || contacts_x[c].mode != contacts_y[c].mode ||
        !same_bits(contacts_x[c].force, contacts_y[c].force))
      return fmt::format("contact {} at t = {}", c, x.time());
  return {};
}

struct Comparison {
  std::int64_t solved = 0, skipped = 0;  // contact problems with rest solved; those of them that were left out
};

Comparison compare(const Scene& scene, double duration, int look_every = 1) {
  stepping::Method solving = scene.method;
  solving.rest = stepping::RestingStep::Solved;
  Simulation skips(scene.model, scene.method), solves(scene.model, solving);
  const auto steps = static_cast<std::int64_t>(std::lround(duration / scene.method.step));
  for (std::int64_t k = 1; k <= steps && skips.failure() == nullptr; ++k) {
    skips.step();
    solves.step();
    if (k % look_every != 0) continue;
    if (const std::string what = difference(skips, solves); !what.empty()) {
      ADD_FAILURE() << "rest skipped and solved differ: " << what;
      break;
    }
  }
  EXPECT_EQ(skips.failure() == nullptr, solves.failure() == nullptr);
  EXPECT_EQ(skips.counters().worst_residual, solves.counters().worst_residual);
  return {solves.counters().solves, solves.counters().solves - skips.counters().solves};
}

Scene first_order(const std::string& text) {
  return scene::parse_scene(text, "rest.toml", std::vector<scene::Override>{{"method.stepper", "stewart-trinkle"}});
}

Comparison compare(const std::string& text, double duration, int look_every = 1) {
  return compare(first_order(text), duration, look_every);
}

const std::string kFloor = R"toml(dimension = 3
gravity = [0, 0, -9.81]
duration = 10
[method]
step = 2e-3
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[contact]]
between = ["*", "*"]
friction = 0.5
)toml";

const std::string kTwoStacks = kFloor + R"toml([[body]]
name = "left"
count = 3
mass = 1
shape = { box = [0.2, 0.2, 0.1] }
position = [0, 0, "0.05 + 0.1 * index"]
[[body]]
name = "right"
count = 3
mass = 1
shape = { box = [0.2, 0.2, 0.1] }
position = [1, 0, "0.05 + 0.1 * index"]
)toml";

TEST(RestingBodies, StacksThatStandAreSolvedAFewTimesOnly) {
  const Comparison c = compare(kTwoStacks, 0.5);
  EXPECT_EQ(c.solved, 500);
  EXPECT_GE(c.skipped, 480);
}

// A ball rolls into one of two stacks: that one wakes in the step in which it is reached, the other sleeps on.
TEST(RestingBodies, ABallWakesWhatItHits) {
  const Comparison c = compare(kTwoStacks + R"toml([[body]]
name = "ball"
mass = 2
shape = { sphere = 0.08 }
position = [-0.5, 0, 0.08]
velocity = [3, 0, 0]
angular_velocity = [0, 37.5, 0]
)toml",
                               1.0);
  EXPECT_GE(c.skipped, 400);
}

// A plate that is moved a second later takes the block along: nothing has moved until then.
TEST(RestingBodies, AMovedPlateWakesWhatStandsOnIt) {
  const Comparison c = compare(R"toml(dimension = 3
gravity = [0, 0, -9.81]
duration = 10
[method]
step = 2e-3
[[body]]
name = "plate"
shape = { box = [2, 2, 0.1] }
motion = { position = ["if(t > 0.5, 0.2 * (t - 0.5)^2, 0)", 0, -0.05] }
[[body]]
name = "block"
count = 2
mass = 1
shape = { box = [0.2, 0.2, 0.1] }
position = [0, 0, "0.05 + 0.1 * index"]
[[contact]]
between = ["*", "*"]
friction = 0.5
)toml",
                               1.0);
  EXPECT_GE(c.skipped, 200);
  EXPECT_GE(c.solved - c.skipped, 250);
}

// A force that grows with time: the block starts to slide in the step in which friction gives way.
TEST(RestingBodies, AForceThatGrowsIsFelt) {
  const Comparison c = compare(kFloor + R"toml([[body]]
name = "block"
mass = 1
shape = { box = [0.2, 0.2, 0.1] }
position = [0, 0, 0.05]
force = ["max(0, 20 * (t - 0.3))", 0, 0]
)toml",
                               0.8);
  EXPECT_GE(c.skipped, 100);
}

// What lies on a body at rest is removed: a driven plate is lifted off a stack.
TEST(RestingBodies, ALiftedLoadIsMissed) {
  const Comparison c = compare(kTwoStacks + R"toml([[body]]
name = "lid"
shape = { box = [0.3, 0.3, 0.1] }
motion = { position = [0, 0, "0.35 + if(t > 0.2, 0.1 * (t - 0.2)^2, 0)"] }
)toml",
                               0.5);
  EXPECT_GE(c.skipped, 300);
}

TEST(RestingBodies, FallingSpheresAndBoxesKeepTheirBits) {
  for (const char* shape :
       {"{ sphere = 0.05 }", "{ box = [0.1, 0.08, 0.06] }", "{ capsule = { radius = 0.03, length = 0.08 } }"}) {
    SCOPED_TRACE(shape);
    (void)compare(kFloor + fmt::format(R"toml([[body]]
name = "part"
count = 12
mass = 0.3
shape = {}
position = ["0.25 * mod(index, 4)", "0.25 * floor(index / 4)", "0.1 + 0.05 * random(index, 1)"]
orientation = {{ euler = ["random(index, 2)", "random(index, 3)", "random(index, 4)"] }}
)toml",
                                       shape),
                  1.5, 5);
  }
}

TEST(RestingBodies, ExamplesKeepTheirBits) {
  for (const char* name : {"stack", "box", "incline", "slide-to-rest", "rolling", "ball", "grasp", "feeder"}) {
    SCOPED_TRACE(name);
    const Scene scene = load_example(name, {{"method.stepper", "stewart-trinkle"}});
    (void)compare(scene, std::min(scene.duration, 500 * scene.method.step), 5);
  }
}

// Many parts that give way: their problem is solved to its certificate, not to rounding, and they rest all the same. A ball
// that falls on them then wakes them, with the same bits as if they had been solved all along.
TEST(RestingBodies, ABinOfSoftBoxesRestsUntilABallFallsOnIt) {
  std::string text = kFloor + R"toml([[body]]
name = "box"
count = 16
mass = 0.5
shape = { box = [0.1, 0.08, 0.06] }
position = ["0.14 * mod(index, 2)", "0.14 * mod(floor(index / 2), 2)", "0.1 + 0.12 * floor(index / 4)"]
orientation = { euler = ["random(index, 2)", "random(index, 3)", "random(index, 4)"] }
[[body]]
name = "walls"
fixed = true
shapes = [
  { half-space = { normal = [1, 0, 0], offset = -0.1 } }, { half-space = { normal = [-1, 0, 0], offset = -0.25 } },
  { half-space = { normal = [0, 1, 0], offset = -0.1 } }, { half-space = { normal = [0, -1, 0], offset = -0.25 } },
]
[[body]]
name = "ball"
mass = 0.2
shape = { sphere = 0.05 }
position = [0.07, 0.07, 21]
)toml";
  text.replace(text.find("step = 2e-3"), 11, "step = 2e-3\ncompliance = \"normal\"\ncertificate = 1e-6");
  text.replace(text.find("friction = 0.5"), 14, "friction = 0.5\nstiffness = 5e6");
  const Scene scene = first_order(text);
  Simulation run(scene.model, scene.method);
  ASSERT_TRUE(run.run_until(1.9));
  const std::int64_t solves = run.counters().solves;
  EXPECT_GT(run.counters().most_contacts, 60);
  ASSERT_TRUE(run.run_until(2.0));
  EXPECT_EQ(run.counters().solves, solves) << "no contact problem in fifty steps";
  const Comparison c = compare(scene, 2.3, 10);  // the ball arrives at 2.07
  EXPECT_GE(c.skipped, 50);
}

// Five boxes on each other, on a slope: 20 contacts that give way, solved to 1e-6. A ten thousandth of friction makes the
// difference between sliding and not, and what slides does so with the acceleration of the closed form. (An error of 1e-6 of
// the whole may be 5e-6 of one body.)
TEST(RestingBodies, WhatSlidesSlowlyIsNotHeld) {
  constexpr double kMu = 0.5, kEnd = 1.0, kGravity = 9.81;
  for (const double excess : {-1e-4, 1e-4, 3e-4}) {
    SCOPED_TRACE(excess);
    const double angle = std::atan(kMu * (1 + excess));
    const Scene scene = first_order(fmt::format(R"toml(dimension = 3
gravity = [{:.17g}, 0, {:.17g}]
duration = 10
[method]
step = 2e-3
compliance = "normal"
certificate = 1e-6
[[body]]
name = "slope"
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
fixed = true
[[body]]
name = "box"
count = 5
mass = 1
shape = {{ box = [0.4, 0.4, 0.05] }}
position = [0, 0, "0.025 + 0.05 * index"]
[[contact]]
between = ["*", "*"]
friction = 1
stiffness = 5e6
[[contact]]
between = ["slope", "box_0"]
friction = {}
stiffness = 5e6
)toml",
                                                kGravity * std::sin(angle), -kGravity * std::cos(angle), kMu));
    Simulation run(scene.model, scene.method);
    ASSERT_TRUE(run.run_until(kEnd));
    const double a = std::max(0.0, kGravity * (std::sin(angle) - kMu * std::cos(angle)));
    for (std::size_t i = 1; i <= 5; ++i) {
      const double speed = run.state().bodies[i].velocity.linear.x();
      if (excess < 0)
        EXPECT_EQ(speed, 0) << "box " << i - 1;
      else
        EXPECT_NEAR(speed, a * kEnd, 1e-5 * kGravity * kEnd) << "box " << i - 1;
    }
  }
}

// The same boxes, narrow, on rough ground: a tower that leans by a thousandth beyond the edge that it would tip over falls, one
// that leans by as much less stands.
TEST(RestingBodies, WhatTipsSlowlyIsNotHeld) {
  for (const bool falls : {false, true}) {
    SCOPED_TRACE(falls);
    const double slope = 0.4 * (falls ? 1.001 : 0.999);  // width / height of the tower
    const Scene scene = first_order(fmt::format(R"toml(dimension = 3
gravity = [{:.17g}, 0, -9.81]
duration = 10
[method]
step = 2e-3
compliance = "normal"
certificate = 1e-6
[[body]]
name = "ground"
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
fixed = true
[[body]]
name = "box"
count = 5
mass = 1
shape = {{ box = [0.1, 0.1, 0.05] }}
position = [0, 0, "0.025 + 0.05 * index"]
[[contact]]
between = ["*", "*"]
friction = 2
stiffness = 5e9
)toml",
                                                9.81 * slope));
    Simulation run(scene.model, scene.method);
    ASSERT_TRUE(run.run_until(3));
    const double height = run.state().bodies[5].pose.position.z();
    if (falls)
      EXPECT_LT(height, 0.2);
    else
      EXPECT_NEAR(height, 0.225, 1e-6);
  }
}

// Going back in time, and to another state, forgets who rested.
TEST(RestingBodies, ARestoredRunHasTheSameBits) {
  const Scene scene = first_order(kTwoStacks);
  Simulation straight(scene.model, scene.method), resumed(scene.model, scene.method);
  for (int k = 0; k < 20; ++k) straight.step();
  const std::string bytes = straight.checkpoint();
  for (int k = 0; k < 20; ++k) straight.step();
  resumed.restore(bytes);
  for (int k = 0; k < 20; ++k) resumed.step();
  EXPECT_EQ(difference(straight, resumed), "");
  model::State pushed = resumed.state();
  pushed.bodies[1].velocity.linear.x() = 1;
  resumed.set_state(pushed);
  resumed.step();
  EXPECT_GT(resumed.state().bodies[1].velocity.linear.x(), 0.5);
}

}  // namespace
}  // namespace stickslip::testing
