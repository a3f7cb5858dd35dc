// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The smallest parts of derivatives, each on its own: rows of numbers, how contacts turn, what is varied and what that
// changes in a model. Expected values are closed forms, Eigen's, or differences of geometry that this file takes.
#include "stickslip/collision/registry.h"
#include "stickslip/contact/contact_rows.h"
#include "stickslip/sensitivity/contact_bend.h"
#include "stickslip/sensitivity/differentiable_stepper.h"
#include "stickslip/sensitivity/direction.h"
#include "stickslip/sensitivity/model_difference.h"
#include "stickslip/sensitivity/start_coordinate.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/sensitivity/tangent_rows.h"
#include "tests/support/mechanics.h"

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <random>

namespace stickslip::sensitivity {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class RandomRows {
 public:
  explicit RandomRows(unsigned seed) : random_(seed) {}
  Rows rows(int count, int width) {
    return Rows::NullaryExpr(count, width, [&] { return number_(random_); });
  }
  Vec3 vector() { return Vec3(number_(random_), number_(random_), number_(random_)); }

 private:
  std::mt19937 random_;
  std::uniform_real_distribution<double> number_{-1, 1};
};

TEST(TangentRows, SumsAreThoseOfMatrices) {
  constexpr int kWidth = 5;
  constexpr double kRounding = 1e-15;
  RandomRows random(1);
  const Rows X = random.rows(3, kWidth), x = random.rows(1, kWidth), Y = random.rows(3, kWidth),
             y = random.rows(1, kWidth);
  const Vec3 v = random.vector();
  const Mat3 M = random.rows(3, 3);
  Rows row = y, three = Y;
  rows::add(kWidth, 0.7, x.data(), row.data());
  EXPECT_LE((row - (y + 0.7 * x)).norm(), kRounding);
  row = y;
  rows::add_dot(kWidth, v, X.data(), row.data());
  EXPECT_LE((row - (y + v.transpose() * X)).norm(), kRounding);
  rows::add_outer(kWidth, v, x.data(), three.data());
  EXPECT_LE((three - (Y + v * x)).norm(), kRounding);
  three = Y;
  rows::add_cross(kWidth, 0.7, v, X.data(), three.data());
  for (int k = 0; k < kWidth; ++k)
    EXPECT_LE((Vec3(three.col(k)) - (Y.col(k) + 0.7 * v.cross(Vec3(X.col(k))))).norm(), kRounding);
  three = Y;
  rows::add_product(kWidth, M, X.data(), three.data());
  EXPECT_LE((three - (Y + M * X)).norm(), 2 * kRounding);
}

// Rows stay where they are while others are taken, and are zero each time.
TEST(TangentRows, RowsLiveUntilTheReset) {
  rows::Arena arena;
  arena.reset(100);
  std::vector<double*> taken;
  for (int k = 0; k < 500; ++k) {  // 50,000 numbers: several chunks
    taken.push_back(arena.take(1));
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(taken.back()[i], 0);
      taken.back()[i] = k;
    }
  }
  for (std::size_t k = 0; k < taken.size(); ++k) EXPECT_EQ(taken[k][99], static_cast<double>(k));
  arena.reset(100);
  EXPECT_EQ(arena.take(1), taken[0]);  // no allocation when warm
  EXPECT_EQ(taken[0][0], 0);
}

// A ball above a floor that turns (closed form), and beside another ball or an ellipsoid (differences): both bodies are moved
// and turned at random, and the contact is evaluated again.
class BendOfABall : public ::testing::TestWithParam<int> {};

