// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A cylinder that stands rests on its whole rim, not on the eight points of it that collision lists.
//
//        ____
//   P ->|    |        tips about the rim's point ahead when  P H/2 > m g R,  whatever the direction of P
//       |____|
//   ==============    and, where it hangs over an edge, when its middle is beyond that edge
#include "tests/support/mechanics.h"
#include "tests/support/running.h"

#include "stickslip/collision/feature_collider.h"
#include "stickslip/model/primitives.h"

#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

constexpr double kRadius = 0.1, kHeight = 0.4, kMass = 1, kGravity = 9.81;

model::Body cylinder(double z) {
  model::Body body;
  body.name = "cylinder";
  body.mass = kMass;
  const double across = kMass * (3 * kRadius * kRadius + kHeight * kHeight) / 12;
  body.inertia = Vec3(across, across, kMass * kRadius * kRadius / 2).asDiagonal();
  body.shapes = {placed(model::Cylinder{kRadius, kHeight / 2})};
  body.initial.pose.position = Vec3(0, 0, z + kHeight / 2);
  return body;
}

model::Model pushed(double share, double direction) {
  model::Model model;
  model.gravity = Vec3(0, 0, -kGravity);
  model::Body body = cylinder(0);
  const double P = share * kMass * kGravity * 2 * kRadius / kHeight;
  const Vec3 force(P * std::cos(direction), P * std::sin(direction), 0);
  body.forces = {[force](const model::State&, model::Wrench& wrench) { wrench.force += force; }};
  model.bodies = {body, floor(Vec3::UnitZ())};
  same_surface_everywhere(model, friction(3));
  return model;
}

double spin_after(const model::Model& model, const char* stepper, double h, double time) {
  const stepping::Method how = method(stepper, h);
  simulation::Simulation run(model, how, std::make_unique<collision::FeatureCollider>());
  EXPECT_TRUE(run.run_until(time)) << stepper;
  return run.state().bodies[0].velocity.angular.norm();
}

class StandingCylinder : public ::testing::TestWithParam<const char*> {};

TEST_P(StandingCylinder, TipsAtTheSameForceInEveryDirection) {
  for (double direction : {0.0, 0.1, 0.2, 0.3, 0.3927, 0.5, 0.7854, 2.9, 4.4}) {
    EXPECT_EQ(spin_after(pushed(0.99, direction), GetParam(), 1e-3, 0.05), 0) << "towards " << direction;
    // Tipping starts with P H/2 - m g R over the inertia about the rim, and grows a little. A cylinder that hardly
    // leans also wobbles about its axis, by what rounding began.
    const double moment = 0.02 * kMass * kGravity * kRadius;
    const double inertia =
        kMass * (3 * kRadius * kRadius + kHeight * kHeight) / 12 + kMass * (kRadius * kRadius + kHeight * kHeight / 4);
    const double expected = 0.05 * moment / inertia;
    const double spin = spin_after(pushed(1.02, direction), GetParam(), 1e-3, 0.05);
    EXPECT_NEAR(spin, expected, 0.2 * expected) << "towards " << direction;
  }
}

TEST_P(StandingCylinder, HangsOverAnEdgeUpToItsMiddle) {
  for (double turn : {0.0, 0.2, 0.39}) {
    for (double beyond : {-1e-4, 1e-4}) {
      model::Model model;
      model.gravity = Vec3(0, 0, -kGravity);
      model::Body table;
      table.name = "table";
      table.shapes = {placed(model::make_box(Vec3(1, 1, 0.2)))};
      table.initial.pose.position = Vec3(-0.5 - beyond, 0.02, -0.1);
      model::Body body = cylinder(0);
      body.initial.pose.orientation = Quat(Eigen::AngleAxisd(turn, Vec3::UnitZ()));
      model.bodies = {body, table};
      same_surface_everywhere(model, friction(1));
      const double spin = spin_after(model, GetParam(), 1e-3, 0.05);
      if (beyond < 0)
        EXPECT_EQ(spin, 0) << "turned by " << turn;
      else
        EXPECT_GT(spin, 1e-4) << "turned by " << turn;
    }
  }
}

TEST_P(StandingCylinder, HangsOverTheRimOfAnotherOne) {
  for (double turn : {0.1, 0.39}) {
    for (double offset : {kRadius * (1 - 1e-3), kRadius * (1 + 1e-3)}) {
      // What tips there takes turns between two points at the end of a step: implicit says that it does not settle.
      if (offset > kRadius && std::string(GetParam()) == "implicit") continue;
      model::Model model;
      model.gravity = Vec3(0, 0, -kGravity);
      model::Body below = cylinder(-kHeight);
      below.mass = 0;
      below.initial.pose.orientation = Quat(Eigen::AngleAxisd(turn, Vec3::UnitZ()));
      model::Body body = cylinder(0);
      body.initial.pose.position.x() = offset;
      model.bodies = {body, below};
      same_surface_everywhere(model, friction(1));
      const double spin = spin_after(model, GetParam(), 1e-3, 0.05);
      if (offset < kRadius)
        EXPECT_EQ(spin, 0) << "turned by " << turn;
      else
        EXPECT_GT(spin, 1e-4) << "turned by " << turn;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Steppers, StandingCylinder,
                         ::testing::Values("stewart-trinkle", "anitescu-potra", "implicit", "second-order"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace stickslip::testing
