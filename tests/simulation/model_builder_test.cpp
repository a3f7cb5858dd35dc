// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Models made by a program: mass and inertia in closed form, the same bits as the scene that says the same, mistakes.
#include "stickslip/model/model_builder.h"

#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace stickslip::model {
namespace {

using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(ModelBuilder, MassAndInertiaOfUniformBodies) {
  ModelBuilder build(3);
  build.body("sphere").sphere(0.1).density(1000);
  build.body("box").box({0.1, 0.2, 0.3}).mass(2);
  build.body("point").particle().mass(3);
  const Model model = build.finish();
  const double sphere = 4.0 / 3 * std::numbers::pi * 1e-3 * 1000;
  EXPECT_NEAR(model.bodies[0].mass, sphere, 1e-12);
  EXPECT_NEAR(model.bodies[0].inertia(0, 0), 0.4 * sphere * 0.01, 1e-12);
  EXPECT_NEAR(model.bodies[1].inertia(2, 2), 2.0 / 12 * (0.01 + 0.04), 1e-12);
  EXPECT_EQ(model.bodies[2].kind, BodyKind::Particle3);
}

// Two discs side by side: the frame is moved to their common centre, whatever the body's orientation.
TEST(ModelBuilder, TheCentreOfMassOfACompoundIsItsOrigin) {
  ModelBuilder build(2);
  build.body("pair")
      .shape(Disc{1}, {Vec3(2, 0, 0), Quat::Identity()})
      .shape(Disc{1}, {Vec3(4, 0, 0), Quat::Identity()})
      .mass(2)
      .position({1, 1, 0})
      .angle(std::numbers::pi / 2);
  const Body body = build.finish().bodies[0];
  EXPECT_NEAR((body.initial.pose.position - Vec3(1, 4, 0)).norm(), 0, 1e-15);
  EXPECT_NEAR(body.shapes[0].pose.position.x(), -1, 1e-15);
  EXPECT_NEAR(body.inertia(2, 2), 2 * (0.5 + 1), 1e-12);  // each m r^2 / 2 + m 1^2
}

// A program and a scene file that say the same run with the same bits.
TEST(ModelBuilder, RunsAsTheSceneThatSaysTheSame) {
  const scene::Scene scene = scene::parse_scene(R"(
dimension = 3
gravity = [0, 0, -9.81]
duration = 0.5
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "brick"
shape = { box = [0.3, 0.2, 0.1] }
density = 500
position = [0, 0, 0.3]
orientation = { quaternion = [0.9, 0.1, 0.2, 0.3] }
velocity = [1, 0, 0]
angular_velocity = [0, 3, 1]
[[body]]
name = "ball"
shape = { sphere = 0.1 }
mass = 2
position = [0.6, 0, 0.2]
[[contact]]
between = ["*", "*"]
friction = { static = 0.5, kinetic = 0.4 }
[[contact]]
between = ["ball", "floor"]
restitution = 0.5
)",
                                                "same.toml");
  ModelBuilder build(3);
  build.gravity({0, 0, -9.81});
  build.body("floor").half_space(Vec3::UnitZ()).fixed();
  build.body("brick")
      .box({0.3, 0.2, 0.1})
      .density(500)
      .position({0, 0, 0.3})
      .orientation(Quat(0.9, 0.1, 0.2, 0.3))
      .velocity({1, 0, 0})
      .angular_velocity({0, 3, 1});
  build.body("ball").sphere(0.1).mass(2).position({0.6, 0, 0.2});
  build.contact("*", "*").friction(0.5, 0.4);
  build.contact("ball", "floor").restitution(0.5);
  const Model model = build.finish();
  simulation::Simulation by_scene(scene.model, scene.method), by_program(model, scene.method);
  ASSERT_TRUE(by_scene.run_until(0.5));
  ASSERT_TRUE(by_program.run_until(0.5));
  EXPECT_EQ(by_scene.checkpoint(), by_program.checkpoint());
  EXPECT_GT(by_program.counters().most_contacts, 0) << "nothing touched";
}

TEST(ModelBuilder, TenThousandBodiesTakeMemoryInProportion) {
  ModelBuilder build(3);
  build.body("floor").half_space(Vec3::UnitZ()).fixed();
  for (int k = 0; k < 10000; ++k) build.body(fmt::format("ball_{}", k)).sphere(0.1).mass(1).position({1.0 * k, 0, 1});
  build.contact("*", "*").friction(0.3);
  build.contact("ball_*", "floor").restitution(0.5);
  const Model model = build.finish();
  EXPECT_LE(model.laws.groups(), 2);
  EXPECT_EQ(model.surfaces[static_cast<std::size_t>(model.surface_between(0, 10000))].restitution, 0.5);
  EXPECT_EQ(model.surfaces[static_cast<std::size_t>(model.surface_between(1, 10000))].friction_static, 0.3);
}

std::string refusal(void (*make)(ModelBuilder&), int dimension = 3) {
  try {
    ModelBuilder build(dimension);
    make(build);
    (void)build.finish();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ModelBuilder, MistakesAreNamedInOneLine) {
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").sphere(1); }), HasSubstr("body 'a' has no mass"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").sphere(-1).mass(1); }), HasSubstr("size is not positive"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").box({1, 0, 1}).mass(1); }), HasSubstr("body 'a'"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").disc(1).mass(1); }), HasSubstr("dimension 2"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").sphere(1).mass(kNaN); }), HasSubstr("mass"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").half_space(Vec3::Zero()).fixed(); }), HasSubstr("normal"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").half_space(Vec3::UnitZ()).density(1); }), HasSubstr("solid"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").sphere(1).mass(1).position({kNaN, 0, 0}); }),
              HasSubstr("not finite"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").sphere(1).mass(1).fixed(); }), HasSubstr("fixed"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").disc(1).mass(1).position({0, 0, 1}); }, 2),
              HasSubstr("outside the plane"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").polygon({{0, 0}, {1, 1}, {1, 0}, {0, 1}}).mass(1); }, 2),
              HasSubstr("body 'a'"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.body("a").sphere(1).mass(1), b.body("a").sphere(1).mass(1); }),
              HasSubstr("two bodies"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.contact("a", "*"); }), HasSubstr("'a', which does not exist"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.contact("*", "*").friction(0.1, 0.2); }), HasSubstr("friction"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.contact("*", "*").restitution(1.5); }), HasSubstr("restitution"));
  EXPECT_THAT(refusal([](ModelBuilder& b) { b.gravity({0, 0, 1}); }, 2), HasSubstr("plane"));
}

}  // namespace
}  // namespace stickslip::model
