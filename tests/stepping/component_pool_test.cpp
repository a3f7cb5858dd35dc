// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Components of a second-order step on several threads: the same bits for any number of them, through impacts, slip, rest,
// bodies that become faster than what was listed for, and rims of cylinders of which points are added.
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <gtest/gtest.h>

#include <cstring>

namespace stickslip::testing {
namespace {

// A floor with boxes that are thrown onto it, stacks that are hit, cylinders that topple, balls that bounce in pairs, and a plate
// under some of them that shakes. Each group is a component or more.
constexpr const char* kManyThings = R"toml(
dimension = 3
gravity = [0, 0, -10]
duration = 0.6
[parameters]
e = 0
[method]
stepper = "second-order"
step = 4e-3
[[body]]
name = "floor"
fixed = true
shape = { half-space = { normal = [0, 0, 1] } }
[[body]]
name = "plate"
shape = { box = [4, 1, 0.2] }
motion = { position = ["0.02 * sin(30 * t)", 12, 0.5] }
[[body]]
name = "box"
count = 9
mass = 1
shape = { box = [0.4, 0.3, 0.2] }
position = ["mod(index, 3)", "floor(index / 3)", "0.4 + 0.02 * index"]
velocity = ["0.3 * index - 1", 0.2, 0]
angular_velocity = ["index - 4", "0.5 * index", 1]
[[body]]
name = "low"
count = 3
mass = 1
shape = { box = [0.4, 0.3, 0.2] }
position = ["4 + index", 0, 0.1]
[[body]]
name = "high"
count = 3
mass = 0.5
shape = { box = [0.3, 0.3, 0.2] }
position = ["4 + index", 0, "0.3 + 0.1 * index"]
velocity = ["0.4 * index", 0, 0]
[[body]]
name = "can"
count = 3
mass = 1
shape = { cylinder = { radius = 0.1, length = 0.3 } }
position = ["4 + index", 3, 0.151]
angular_velocity = ["0.5 + index", 0, 0]
[[body]]
name = "rider"
count = 4
mass = 1
shape = { box = [0.4, 0.3, 0.2] }
position = ["-1.4 + 0.9 * index", 12, 0.7]
[[body]]
name = "shot"
mass = 5
shape = { sphere = 0.1 }
position = [-3, 6, 0.1]
velocity = [8, 0, 0]
[[body]]
name = "light"
count = 4
mass = 0.05
shape = { sphere = 0.1 }
position = ["-2 + 0.6 * index", 6, 0.1]
[[contact]]
between = ["*", "*"]
friction = 0.4
restitution = "e"
)toml";

std::vector<std::int64_t> bits_of(const model::State& state) {
  std::vector<std::int64_t> bits;
  const auto add = [&](const auto& vector) {
    for (int k = 0; k < vector.size(); ++k) std::memcpy(&bits.emplace_back(), &vector[k], sizeof(double));
  };
  for (const model::BodyState& body : state.bodies) {
    add(body.pose.position);
    add(body.pose.orientation.coeffs());
    add(body.velocity.linear);
    add(body.velocity.angular);
  }
  return bits;
}

void expect_same_bits(const std::string& text, const std::vector<scene::Override>& overrides) {
  const scene::Scene scene = scene::parse_scene(text, "things.toml", overrides);
  simulation::Simulation alone(scene.model, scene.method);
  std::vector<stepping::Method> methods(2, scene.method);
  methods[0].threads = 2;
  methods[1].threads = 5;
  std::vector<std::unique_ptr<simulation::Simulation>> shared;
  for (const stepping::Method& method : methods)
    shared.push_back(std::make_unique<simulation::Simulation>(scene.model, method));
  int most = 0;
  while (alone.state().time < scene.duration - 1e-9) {
    const stepping::StepReport report = alone.step();
    most = std::max(most, report.contacts);
    ASSERT_TRUE(report.certified);
    for (const auto& other : shared) {
      const stepping::StepReport same = other->step();
      ASSERT_EQ(bits_of(alone.state()), bits_of(other->state())) << "at t = " << alone.state().time;
      ASSERT_EQ(report.solves, same.solves);
      ASSERT_EQ(report.sub_steps, same.sub_steps);
      ASSERT_EQ(report.fallbacks, same.fallbacks);
      ASSERT_EQ(report.residual, same.residual);
      ASSERT_EQ(report.events.size(), same.events.size());
      for (std::size_t k = 0; k < report.events.size(); ++k) {
        ASSERT_EQ(report.events[k].time, same.events[k].time);
        ASSERT_EQ(report.events[k].contact, same.events[k].contact);
      }
      const auto forces = alone.contacts(), theirs = other->contacts();
      ASSERT_EQ(forces.size(), theirs.size());
      for (std::size_t k = 0; k < forces.size(); ++k) ASSERT_EQ(forces[k].force, theirs[k].force);
    }
  }
  EXPECT_GE(most, 60) << "too few contacts for several threads";
}

TEST(ComponentPool, ManyThingsHaveTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits(kManyThings, {});
}

TEST(ComponentPool, ImpactsThatReboundHaveTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits(kManyThings, {{"e", "0.6"}});
}

TEST(ComponentPool, SoDoThingsThatMoveOnWithTheirRestSolved) {
  expect_same_bits(kManyThings, {{"method.rest", "solved"}, {"method.step", "1.3e-3"}});
}

}  // namespace
}  // namespace stickslip::testing
