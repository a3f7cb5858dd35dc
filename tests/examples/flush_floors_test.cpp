// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Cubes on floors of flush blocks, fixed bodies and one compound, any way over the joints: as on one plane. A cube that
// starts at v stops after v^2/(2 mu g), first-order steppers at a rate v h/2 before that. And cubes that overlap with
// their corners on the border of an equally wide face: told at the start.
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stickslip {
namespace {

struct Slide {
  double heading = 0, start = 0, turn = 0;
  const char* stepper = "implicit";
  double step = 1e-3;
  bool compound = false;
};

constexpr double kSpeed = 3, kFriction = 0.3, kGravity = 9.81;

// Six rows of three square tiles, 0.37 wide; the cube starts on the first row.
std::string floor_of_tiles(bool compound) {
  if (!compound) {
    return R"toml(
[[body]]
name = "floor"
count = 18
fixed = true
shape = { box = [0.37, 0.37, 0.1] }
position = ["0.37*floor(index/3)", "0.37*(index-3*floor(index/3)-1)", -0.05]
)toml";
  }
  std::string shapes;
  for (int i = 0; i < 18; ++i) {
    shapes += fmt::format("  {{ box = [0.37, 0.37, 0.1], offset = [{:.17g}, {:.17g}, -0.05] }},\n", 0.37 * (i / 3),
                          0.37 * (i % 3 - 1));
  }
  return "[[body]]\nname = \"floor\"\nfixed = true\nshapes = [\n" + shapes + "]\n";
}

scene::Scene scene_of(const Slide& slide) {
  return scene::parse_scene(
      fmt::format(R"toml(
dimension = 3
gravity = [0, 0, -{}]
duration = 1.2
[method]
stepper = "{}"
step = {}
{}
[[body]]
name = "cube"
mass = 1
shape = {{ box = [0.1, 0.1, 0.1] }}
position = [0.02, {}, 0.05]
orientation = {{ axis = [0, 0, 1], angle = {} }}
velocity = [{}, {}, 0]
[[contact]]
between = ["*", "*"]
friction = {}
)toml",
                  kGravity, slide.stepper, slide.step, floor_of_tiles(slide.compound), slide.start, slide.turn,
                  kSpeed * std::cos(slide.heading), kSpeed * std::sin(slide.heading), kFriction),
      "flush floor");
}

void expect_as_on_one_plane(const Slide& slide) {
  const scene::Scene scene = scene_of(slide);
  simulation::Simulation simulation(scene.model, scene.method);
  const std::size_t cube = scene.model.bodies.size() - 1;
  double highest = 0, lowest = 1;
  while (simulation.state().time < scene.duration) {
    ASSERT_TRUE(simulation.run_until(simulation.state().time + 0.01));
    highest = std::max(highest, simulation.state().bodies[cube].pose.position.z());
    lowest = std::min(lowest, simulation.state().bodies[cube].pose.position.z());
  }
  const model::BodyState& end = simulation.state().bodies[cube];
  const Vec3 way = end.pose.position - Vec3(0.02, slide.start, 0.05);
  const double exact = kSpeed * kSpeed / (2 * kFriction * kGravity);
  // First order: v h/2 short, and the last step ends between 0 and one step's speed.
  const bool first_order = std::string_view(slide.stepper) != "second-order";
  EXPECT_NEAR(way.norm() + (first_order ? 0.5 * kSpeed * slide.step : 0), exact, first_order ? 2e-6 : 1e-3);
  EXPECT_NEAR(std::atan2(way.y(), way.x()), slide.heading, 1e-7);
  EXPECT_LT(highest - 0.05, 1e-9) << "lifted by a joint";
  EXPECT_LT(0.05 - lowest, 1e-9) << "sunk into a joint";
  EXPECT_LT(end.pose.orientation.angularDistance(Quat(Eigen::AngleAxisd(slide.turn, Vec3::UnitZ()))), 1e-6);
}

TEST(FlushFloors, CubeSlidesOverJointsOfSeparateTilesAsOnOnePlane) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "implicit", "second-order"}) {
    for (const Slide& s : {Slide{0, 0, 0}, Slide{0, 0.135, 0}, Slide{0.07, 0, 0.3}, Slide{0.1, 0.1, 0.785}}) {
      SCOPED_TRACE(fmt::format("{} heading {} start {} turn {}", stepper, s.heading, s.start, s.turn));
      Slide slide = s;
      slide.stepper = stepper;
      slide.step = 2.5e-3;
      expect_as_on_one_plane(slide);
    }
  }
}

TEST(FlushFloors, CubeSlidesOverACompoundOfTilesAsOnOnePlane) {
  for (const Slide& s : {Slide{0, 0.135, 0}, Slide{0.07, 0, 0.3}}) {
    Slide slide = s;
    slide.compound = true;
    expect_as_on_one_plane(slide);
  }
}

TEST(FlushFloors, CornersOnTheBorderOfAnEquallyWideFaceOverlap) {
  for (const double roll : {0.005, 0.01, 0.02, -0.05}) {
    for (const double side : {0.0, 1e-3, 0.01}) {
      const scene::Scene scene = scene::parse_scene(fmt::format(R"toml(
dimension = 3
duration = 1e-3
[[body]]
name = "low"
fixed = true
shape = {{ box = [1, 1, 1] }}
position = [0, 0, -0.5]
[[body]]
name = "high"
mass = 1
shape = {{ box = [1, 1, 1] }}
orientation = {{ euler = [{}, "30 deg", 0] }}
position = [0.2, {}, 0.68]
)toml",
                                                                roll, side),
                                                    "overlap");
      simulation::Simulation simulation(scene.model, scene.method);
      // The lowest corner is cos(30 deg) (cos(roll) + |sin(roll)|)/2 + sin(30 deg)/2 under the middle.
      const double lowest = 0.5 * (std::sqrt(0.75) * (std::cos(roll) + std::sin(std::abs(roll))) + 0.5);
      const auto overlaps = simulation.overlaps();
      ASSERT_EQ(overlaps.size(), 1u) << roll << " " << side;
      EXPECT_NEAR(overlaps[0].depth, lowest - 0.68, 1e-12);
    }
  }
}

}  // namespace
}  // namespace stickslip
