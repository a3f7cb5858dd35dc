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
