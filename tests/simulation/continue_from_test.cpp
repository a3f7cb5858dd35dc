// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A run that goes on with other parameters.
#include "stickslip/model/primitives.h"
#include "tests/support/mechanics.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

// A ball that slides loses mu g of its speed per second; when friction goes away it keeps what it has.
TEST(ContinueFrom, BallGoesOnWithoutFriction) {
  Experiment rough(ball(0.2, Vec3(1, 0, 0), Vec3::Zero()), method(kFirstOrder, 1e-3));
  ASSERT_TRUE(rough.simulation.run_until(0.05));
  const double speed = rough.body(0).velocity.linear.x();
  EXPECT_NEAR(speed, 1 - 0.2 * 9.8 * 0.05, 1e-9) << "constant friction: the stepper is exact";

  Experiment smooth(ball(0, Vec3(5, 5, 0), Vec3::Zero()), method(kSecondOrder, 2e-3));
  smooth.simulation.continue_from(rough.simulation);
  EXPECT_EQ(smooth.simulation.time(), rough.simulation.time());
  EXPECT_EQ(bits(smooth.simulation.state()), bits(rough.simulation.state()));
  ASSERT_TRUE(smooth.simulation.run_until(0.15));
  EXPECT_NEAR(smooth.body(0).velocity.linear.x(), speed, 1e-12);
  EXPECT_NEAR(smooth.body(0).pose.position.x(), rough.body(0).pose.position.x() + 0.1 * speed, 1e-12);
  EXPECT_NEAR(smooth.body(0).pose.position.z(), 0.05, 1e-12) << "still on the floor";
  EXPECT_EQ(smooth.simulation.counters().steps, 50 + 50);
}

// A chain has no inside; what lies on it stays there when a parameter of the model changes.
TEST(ContinueFrom, BoxStaysOnItsChain) {
  const auto on_chain = [](double mu) {
    model::Model model;
    model.dimension = 2;
    model.gravity = Vec3(0, -9.81, 0);
    model::Body box, chain;
    box.name = "box";
    box.kind = chain.kind = model::BodyKind::Planar;
    box.mass = 1;
    box.inertia(2, 2) = (0.2 * 0.2 + 0.1 * 0.1) / 12;
    box.shapes = {placed(model::make_rectangle(0.2, 0.1))};
    box.initial.pose.position = Vec3(0, 0.2, 0);
    chain.name = "chain";
    model::Chain line;
    line.points = {Vec2(-1, -0.3), Vec2(1, 0.3)};
    chain.shapes = {placed(line)};
    model.bodies = {box, chain};
    same_surface_everywhere(model, friction(mu));
    return model;
  };
  const model::Model rough = on_chain(0.8), rougher = on_chain(0.81);
  const stepping::Method how = method(kFirstOrder, 1e-3);
  simulation::Simulation before(rough, how), after(rougher, how);
  ASSERT_TRUE(before.run_until(1.0));
  after.continue_from(before);
  ASSERT_TRUE(after.run_until(2.0));
  EXPECT_NEAR(after.state().bodies[0].pose.position.y(), before.state().bodies[0].pose.position.y(), 1e-6)
      << "friction holds it";
}

TEST(ContinueFrom, AnotherNumberOfBodiesIsRefused) {
  Experiment one(ball(), method(kFirstOrder, 1e-3));
  model::Model more = ball();
  more.bodies.insert(more.bodies.begin(), more.bodies[0]);
  same_surface_everywhere(more, friction(0.2));
  Experiment two(more, method(kFirstOrder, 1e-3));
  EXPECT_THROW(two.simulation.continue_from(one.simulation), std::invalid_argument);
}

}  // namespace
}  // namespace stickslip::testing
