// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The shape `prism`: its mass by hand, its distances by brute force, and a run whose answer is a closed form.
#include "stickslip/runs/run.h"
#include "tests/collision/brute_force.h"
#include "tests/collision/scenes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kL = "[[-1, -1], [1, -1], [1, 0], [0, 0], [0, 1], [-1, 1]]";
constexpr const char* kLBackwards = "[[-1, 1], [0, 1], [0, 0], [1, 0], [1, -1], [-1, -1]]";
// A cross: four reflex edges.
constexpr const char* kCross =
    "[[-1, -0.3], [-0.3, -0.3], [-0.3, -1], [0.3, -1], [0.3, -0.3], [1, -0.3], [1, 0.3], [0.3, 0.3], [0.3, 1], "
    "[-0.3, 1], [-0.3, 0.3], [-1, 0.3]]";
constexpr const char* kHexagon =
    "[[0.1, 0], [0.05, 0.086602540378443865], [-0.05, 0.086602540378443865], [-0.1, 0], [-0.05, "
    "-0.086602540378443865], "
    "[0.05, -0.086602540378443865]]";

scene::Scene scene_with(const std::string& outline, double height, const std::string& more = "") {
  return scene::parse_scene(
      "dimension = 3\ngravity = [0, 0, -10]\nduration = 1\n[[body]]\nname = \"part\"\ndensity = 2\nshape = { prism = { "
      "outline = " +
          outline + ", height = " + std::to_string(height) + " } }\n" + more,
      "prism.toml");
}

const model::Polyhedron& prism_of(const scene::Scene& scene) {
  return std::get<model::Polyhedron>(scene.model.bodies[0].shapes[0].shape);
}

// The L is a bar of 2 x 1 x h below one of 1 x 1 x h: by hand.
TEST(Prism, MassOfAnL) {
  constexpr double kHeight = 0.5, kDensity = 2;
  for (const char* outline : {kL, kLBackwards}) {
    const scene::Scene scene = scene_with(outline, kHeight);
    const model::Body& body = scene.model.bodies[0];
    const double m1 = kDensity * 2 * kHeight, m2 = kDensity * kHeight;  // centres (0, -0.5) and (-0.5, 0.5)
    EXPECT_NEAR(body.mass, m1 + m2, 1e-14);
    const Vec2 centre = (m1 * Vec2(0, -0.5) + m2 * Vec2(-0.5, 0.5)) / (m1 + m2);
    const double about_z = m1 * (4 + 1) / 12 + m1 * (Vec2(0, -0.5) - centre).squaredNorm() + m2 * (1 + 1) / 12 +
                           m2 * (Vec2(-0.5, 0.5) - centre).squaredNorm();
    EXPECT_NEAR(body.inertia(2, 2), about_z, 1e-13);
    EXPECT_FALSE(prism_of(scene).convex);
  }
  EXPECT_TRUE(prism_of(scene_with(kHexagon, 0.05)).convex);
}

TEST(Prism, OutlinesThatAreNoPolygonsAreRefused) {
  const auto message_of = [](const std::string& outline, double height) -> std::string {
    try {
      (void)scene_with(outline, height);
    } catch (const scene::SceneError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_of("[[0, 0], [1, 1], [1, 0], [0, 1]]", 1), HasSubstr("prism.toml:7:"));  // crosses itself
  EXPECT_THAT(message_of("[[0, 0], [1, 1]]", 1), HasSubstr("prism"));
  EXPECT_THAT(message_of(kL, -1), HasSubstr("height"));
  EXPECT_THAT(message_of(kL, 0), HasSubstr("height"));
}

// Moves the second prism along a direction until the surfaces are `wanted` apart, by bisection on brute force; the
// collider must say the same. Tolerance: rounding of numbers of size 1.
TEST(Prism, DistancesAreThoseOfBruteForce) {
  using namespace collision::testing;
  const std::pair<const char*, const char*> pairs[] = {{kL, kHexagon}, {kCross, kL}, {kCross, kCross}};
  std::mt19937 random(11);
  int placed = 0;
  for (const auto& [first, second] : pairs) {
    const scene::Scene sa = scene_with(first, 0.8), sb = scene_with(second, 0.6);
    const model::Polyhedron &a = prism_of(sa), &b = prism_of(sb);
    const model::Model model = pair_of(a, b, false);
    for (int trial = 0; trial < 20; ++trial) {
      model::State state = state_of(model);
      state.bodies[0].pose.orientation = random_orientation(random);
      state.bodies[1].pose.orientation = random_orientation(random);
      const Triangles ta = triangles_of(a, state.bodies[0].pose);
      const auto distance = [&] {
        const Triangles tb = triangles_of(b, state.bodies[1].pose);
        return inside(ta[0][0], tb) || inside(tb[0][0], ta) ? 0.0 : surface_distance(ta, tb);
      };
      const Vec3 direction = random_vector(random, 1).normalized();
      const double wanted = std::pow(10.0, -1.0 - trial % 4);
      double near = 0, far = 6;
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (near + far);
        state.bodies[1].pose.position = middle * direction;
        (distance() > wanted ? far : near) = middle;
      }
      state.bodies[1].pose.position = far * direction;
      const double truth = distance();
      if (std::abs(truth - wanted) > 1e-9) continue;  // the distance jumps: another part of the surface
      ++placed;
      double found = std::numeric_limits<double>::infinity();
      for (const collision::Contact& c : find(model, state, 2 * wanted)) found = std::min(found, c.gap);
      EXPECT_NEAR(found, truth, 1e-12) << "trial " << trial;
    }
  }
  EXPECT_GE(placed, 40);
}

// A nut that slides flat comes to rest after v^2 / (2 mu g), first order: within v h.
TEST(Prism, ANutSlidesToRest) {
  const scene::Scene scene = scene_with(kHexagon, 0.05, R"(
position = [0, 0, 0.025]
velocity = [1, 0, 0]
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[contact]]
between = ["*", "*"]
friction = 0.5
[method]
stepper = "stewart-trinkle"
step = 1e-3
)");
  runs::Run run(scene);
  run.begin();
  ASSERT_EQ(run.finish(), runs::RunEnd::Finished) << run.failure();
  const model::BodyState& nut = run.simulation().state().bodies[0];
  EXPECT_NEAR(nut.pose.position.x(), 0.1, 1e-3);
  EXPECT_NEAR(nut.pose.position.y(), 0, 1e-12);
  EXPECT_NEAR(nut.pose.position.z(), 0.025, 1e-12);
  EXPECT_EQ(nut.velocity.linear.norm(), 0);
}

}  // namespace
}  // namespace stickslip::testing
