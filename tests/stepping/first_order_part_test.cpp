// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Where events pile up the second-order stepper takes the step of Stewart and Trinkle: that of a brush of 20 bristles
// must be that step, whatever friction, damping, overlaps and drives do.
#include "stickslip/collision/feature_collider.h"
#include "stickslip/scene/scene.h"
#include "stickslip/stepping/component_step.h"
#include "stickslip/stepping/components.h"
#include "tests/support/running.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

// 4 x 5 points below the centre of mass, on a floor.
scene::Scene brush(const std::string& body, const std::string& floor = "fixed = true") {
  std::string points;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 5; ++k) points += fmt::format("[{}, {}, -0.1], ", 0.1 * i - 0.15, 0.1 * k - 0.2);
  const std::string text = fmt::format(R"(
dimension = 3
gravity = [0, 0, -9.81]
duration = 1
[method]
step = 1e-3
[[body]]
name = "floor"
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
{}
[[body]]
name = "brush"
mass = 1
inertia = [0.02, 0.03, 0.04]
shape = {{ points = [{}] }}
{}
[[contact]]
between = ["brush", "floor"]
friction = {{ static = 0.6, kinetic = 0.3 }}
)",
                                       floor, points, body);
  return scene::parse_scene(text, "brush.toml");
}

// The first-order part of a step from where each step of a run begins, beside that step.
void expect_same_step(const scene::Scene& scene, int steps = 1) {
  stepping::Method method = scene.method;
  method.audit = stepping::Auditing::Off;  // bodies that start inside each other are pushed apart
  method.stepper = kFirstOrder;
  simulation::Simulation run(scene.model, method);
  for (int k = 0; k < steps; ++k) {
    collision::FeatureCollider collider;
    stepping::World world(scene.model, method, collider);
    world.state = run.state();
    stepping::Components components;
    stepping::ComponentStep step;
    components.prepare(world);
    step.begin(world, method.step, world.state.time + method.step);
    components.find_contacts(world, method.step, step.data.place_ends(world));
    step.run_first_order(world, components.make(world)[0], method.step);
    ASSERT_TRUE(step.trial.certified) << "step " << k;
    ASSERT_TRUE(run.step().certified);
    const model::BodyState &x = run.state().bodies[1], &y = step.trial.bodies[0];
    // Both are solved to the certificate's scale, from other impulses to start with; velocities are of order one.
    constexpr double kRounding = 5e-10;
    EXPECT_LE((x.velocity.linear - y.velocity.linear).norm(), kRounding) << "step " << k;
    EXPECT_LE((x.velocity.angular - y.velocity.angular).norm(), kRounding) << "step " << k;
    EXPECT_LE((x.pose.position - y.pose.position).norm(), kRounding) << "step " << k;
    EXPECT_LE((x.pose.orientation.coeffs() - y.pose.orientation.coeffs()).norm(), kRounding) << "step " << k;
  }
}

TEST(FirstOrderPart, StaticFrictionThatBreaksGivesWayToTheKinetic) {
  const scene::Scene scene = brush("position = [0, 0, 0.1]\nforce = [\"7\", \"0\", \"0\"]");
  expect_same_step(scene);
  // 7 N against 0.3 m g: the closed form of one step, also where events are taken together.
  stepping::Method method = scene.method;
  method.stepper = kSecondOrder;
  simulation::Simulation run(scene.model, method);
  ASSERT_TRUE(run.step().certified);
  EXPECT_NEAR(run.state().bodies[1].velocity.linear.x(), 1e-3 * (7 - 0.3 * 9.81), 1e-12);
}

TEST(FirstOrderPart, DampingOfRotationActsOnWhatTumblingLeaves) {
  expect_same_step(brush("position = [0, 0, 0.1004]\nangular_velocity = [0.3, -0.2, 5]\nangular_damping = 0.5"));
}

TEST(FirstOrderPart, OverlapsLeaveAtTheSameSpeed) {
  for (const char* depth : {"1e-5", "1e-3", "2e-2"})
    expect_same_step(brush(fmt::format("position = [0, 0, \"0.1 - {}\"]", depth)), 3);
}

TEST(FirstOrderPart, ADrivenFloorCarriesAndLifts) {
  expect_same_step(
      brush("position = [0, 0, 0.1]", "motion = { position = [\"0.2 * t + t^2\", \"0\", \"0.1 * t + 3 * t^2\"] }"), 3);
}

}  // namespace
}  // namespace stickslip::testing