TEST_P(BendOfABall, IsTheDifferenceOfTheGeometry) {
  model::Model model = testing::ball();
  if (GetParam() == 1) model.bodies[1].shapes = {testing::placed(model::Sphere{0.2})};
  if (GetParam() == 2) model.bodies[1].shapes = {testing::placed(model::Superellipsoid{0.3, 0.2, 0.1, 2, 2})};
  model.bodies[1].initial.pose.position = Vec3(0.05, 0.02, GetParam() == 1 ? -0.21 : GetParam() == 2 ? -0.11 : -0.01);
  const auto collider = collision::make_collider("features");
  const model::State state = model::initial_state(model);
  std::vector<collision::Contact> contacts;
  collider->find(model, state, 1, 0, contacts);
  ASSERT_EQ(contacts.size(), 1U);
  contact::ContactRows frame;
  contact::set_rows<3>(contacts[0], state, frame);

  constexpr int kWidth = 3;
  RandomRows random(static_cast<unsigned>(GetParam()) + 7);
  const Rows moves[2] = {random.rows(6, kWidth), random.rows(6, kWidth)};
  rows::Arena arena;
  arena.reset(kWidth);
  ContactBends bends(model, *collider);
  bends.set_state(state);
  ContactBend bend;
  bends.set(contacts[0], frame, {state.bodies[0], moves[0].data(), nullptr},
            {state.bodies[1], moves[1].data(), nullptr}, nullptr, kWidth, arena, bend);

  constexpr double kStep = 1e-5, kError = 2e-8;  // of central differences: their square over the ball's, and rounding
  for (int k = 0; k < kWidth; ++k) {
    Eigen::VectorXd direction = Eigen::VectorXd::Zero(2 * kBodyTangent);
    for (int body = 0; body < 2; ++body) direction.segment<6>(body * kBodyTangent) = moves[body].col(k);
    Rows difference = Rows::Zero(5, 3);  // normal, two tangents, arms
    for (const double sign : {-1.0, 1.0}) {
      model::State moved;
      move_along(state, direction, sign * kStep, moved);
      std::vector<collision::Contact> again = contacts;
      collider->refresh(model, moved, again);
      contact::ContactRows rows;
      contact::carry_frame(frame, again[0].normal, 3, rows);
      const Vec3 arms[2] = {again[0].point_a - moved.bodies[0].pose.position,
                            again[0].point_b - moved.bodies[1].pose.position};
      for (int i = 0; i < 5; ++i)
        difference.row(i) += sign / (2 * kStep) * (i < 3 ? rows.direction[i] : arms[i - 3]).transpose();
    }
    const double* const found[5] = {bend.d_direction[0], bend.d_direction[1], bend.d_direction[2], bend.d_arm_a,
                                    bend.d_arm_b};
    for (int i = 0; i < 5; ++i)
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(found[i][axis * kWidth + k], difference(i, axis), kError) << "row " << i << " axis " << axis;
  }
}

INSTANTIATE_TEST_SUITE_P(OnAFloorABallAndAnEllipsoid, BendOfABall, ::testing::Values(0, 1, 2));

scene::Scene disc_on_a_table(std::vector<scene::Override> overrides = {}) {
  return scene::parse_scene(R"toml(
dimension = 2
gravity = [0, -10]
duration = 1
[parameters]
speed = 3
swing = 0.1
mu = 0.2
[method]
step = 1e-3
[[body]]
name = "table"
shape = { half-plane = { normal = [0, 1] } }
motion = { position = ["swing * sin(t)", 0] }
[[body]]
name = "disc"
shape = { disc = 0.1 }
mass = 1
position = [2, 0.1]
angle = 0.5
velocity = ["speed", 0]
[[contact]]
between = ["disc", "table"]
friction = "mu"
)toml",
                            "disc.toml", overrides);
}

TEST(StartCoordinate, NamesValuesAndMoves) {
  const scene::Scene scene = disc_on_a_table();
  EXPECT_TRUE(names_start("disc.vx"));
  EXPECT_FALSE(names_start("mu"));
  EXPECT_EQ(start_coordinates(scene),
            (std::vector<std::string>{"disc.x", "disc.y", "disc.angle", "disc.vx", "disc.vy", "disc.wz"}));
  const double values[] = {2, 0.1, 0.5, 3, 0, 0};
  int k = 0;
  for (const std::string& name : start_coordinates(scene)) {
    const StartCoordinate coordinate = start_coordinate(scene, name);
    EXPECT_EQ(coordinate.body, 1);
    EXPECT_DOUBLE_EQ(start_value(scene.model, coordinate), values[k]) << name;
    model::Model moved = scene.model;
    move_start(coordinate, 0.25, moved);
    EXPECT_DOUBLE_EQ(start_value(moved, coordinate), values[k] + 0.25) << name;
    ++k;
  }
}

