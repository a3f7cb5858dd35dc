// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "tests/support/mechanics.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

TEST(Incline, HoldsExactlyBelowTheFrictionAngle) {
  for (double h : {1e-2, 1e-3}) {
    Experiment run(incline(0.5, 0.6), method(kFirstOrder, h));
    ASSERT_TRUE(run.simulation.run_until(1e-3 < h ? h : 1e-3));
    const double settled = slide_along(run.model, run.simulation.state());
    EXPECT_LE(std::fabs(settled), 1e-12);
    ASSERT_TRUE(run.simulation.run_until(10));
    EXPECT_EQ(slide_along(run.model, run.simulation.state()), settled);  // not one bit
  }
}

TEST(Incline, BreaksAwayAtTheFrictionAngle) {
  const double mu = 0.6;
  for (double h : {1e-2, 1e-3}) {
    Experiment holds(incline(mu * (1 - 1e-9), mu), method(kFirstOrder, h));
    ASSERT_TRUE(holds.simulation.run_until(10));
    // The first step is solved to 1e-13 from nothing; from then on the box is at rest.
    EXPECT_LE(std::fabs(slide_along(holds.model, holds.simulation.state())), 1e-10);
    EXPECT_EQ(holds.body(0).velocity.linear.norm(), 0);

    Experiment slides(incline(mu * (1 + 1e-9), mu), method(kFirstOrder, h));
    ASSERT_TRUE(slides.simulation.run_until(10));
    const double a = 9.81 * mu * 1e-9 / std::sqrt(1 + mu * mu);  // g (sin - mu cos)
    EXPECT_NEAR(slide_along(slides.model, slides.simulation.state()), 0.5 * a * 100, 0.01 * 0.5 * a * 100);
  }
}

TEST(Pinch, FrictionOfTwoJawsCarriesTheBox) {
  for (double h : {1e-2, 1e-3}) {
    Experiment run(pinch(20, 1), method(kFirstOrder, h));
    ASSERT_TRUE(run.simulation.run_until(5));
    EXPECT_LE(std::fabs(run.body(0).pose.position.z()), 1e-12);
  }
  Experiment drops(pinch(4, 1), method(kFirstOrder, 1e-3));  // 2 mu F = 8 N < 9.81 N
  ASSERT_TRUE(drops.simulation.run_until(1));
  EXPECT_NEAR(drops.body(0).pose.position.z(), -0.5 * (9.81 - 8), 2e-3);  // first order in h
}

TEST(BoxAtRest, SlowDoesNotMoveByOneBitInTenHours) {
  Experiment run(incline(0.1, 0.6), method(kFirstOrder, 1e-2));
  ASSERT_TRUE(run.simulation.run_until(1));
  const std::string settled = bits(run.simulation.state());
  for (int k = 0; k < 3600000; ++k) ASSERT_TRUE(run.simulation.step().certified);
  EXPECT_EQ(bits(run.simulation.state()), settled);
}

TEST(BoxAtRest, DoesNotMoveByOneBit) {
  for (const char* stepper : {kFirstOrder, kSecondOrder}) {
    Experiment run(incline(0.1, 0.6), method(stepper, 1e-2));
    ASSERT_TRUE(run.simulation.run_until(1));
    const std::string settled = bits(run.simulation.state());
    for (int k = 0; k < 20000; ++k) ASSERT_TRUE(run.simulation.step().certified);
    EXPECT_EQ(bits(run.simulation.state()), settled) << stepper;
  }
}

// A top without torque: the discrete step keeps energy and |L| to rounding, and L's direction to first order.
TEST(FreeTop, KeepsEnergyAtAnyStep) {
  model::Model model;
  model::Body body;
  body.name = "top";
  body.mass = 1;
  body.inertia = Vec3(1.0, 2.5, 3.0).asDiagonal();
  body.initial.velocity.angular = Vec3(0.1, 3, 0.2);
  model.bodies = {body};
  same_surface_everywhere(model, friction(0));
  Experiment run(model, method(kFirstOrder, 1e-2));
  const double e0 = contact::kinetic_energy(run.model, run.simulation.state());
  const Vec3 l0 =
      contact::angular_momentum(run.model.bodies[0], run.body(0).pose.orientation, run.body(0).velocity.angular);
  ASSERT_TRUE(run.simulation.run_until(20));
  EXPECT_NEAR(contact::kinetic_energy(run.model, run.simulation.state()) / e0, 1, 1e-11);
  const Vec3 l =
      contact::angular_momentum(run.model.bodies[0], run.body(0).pose.orientation, run.body(0).velocity.angular);
  EXPECT_NEAR(l.norm() / l0.norm(), 1, 1e-11);
  EXPECT_NEAR(run.body(0).pose.orientation.norm(), 1, 4e-16);
}

