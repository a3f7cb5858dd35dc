// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Settling, the table [start] that keeps the result, and packings.
#include "stickslip/runs/settle.h"

#include "stickslip/scene/scene.h"
#include "stickslip/scene/start_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

using ::testing::HasSubstr;

std::string boxes(const std::string& more) {
  return R"(dimension = 3
gravity = [0, 0, -9.81]
duration = 10
[method]
step = 2e-3
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "box"
count = 5
mass = 1
shape = { box = [0.1, 0.08, 0.06] }
packing = { low = [0, 0, 0.1], high = [0.5, 0.5, 0.15], distance = 0.15, seed = 3 }
orientation = { euler = ["index", "0.3 * index", 0] }
[[contact]]
between = ["*", "*"]
friction = 0.5
)" + more;
}

std::string message_of(const std::string& text) {
  try {
    (void)scene::parse_scene(text, "test.toml");
  } catch (const scene::SceneError& error) {
    return error.what();
  }
  return "";
}

runs::Settling settle(const scene::Scene& scene, double most_time) {
  const model::State start = simulation::Simulation(scene.model, scene.method).state();
  return runs::settle(scene.model, scene.method, start, {most_time, 1e-6});
}

TEST(Settle, BoxesComeToRestAndStartThere) {
  const scene::Scene scene = scene::parse_scene(boxes(""), "test.toml");
  const runs::Settling settling = settle(scene, 20);
  ASSERT_EQ(settling.end, runs::Settled::AtRest);
  EXPECT_EQ(settling.state.time, 0);
  EXPECT_NEAR(settling.duration, 2e-3 * static_cast<double>(settling.counters.steps), 1e-9);
  const std::string start = scene::start_text(scene.model, settling.state);
  const scene::Scene settled = scene::parse_scene(boxes(start), "settled.toml");
  for (std::size_t i = 1; i < settled.model.bodies.size(); ++i) {
    const model::BodyState &written = settled.model.bodies[i].initial, &reached = settling.state.bodies[i];
    EXPECT_EQ(written.pose.position, reached.pose.position);
    EXPECT_EQ(written.pose.orientation.coeffs(), reached.pose.orientation.coeffs());
    EXPECT_EQ(written.velocity.linear.norm(), 0);
  }
  simulation::Simulation again(settled.model, settled.method);
  ASSERT_TRUE(again.run_until(0.5));
  // Nothing moves any more, but by what overlaps of first-order steps part (below h^2 g).
  for (std::size_t i = 1; i < settled.model.bodies.size(); ++i)
    EXPECT_LT((again.state().bodies[i].pose.position - settling.state.bodies[i].pose.position).norm(), 1e-5);
}

TEST(Settle, SaysWhenTheTimeWasTooShort) {
  const scene::Scene scene = scene::parse_scene(boxes(""), "test.toml");
  EXPECT_EQ(settle(scene, 0.02).end, runs::Settled::TimeIsUp);
}

TEST(Start, UnknownAndPrescribedBodiesAreRefused) {
  EXPECT_THAT(message_of(boxes("[start]\nbax_0 = { position = [0, 0, 1] }\n")), HasSubstr("box_0"));
  EXPECT_THAT(message_of(boxes("[start]\nfloor = { position = [0, 0, 1] }\n")), HasSubstr("does not move freely"));
  EXPECT_THAT(message_of(boxes("[start]\nbox_0 = { position = [0, 0, 1], angle = 1 }\n")), HasSubstr("quaternion"));
  EXPECT_THAT(message_of(boxes("[start]\nbox_0 = { quaternion = [1, 0, 0, 0] }\n")), HasSubstr("position"));
}

std::vector<Vec3> places(const std::string& packing, int count) {
  const scene::Scene scene = scene::parse_scene(fmt::format(R"(dimension = 3
duration = 1
[[body]]
name = "ball"
count = {}
mass = 1
shape = {{ sphere = 0.05 }}
packing = {{ {} }}
)",
                                                            count, packing),
                                                "test.toml");
  std::vector<Vec3> all;
  for (const model::Body& body : scene.model.bodies) all.push_back(body.initial.pose.position);
  return all;
}

TEST(Packing, RandomPlacesKeepTheirDistanceAndFollowTheSeed) {
  const char* box = "low = [0, 0, 0], high = [1, 1, 1], distance = 0.12, seed = {}";
  const std::vector<Vec3> first = places(fmt::format(fmt::runtime(box), 7), 200);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE((first[i].array() >= 0).all() && (first[i].array() <= 1).all());
    for (std::size_t j = 0; j < i; ++j) EXPECT_GE((first[i] - first[j]).norm(), 0.12);
  }
  EXPECT_EQ(first, places(fmt::format(fmt::runtime(box), 7), 200));
  EXPECT_NE(first, places(fmt::format(fmt::runtime(box), 8), 200));
}

TEST(Packing, AGridIsFilledAlongXThenYThenZ) {
  const std::vector<Vec3> grid = places("kind = 'grid', low = [0, 0, 0], high = [0.2, 0.1, 1], distance = 0.1", 7);
  EXPECT_NEAR((grid[1] - Vec3(0.1, 0, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR((grid[3] - Vec3(0, 0.1, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR((grid[6] - Vec3(0, 0, 0.1)).norm(), 0, 1e-15);
}

TEST(Packing, WhatDoesNotFitIsRefused) {
  EXPECT_THROW((void)places("low = [0, 0, 0], high = [0.2, 0.2, 0.2], distance = 0.1", 100), scene::SceneError);
  EXPECT_THROW((void)places("kind = 'grid', low = [0, 0, 0], high = [0.2, 0.2, 0.2], distance = 0.1", 28),
               scene::SceneError);
}

}  // namespace
}  // namespace stickslip::testing
