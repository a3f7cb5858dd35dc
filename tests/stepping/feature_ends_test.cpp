// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contacts that end because their feature does: second order finds the instant.
//
//      o ->                     leaves the table at t = L / v and falls from there, whatever the step
//   ----------+
//             |
#include "tests/support/mechanics.h"
#include "tests/support/running.h"

#include "stickslip/collision/feature_collider.h"
#include "stickslip/model/primitives.h"

#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

constexpr double kLength = 0.5037, kSpeed = 1;

// Something that slides on a table without friction and starts kLength before its edge (plane).
model::Model table(model::Shape shape, model::BodyKind kind, double height) {
  model::Model model;
  model.dimension = 2;
  model.gravity = Vec3(0, -9.81, 0);
  model::Body slider;
  slider.name = "slider";
  slider.kind = kind;
  slider.mass = 1;
  slider.inertia(2, 2) = 1e-3;
  slider.shapes = {placed(std::move(shape))};
  slider.initial.pose.position = Vec3(-kLength, height, 0);
  slider.initial.velocity.linear = Vec3(kSpeed, 0, 0);
  model::Body block;
  block.name = "table";
  block.kind = model::BodyKind::Planar;
  block.shapes = {placed(model::make_rectangle(2, 1))};
  block.initial.pose.position = Vec3(-1, -0.5, 0);
  model.bodies = {slider, block};
  same_surface_everywhere(model, friction(0));
  return model;
}

model::BodyState after(const model::Model& model, const char* stepper, double h, double time) {
  const stepping::Method how = method(stepper, h);
  simulation::Simulation run(model, how, std::make_unique<collision::FeatureCollider>());
  EXPECT_TRUE(run.run_until(time));
  return run.state().bodies[0];
}

TEST(FeatureEnds, ParticleFallsFromTheEdgeOfATableAtItsInstant) {
  const model::Model model = table(model::PointSet{{Vec3::Zero()}}, model::BodyKind::Particle2, 0);
  const double fall = 1 - kLength / kSpeed, y = -0.5 * 9.81 * fall * fall;
  // The instant is found to 1e-7 of a step, and y changes with it by g times the time of the fall.
  for (double h : {2e-2, 1e-2, 1e-3})
    EXPECT_NEAR(after(model, kSecondOrder, h, 1).pose.position.y(), y, 9.81 * fall * 2e-7 * h + 1e-12) << h;
}

// A ball rolls over the edge: face, then corner, then flight. No closed form: steps must agree to second order.
TEST(FeatureEnds, DiscThatRollsOverACornerConvergesWithTheSquareOfTheStep) {
  model::Model model = table(model::Disc{0.1}, model::BodyKind::Planar, 0.1);
  model.bodies[0].inertia(2, 2) = 0.5 * 0.01;
  model.bodies[0].initial.velocity = {Vec3(0.3, 0, 0), Vec3(0, 0, -3)};
  model.bodies[0].initial.pose.position.x() = -0.1;
  same_surface_everywhere(model, friction(0.8));
  Vec3 p[4];
  const double steps[4] = {4e-3, 1e-3, 2.5e-4, 2e-5};
  for (int k = 0; k < 4; ++k) p[k] = after(model, kSecondOrder, steps[k], 0.6).pose.position;
  EXPECT_LT((p[1] - p[3]).norm(), 1e-4);
  EXPECT_LT((p[2] - p[3]).norm(), 0.12 * (p[1] - p[3]).norm()) << "a sixteenth, about";
}

}  // namespace
}  // namespace stickslip::testing
