// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a valid scene becomes.
#include "stickslip/scene/scene.h"

#include "stickslip/model/name_pattern.h"
#include "stickslip/scene/keys.h"
#include "stickslip/scene/svg_file.h"
#include "tests/support/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numbers>

namespace stickslip::scene {
namespace {

using model::BodyKind;

Scene plane(const std::string& text, const std::vector<Override>& overrides = {}) {
  return parse_scene("dimension = 2\nduration = 1\n" + text, "test.toml", overrides);
}
Scene space(const std::string& text) {
  return parse_scene("dimension = 3\nduration = 1\n" + text, "test.toml");
}

TEST(SceneFile, ReadsTheDesignSketch) {
  const Scene scene = parse_scene(R"(
title = "Meter stick on two fingers"
dimension = 2
gravity = [0, -9.81]
duration = 10
[parameters]
speed = 0.1
mu_s = 0.4
mu_k = 0.3
[method]
motion = "dynamic"
stepper = "stewart-trinkle"
friction = "cone"
step = 1e-3
solver = "auto"
[[body]]
name = "stick"
mass = 0.2
shape = { box = [1.0, 0.005] }
position = [0, 0.0025]
[[body]]
name = "left"
shape = { disc = 0.005 }
position = [-0.4, -0.005]
motion = { velocity = ["speed", 0] }
[[contact]]
between = ["stick", "*"]
friction = { static = "mu_s", kinetic = "mu_k" }
restitution = 0.0
[observe]
gap_to_left = "stick.x - left.x"
)",
                                  "sketch.toml");
  EXPECT_EQ(scene.title, "Meter stick on two fingers");
  EXPECT_EQ(scene.model.dimension, 2);
  EXPECT_EQ(scene.model.gravity, Vec3(0, -9.81, 0));
  EXPECT_EQ(scene.duration, 10);
  ASSERT_EQ(scene.parameters.size(), 3U);
  EXPECT_EQ(scene.parameters[0].name, "speed") << "in the order of the file";
  ASSERT_EQ(scene.model.bodies.size(), 2U);
  const model::Body& stick = scene.model.bodies[0];
  EXPECT_EQ(stick.kind, BodyKind::Planar);
  EXPECT_EQ(stick.mass, 0.2);
  EXPECT_NEAR(stick.inertia(2, 2), 0.2 * (1 + 0.005 * 0.005) / 12, 1e-16);
  EXPECT_FALSE(stick.drive.translation[0]);
  const model::Body& left = scene.model.bodies[1];
  EXPECT_EQ(left.mass, 0);
  EXPECT_DOUBLE_EQ(left.drive.translation[0](2).value, -0.4 + 0.2);
  EXPECT_DOUBLE_EQ(left.drive.translation[0](2).rate, 0.1);
  EXPECT_DOUBLE_EQ(left.drive.translation[1](2).value, -0.005);
  ASSERT_TRUE(left.drive.angle) << "what a motion does not mention stands still";
  EXPECT_EQ(left.drive.angle(2).value, 0);
  const int law = scene.model.surface_between(0, 1);
  EXPECT_EQ(scene.model.surfaces.at(law).friction_static, 0.4);
  EXPECT_EQ(scene.model.surfaces.at(law).friction_kinetic, 0.3);
  EXPECT_EQ(scene.model.surface_between(1, 0), law);
  EXPECT_EQ(scene.model.surface_between(0, 0), -1);
  ASSERT_EQ(scene.observables.size(), 1U);
  EXPECT_EQ(scene.observables[0].name, "gap_to_left");
}

TEST(SceneFile, OverridesReplaceParametersAndWhatDependsOnThem) {
  const std::string text =
      "[parameters]\na = 1\nb = \"2 * a\"\n[[body]]\nname = \"x\"\nmass = \"b\"\nshape = { disc = \"a\" }";
  EXPECT_EQ(plane(text).model.bodies[0].mass, 2);
  EXPECT_EQ(plane(text, {{"a", "3"}}).model.bodies[0].mass, 6);
  EXPECT_EQ(plane(text, {{"a", "1 + 1"}}).model.bodies[0].mass, 4);
  EXPECT_EQ(plane(text, {{"b", "a / 2"}}).model.bodies[0].mass, 0.5);
  const Scene scene = plane(text, {{"method.step", "1e-4"}, {"duration", "7"}, {"method.friction", "pyramid"}});
  EXPECT_EQ(scene.method.step, 1e-4);
  EXPECT_EQ(scene.method.friction, stepping::FrictionLaw::Pyramid);
  EXPECT_EQ(scene.duration, 7);
}

TEST(SceneFile, TheFrameMovesToTheCentreOfMass) {
  // A right triangle with legs 3: its centre lies at (1, 1) from the right angle.
  const Scene scene = plane(
      "[[body]]\nname = \"x\"\ndensity = 2\nposition = [10, 0]\nangle = \"90 deg\"\nshape = { polygon = [[0, 0], [3, "
      "0], [0, 3]] }");
  const model::Body& body = scene.model.bodies[0];
  EXPECT_NEAR(body.mass, 9, 1e-14);
  EXPECT_NEAR(body.initial.pose.position.x(), 9, 1e-14);
  EXPECT_NEAR(body.initial.pose.position.y(), 1, 1e-14);
  EXPECT_NEAR(body.shapes[0].pose.position.x(), -1, 1e-14);
  EXPECT_NEAR(body.shapes[0].pose.position.y(), -1, 1e-14);
  // m (b^2 + h^2) / 18 for a right triangle about its centre
  EXPECT_NEAR(body.inertia(2, 2), 9 * 18 / 18.0, 1e-13);
}

TEST(SceneFile, AGivenCentreOfMassMovesTheInertia) {
  const Scene scene = plane("[[body]]\nname = \"x\"\nmass = 2\ncentre_of_mass = [0.5, 0]\nshape = { box = [3, 1.6] }");
  EXPECT_NEAR(scene.model.bodies[0].inertia(2, 2), 2 * (9 + 2.56) / 12 + 2 * 0.25, 1e-13);
  EXPECT_NEAR(scene.model.bodies[0].initial.pose.position.x(), 0.5, 1e-15);
}

TEST(SceneFile, CompoundsAddUp) {
  const Scene scene = space(
      "[[body]]\nname = \"dumbbell\"\nmass = 4\nshapes = [ { sphere = 1, offset = [-5, 0, 0] }, { sphere = 1, offset = "
      "[5, 0, 0] } ]");
  const model::Body& body = scene.model.bodies[0];
  EXPECT_NEAR(body.inertia(0, 0), 4 * 0.4, 1e-13);
  EXPECT_NEAR(body.inertia(2, 2), 4 * 0.4 + 4 * 25, 1e-12);
}

TEST(SceneFile, ReadsEveryPlanarShape) {
  const std::string shapes[] = {
      "{ particle = true }",
      "{ points = [[0, 0], [1, 0]] }",
      "{ half-plane = { normal = [0, 2], offset = 1 } }",
      "{ disc = 1 }",
      "{ box = [1, 2] }",
      "{ polygon = [[0, 0], [1, 0], [0, 1]] }",
      "{ polygon = { outer = [[0, 0], [4, 0], [4, 4], [0, 4]], holes = [[[1, 1], [2, 1], [2, 2]]] } }",
      "{ svg = \"M -1 0 A 1 1 0 0 1 1 0 A 1 1 0 0 1 -1 0 Z\" }",
      "{ svg = { path = \"M0 0h2v2h-2z\", scale = 0.5, tolerance = 1e-3 } }",
      "{ chain = [[0, 0], [1, 0], [2, 1]] }",
      "{ superellipse = { a = 1, b = 2, exponent = 4 } }"};
  for (const std::string& shape : shapes) {
    const Scene scene = plane("[[body]]\nname = \"x\"\nfixed = true\nshape = " + shape);
    EXPECT_EQ(scene.model.bodies[0].shapes.size(), 1U) << shape;
  }
}

TEST(SceneFile, ReadsEverySpatialShape) {
  const std::string shapes[] = {"{ particle = true }",
                                "{ points = [[0, 0, 0], [1, 0, 0]] }",
                                "{ half-space = { normal = [0, 0, 2] } }",
                                "{ sphere = 1 }",
                                "{ box = [1, 2, 3] }",
                                "{ capsule = { radius = 1, length = 2 } }",
                                "{ cylinder = { radius = 1, length = 2 } }",
                                "{ ellipsoid = [1, 2, 3] }",
                                "{ superellipsoid = { semi_axes = [1, 2, 3], exponents = [4, 2.5] } }",
                                "{ polyhedron = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] } }",
                                "{ polyhedron = { vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces = "
                                "[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] } }"};
  for (const std::string& shape : shapes) {
    const Scene scene = space("[[body]]\nname = \"x\"\nfixed = true\nshape = " + shape);
    EXPECT_EQ(scene.model.bodies[0].shapes.size(), 1U) << shape;
  }
}

TEST(SceneFile, SvgOutlinesPointUpAndAreScaled) {
  // A circle of radius 1, scaled by 2. Chords within e = 1e-3 sqrt(8) of it (a thousandth of the size) take away at
  // most 2/3 e of its perimeter: 4 * 2 pi * 2/3 e = 0.0474.
  const Scene scene = plane(
      "[[body]]\nname = \"x\"\ndensity = 1\nshape = { svg = { path = \"M -1 0 A 1 1 0 0 1 1 0 A 1 1 0 0 1 -1 0 Z\", "
      "scale = 2 } }");
  EXPECT_NEAR(scene.model.bodies[0].mass, 4 * std::numbers::pi, 0.0475);
  const Scene up = plane("[[body]]\nname = \"x\"\nfixed = true\nshape = { svg = \"M0 0 L1 0 L0 -3 Z\" }");
  double highest = -10;
  for (const Vec2& p : std::get<model::Polygon>(up.model.bodies[0].shapes[0].shape).loops[0])
    highest = std::max(highest, p.y());
  EXPECT_EQ(highest, 3);
  EXPECT_EQ(first_path_in("<svg><rect/><path id=\"a\" d=\"M0 0h1v1z\"/></svg>"), "M0 0h1v1z");
  EXPECT_THROW((void)first_path_in("<svg><rect d=\"1\"/></svg>"), std::runtime_error);
}

TEST(SceneFile, FixedLockedAndFree) {
  const Scene scene = space(
      "[[body]]\nname = \"a\"\nfixed = true\nposition = [1, 2, 3]\n"
      "[[body]]\nname = \"b\"\nmass = 1\nshape = { sphere = 1 }\nlocked = [\"y\", \"rz\"]\n"
      "[[body]]\nname = \"c\"\nmass = 1\nshape = { sphere = 1 }\nmotion = { position = [\"t\", \"free\", 0], "
      "angular_velocity = \"free\" }\n"
      "[[body]]\nname = \"d\"\nmass = 1\nshape = { sphere = 1 }\nfixed = true\nposition = [1, 2, 3]\n");
  const auto& bodies = scene.model.bodies;
  // Without mass and without a function a body stands still; with mass it needs functions that say so.
  EXPECT_EQ(bodies[0].mass, 0);
  EXPECT_FALSE(bodies[0].drive.translation[2]);
  EXPECT_FALSE(bodies[0].drive.orientation);
  EXPECT_EQ(bodies[0].initial.pose.position, Vec3(1, 2, 3));
  EXPECT_EQ(bodies[3].drive.translation[2](5).value, 3);
  EXPECT_TRUE(bodies[3].drive.orientation);
  EXPECT_FALSE(bodies[1].drive.translation[0]);
  EXPECT_TRUE(bodies[1].drive.translation[1]);
  EXPECT_THAT(bodies[1].drive.rotation_locked, testing::ElementsAre(false, false, true));
  EXPECT_EQ(bodies[2].drive.translation[0](0.5).rate, 1);
  EXPECT_FALSE(bodies[2].drive.translation[1]);
  EXPECT_FALSE(bodies[2].drive.orientation);
}

TEST(SceneFile, ABodyCanStartOnAMovingOne) {
  const Scene scene = plane(
      "[[body]]\nname = \"plate\"\nposition = [1, 0]\nmotion = { angle = \"90 deg + 2 * t\", velocity = [3, 0] }\n"
      "[[body]]\nname = \"p\"\nshape = \"particle\"\nmass = 1\nframe = \"plate\"\nposition = [2, 0]\nvelocity = [0, "
      "5]\n");
  const model::BodyState& start = scene.model.bodies[1].initial;
  EXPECT_NEAR(start.pose.position.x(), 1, 1e-15);
  EXPECT_NEAR(start.pose.position.y(), 2, 1e-15);
  // 3 from the plate's velocity, -4 from its turning, -5 of its own.
  EXPECT_NEAR(start.velocity.linear.x(), 3 - 4 - 5, 1e-14);
  EXPECT_NEAR(start.velocity.linear.y(), 0, 1e-14);
}

TEST(SceneFile, CopiesHaveIndices) {
  const Scene scene = plane(
      "[[body]]\nname = \"ball\"\ncount = [3, 2]\nmass = 1\nshape = { disc = 0.1 }\nposition = [\"i\", \"10 * j + "
      "index\"]\n"
      "[[contact]]\nbetween = [\"ball_*\", \"ball_1\"]\nenabled = false");
  ASSERT_EQ(scene.model.bodies.size(), 6U);
  EXPECT_EQ(scene.model.bodies[4].name, "ball_4");
  EXPECT_EQ(scene.model.bodies[4].initial.pose.position, Vec3(1, 14, 0));
  EXPECT_EQ(scene.model.surface_between(4, 1), -1);
  EXPECT_EQ(scene.model.surface_between(4, 2), 0);
}

TEST(SceneFile, ForcesReadTheState) {
  const Scene scene = plane(
      "[parameters]\nk = 100\n[[body]]\nname = \"a\"\nmass = 1\nshape = { disc = 1 }\nposition = [0.5, 0]\n"
      "force = [\"-k * a.x\", \"2 * t\"]\ntorque = 7");
  model::State state = model::initial_state(scene.model);
  state.time = 3;
  model::Wrench wrench;
  for (const auto& force : scene.model.bodies[0].forces) force(state, wrench);
  EXPECT_EQ(wrench.force, Vec3(-50, 6, 0));
  EXPECT_EQ(wrench.torque, Vec3(0, 0, 7));
}

TEST(SceneFile, AForceThatIsNotANumberIsReportedWithNameAndTime) {
  const Scene scene = plane("[[body]]\nname = \"a\"\nmass = 1\nshape = { disc = 1 }\nforce = [\"sqrt(a.x)\", 0]");
  model::State state = model::initial_state(scene.model);
  state.time = 0.25;
  state.bodies[0].pose.position.x() = -1;
  model::Wrench wrench;
  try {
    scene.model.bodies[0].forces[0](state, wrench);
    FAIL();
  } catch (const SceneError& error) {
    EXPECT_STREQ(error.what(), "test.toml:7:10: 'force' of body 'a' is not a number (nan) at t = 0.25");
  }
}

TEST(SceneFile, PrescribedBodiesDoNotTouchEachOther) {
  const Scene scene = plane(
      "[[body]]\nname = \"a\"\nfixed = true\n[[body]]\nname = \"b\"\nmotion = { velocity = [1, 0] }\n"
      "[[body]]\nname = \"c\"\nmass = 1\nshape = { disc = 1 }\n[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = 1");
  EXPECT_EQ(scene.model.surface_between(0, 1), -1);
  EXPECT_EQ(scene.model.surfaces.at(scene.model.surface_between(0, 2)).friction_static, 1);
}

TEST(SceneFile, PatternsMatchAsPeopleExpect) {
  EXPECT_TRUE(model::matches("*", "anything"));
  EXPECT_TRUE(model::matches("ball_*", "ball_12"));
  EXPECT_TRUE(model::matches("*_1*", "ball_12"));
  EXPECT_TRUE(model::matches("a*b*c", "axxbyyc"));
  EXPECT_FALSE(model::matches("a*b*c", "axxbyy"));
  EXPECT_FALSE(model::matches("ball", "ball_1"));
  EXPECT_FALSE(model::matches("", "x"));
  EXPECT_TRUE(model::matches("**", ""));
}

TEST(SceneFile, BreakpointsOfAllMotionsAreCollected) {
  const Scene scene =
      plane("[[body]]\nname = \"a\"\nmotion = { velocity = [\"t < 0.5 ? 1 : 0\", \"t < 0.25 ? 1 : 0\"] }");
  EXPECT_THAT(scene.model.bodies[0].drive.breakpoints, testing::ElementsAre(0.25, 0.5));
  EXPECT_NEAR(scene.model.bodies[0].drive.translation[0](1).value, 0.5, 1e-15);
}

std::string read(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// docs/scene-reference.md holds the generated tables between two marks. STICKSLIP_UPDATE_REFERENCE=1 rewrites them.
TEST(SceneReference, IsWhatTheCodeSays) {
  const std::string path = std::string(tests::kSourceFolder) + "/docs/scene-reference.md";
  const std::string begin = "<!-- generated from the code: begin -->\n",
                    end = "<!-- generated from the code: end -->\n";
  std::string text = read(path);
  const std::size_t from = text.find(begin), to = text.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const std::size_t start = from + begin.size();
  if (std::getenv("STICKSLIP_UPDATE_REFERENCE") != nullptr) {
    text.replace(start, to - start, scene_reference());
    std::ofstream(path) << text;
  } else {
    EXPECT_TRUE(text.substr(start, to - start) == scene_reference())
        << "run this test once with STICKSLIP_UPDATE_REFERENCE=1 in the environment";
  }
}

}  // namespace
}  // namespace stickslip::scene