TEST(FreeFlight, MomentumIsExact) {
  model::Model model = ball();
  model.bodies[0].initial.pose.position.z() = 100;
  Experiment run(model, method(kFirstOrder, 1e-3));
  ASSERT_TRUE(run.simulation.run_until(1));
  EXPECT_EQ(run.body(0).velocity.linear.x(), 1);
  EXPECT_EQ(run.body(0).velocity.angular, Vec3(40, -20, -10));
  EXPECT_NEAR(run.body(0).velocity.linear.z(), -9.8, 1e-12);
}

// Collisions without restitution: friction and impacts only take energy. What turning bodies penetrate by O(h^2) and
// is pushed out again may give back a little, which must vanish with h.
TEST(Peg, EnergyIsNotGained) {
  double worst[2];
  const double steps[2] = {2e-3, 5e-4};
  for (int k = 0; k < 2; ++k) {
    worst[k] = 0;
    for (double tilt : {0.3, 0.7, 1.1, 1.5}) {
      Experiment run(peg(0.4, 0.15, tilt), method(kFirstOrder, steps[k]));
      const auto energy = [&] {
        return contact::kinetic_energy(run.model, run.simulation.state()) +
               contact::potential_energy(run.model, run.simulation.state());
      };
      const double start = energy();
      double before = start;
      run.simulation.run_until(1, [&](const simulation::Simulation&) {
        const double now = energy();
        worst[k] = std::max(worst[k], (now - before) / start);
        before = now;
        return true;
      });
      EXPECT_EQ(run.simulation.failure(), nullptr);
    }
  }
  EXPECT_LT(worst[0], 5e-3);
  EXPECT_LE(worst[1], 0.5 * worst[0]);
}

TEST(Bounce, RestitutionReturnsItsShareOfTheSpeed) {
  model::Model model = ball(0.2, Vec3::Zero(), Vec3::Zero());
  model.bodies[0].initial.pose.position.z() = 1.05;
  model.surfaces[0].restitution = 0.8;
  Experiment run(model, method(kFirstOrder, 1e-4));
  double highest_after = 0;
  bool touched = false;
  run.simulation.run_until(1.2, [&](const simulation::Simulation& now) {
    const auto& s = now.state().bodies[0];
    touched |= s.velocity.linear.z() > 0;
    if (touched) highest_after = std::max(highest_after, s.pose.position.z() - 0.05);
    return true;
  });
  EXPECT_NEAR(highest_after, 0.64, 5e-3);  // e^2 of the drop, first order in h
}

TEST(StaticAndKinetic, TheStickStartsAtStaticAndSlidesAtKineticFriction) {
  // tangent between the two coefficients: at rest it holds, once pushed it slides on.
  model::Model model = incline(0.35, 0.4);
  model.surfaces[0] = friction(0.4, 0.3);
  Experiment rest(model, method(kFirstOrder, 1e-3));
  ASSERT_TRUE(rest.simulation.run_until(1));
  EXPECT_EQ(slide_along(rest.model, rest.simulation.state()), 0);
  const Vec3 n = std::get<model::HalfSpace>(model.bodies[1].shapes[0].shape).normal;
  const Vec3 down = (model.gravity - model.gravity.dot(n) * n).normalized();
  model.bodies[0].initial.velocity.linear = 0.01 * down;
  Experiment pushed(model, method(kFirstOrder, 1e-3));
  ASSERT_TRUE(pushed.simulation.run_until(1));
  const double a = 9.81 * (0.35 - 0.3) / std::sqrt(1 + 0.35 * 0.35);
  EXPECT_NEAR(slide_along(pushed.model, pushed.simulation.state()), 0.01 + 0.5 * a, 2e-3);
}

TEST(Pyramid, TwoDirectionsAreTheConeInThePlane) {
  for (const auto law : {stepping::FrictionLaw::Cone, stepping::FrictionLaw::Pyramid}) {
    stepping::Method how = method(kFirstOrder, 1e-3);
    how.friction = law;
    Experiment run(peg(0.3, 0.1, 0.6), how);
    ASSERT_TRUE(run.simulation.run_until(0.6)) << stepping::name_of(law);
    static Vec3 cone;
    if (law == stepping::FrictionLaw::Cone) cone = run.body(0).pose.position;
    // The same trajectory; solutions to rounding, amplified by a few impacts.
    else
      EXPECT_LT((run.body(0).pose.position - cone).norm(), 1e-9);
  }
}

}  // namespace
}  // namespace stickslip::testing