TEST(StartCoordinate, WhatIsNotThereIsRefusedByName) {
  const scene::Scene scene = disc_on_a_table();
  const auto message = [&](const char* name) -> std::string {
    try {
      (void)start_coordinate(scene, name);
    } catch (const scene::SceneError& error) {
      return error.message();
    }
    return "none";
  };
  EXPECT_EQ(message("disk.x"), "the scene has no body 'disk'");
  EXPECT_EQ(message("disc.z"), "'disc' has no start coordinate 'z'");
  EXPECT_EQ(message("table.x"), "'table.x' is prescribed: it has no initial value to vary");
}

// What each parameter changes: the start, prescribed motion, or a law.
TEST(ModelDifference, TellsMotionFromLaws) {
  const scene::Scene scene = disc_on_a_table();
  const auto with = [](const char* name, const char* value) { return disc_on_a_table({{name, value}}).model; };
  const model::Model faster = with("speed", "4"), swings = with("swing", "0.2"), rougher = with("mu", "0.3");
  EXPECT_TRUE(same_but_for_motion(scene.model, faster));
  EXPECT_TRUE(same_but_for_motion(scene.model, swings));
  EXPECT_FALSE(same_but_for_motion(scene.model, rougher));
  EXPECT_TRUE(drive_changes(scene.model, faster).empty());
  const std::vector<DriveChange> changes = drive_changes(scene.model, swings);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].body, 0);
  EXPECT_TRUE(changes[0].translation[0]);
  EXPECT_FALSE(changes[0].translation[1]);
  EXPECT_FALSE(changes[0].rotation);
}

TEST(Direction, EntersTheModelUnlessOnlyMotionDiffers) {
  const model::Model model;
  Direction direction;
  EXPECT_FALSE(direction.enters_model());
  direction.low = direction.high = &model;
  direction.above = 0.25;
  EXPECT_TRUE(direction.enters_model());
  EXPECT_EQ(direction.width(), 0.25);
  direction.drives_only = true;
  EXPECT_FALSE(direction.enters_model());
}

// Second-order steps differentiate a disc on a table; with supports they do not, and a first-order stepper that does is
// taken, unless the scene names one.
TEST(DifferentiableStepper, IsTakenWhereTheChosenOneHasNoDerivatives) {
  const std::string on_supports = R"toml(
dimension = 2.5
gravity = [0, 0, -10]
duration = 0.1
[method]
step = 1e-3
METHOD
[[body]]
name = "block"
shape = { box = [0.1, 0.1] }
mass = 1
velocity = [1, 0]
support = { friction = 0.3, points = [[0.05, 0.05], [-0.05, 0.05], [0, -0.05]] }
)toml";
  const auto stepper_for = [](std::string text, const std::string& line) {
    text.replace(text.find("METHOD"), 6, line);
    return with_differentiable_stepper(scene::parse_document(text, "block.toml"), {});
  };
  const DifferentiableStepper other = stepper_for(on_supports, "");
  ASSERT_EQ(other.overrides.size(), 1U);
  EXPECT_EQ(other.overrides[0].name, "method.stepper");
  EXPECT_EQ(other.overrides[0].value, "stewart-trinkle");
  EXPECT_NE(other.note.find("instead of second-order"), std::string::npos) << other.note;
  const DifferentiableStepper named = stepper_for(on_supports, "stepper = \"second-order\"");
  EXPECT_TRUE(named.overrides.empty());
  EXPECT_EQ(named.note, "");
}

}  // namespace
}  // namespace stickslip::sensitivity
