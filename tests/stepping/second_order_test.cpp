// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/scene/scene.h"
#include "tests/support/mechanics.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace stickslip::testing {
namespace {

double order(double coarse, double fine, double ratio) {
  return std::log(coarse / fine) / std::log(ratio);
}

TEST(SecondOrderIncline, HoldsExactlyAndBreaksAway) {
  for (double h : {1e-2, 1e-3}) {
    Experiment run(incline(0.5, 0.6), method(kSecondOrder, h));
    ASSERT_TRUE(run.simulation.run_until(10));
    EXPECT_EQ(slide_along(run.model, run.simulation.state()), 0);
    Experiment slides(incline(0.6 * (1 + 1e-9), 0.6), method(kSecondOrder, h));
    ASSERT_TRUE(slides.simulation.run_until(10));
    const double a = 9.81 * 0.6e-9 / std::sqrt(1.36);
    EXPECT_NEAR(slide_along(slides.model, slides.simulation.state()), 50 * a, 0.01 * 50 * a);
    Experiment grip(pinch(20, 1), method(kSecondOrder, h));
    ASSERT_TRUE(grip.simulation.run_until(5));
    EXPECT_LE(std::fabs(grip.body(0).pose.position.z()), 1e-12);
  }
}

TEST(SecondOrderSlide, AccelerationDownTheSlopeIsExactAtAnyStep) {
  Experiment run(incline(0.7, 0.6), method(kSecondOrder, 1e-2));
  ASSERT_TRUE(run.simulation.run_until(2));
  const double a = 9.81 * (0.7 - 0.6) / std::sqrt(1.49);
  // Constant force: the trapezoid is exact. The box starts from rest, so the first event costs rounding only.
  EXPECT_NEAR(slide_along(run.model, run.simulation.state()), 2 * a, 1e-11);
}

TEST(SecondOrderTop, KeepsItsEnergyAndItsMomentumToFourthOrder) {
  double energy_error[2], momentum_error[2];
  const double steps[2] = {1e-2, 2.5e-3};
  for (int k = 0; k < 2; ++k) {
    model::Model model;
    model::Body body;
    body.name = "top";
    body.mass = 1;
    body.inertia = Vec3(1.0, 2.5, 3.0).asDiagonal();
    body.initial.velocity.angular = Vec3(0.3, 2, 0.5);
    model.bodies = {body};
    same_surface_everywhere(model, friction(0));
    Experiment run(model, method(kSecondOrder, steps[k]));
    const auto momentum = [&] {
      return contact::angular_momentum(run.model.bodies[0], run.body(0).pose.orientation, run.body(0).velocity.angular);
    };
    const double e0 = contact::kinetic_energy(run.model, run.simulation.state());
    const Vec3 l0 = momentum();
    ASSERT_TRUE(run.simulation.run_until(5));
    energy_error[k] = std::fabs(contact::kinetic_energy(run.model, run.simulation.state()) / e0 - 1);
    momentum_error[k] = (momentum() - l0).norm() / l0.norm();
    EXPECT_NEAR(run.body(0).pose.orientation.norm(), 1, 4e-16);
  }
  EXPECT_LT(energy_error[0], 1e-3);
  for (double error : energy_error) EXPECT_LT(error, 1e-11);  // the midpoint rule keeps it; rounding of 6000 steps
  EXPECT_LT(momentum_error[0], 1e-6);
  EXPECT_GT(order(momentum_error[0], momentum_error[1], 4), 3.6);
}

// Dropped, bounces with restitution while sliding; the accumulation of bounces ends.
TEST(SecondOrderBounce, EndsAndThenRollsLikeTheClosedForm) {
  model::Model model = ball(0.2, Vec3(1, 0, 0), Vec3::Zero());
  model.surfaces[0].restitution = 0.5;
  model.bodies[0].initial.pose.position.z() = 0.15;
  Experiment run(model, method(kSecondOrder, 1e-3));
  ASSERT_TRUE(run.simulation.run_until(3));
  // Friction acts through the same normal impulse whether it comes in bounces or in rest: rolling at 5/7 v.
  EXPECT_NEAR(run.body(0).velocity.linear.x(), 5.0 / 7, 1e-9);
  EXPECT_NEAR(run.body(0).pose.position.z(), 0.05, 1e-12);
}

TEST(SecondOrderPeg, ImpactsAndRockingConverge) {
  double x[3];
  const double steps[3] = {4e-3, 1e-3, 1e-4};
  for (int k = 0; k < 3; ++k) {
    Experiment run(peg(0.2, 0.1, std::numbers::pi / 4), method(kSecondOrder, steps[k]));
    ASSERT_TRUE(run.simulation.run_until(1));
    x[k] = run.body(0).pose.position.x();
    EXPECT_NEAR(run.body(0).pose.position.y(), 0.5 * std::sqrt(0.002), 1e-9);  // lies on its long side
  }
  EXPECT_LT(std::fabs(x[1] - x[2]), 1e-6);
}

TEST(SecondOrderPegs, SlowRandomDropsNeverFailNorPenetrate) {
  int fallbacks = 0;
  for (int k = 0; k < 60; ++k) {
    Experiment run(peg(0.02 * k, 0.12, 0.1 + 0.05 * k), method(kSecondOrder, 5e-3));
    double deepest = 0;
    ASSERT_TRUE(run.simulation.run_until(1.5, [&](const simulation::Simulation& now) {
      for (const auto& c : now.contacts()) deepest = std::min(deepest, c.contact.gap);
      return true;
    })) << k;
    EXPECT_GT(deepest, -1e-5) << k;
    fallbacks += static_cast<int>(run.simulation.counters().fallbacks);
    EXPECT_LT(run.body(0).velocity.linear.norm(), 1e-6) << k;
  }
  RecordProperty("fallbacks", fallbacks);
}

// A rigid tripod on the vibrating plate: three redundant contacts that stick and slide together.
TEST(SecondOrderTripod, ConvergesWithTheSquareOfTheStep) {
  const PlateMotion circle{{0, 0, 800, 0, 0, 100}, {0, 0, 1.5 * std::numbers::pi, 0, 0, 0}};
  const std::vector<Vec3> feet = {{-1, -0.5, -0.5}, {1, -0.5, -0.5}, {0, 1, -0.5}};
  Vec3 p[3];
  const double steps[3] = {4e-4, 1e-4, 2.5e-5};
  for (int k = 0; k < 3; ++k) {
    Experiment run(plate_part(circle, 4, 0, feet, 1, 0.5 * Mat3::Identity(), 0.3, Quat::Identity(), 0.2),
                   method(kSecondOrder, steps[k]));
    ASSERT_TRUE(run.simulation.run_until(0.18));
    p[k] = in_plate_frame(run.simulation.state());
    EXPECT_LT(run.simulation.counters().solves, 4.0 * static_cast<double>(run.simulation.counters().steps));
  }
  // The instants at which contacts begin to slip are found to 1/64 of a step, so the order is not quite two: with mu g = 294 cm/s^2
  // that is 1.8e-3 cm/s at the onset, over slips of some milliseconds 1e-5 cm each.
  EXPECT_LT((p[0] - p[1]).norm(), 2e-5);
  EXPECT_GT(order((p[0] - p[1]).norm(), (p[1] - p[2]).norm(), 4), 1.2);
}

TEST(SecondOrder, OneContactSolvePerSmoothStep) {
  Experiment run(ball(), method(kSecondOrder, 1e-3));
  ASSERT_TRUE(run.simulation.run_until(1));
  EXPECT_LE(run.simulation.counters().solves, 1010);
  EXPECT_EQ(run.simulation.counters().fallbacks, 0);
}

// Five boxes, 20 contacts: each slides on the one below. All are braked by mu g until they stop one after the other, from
// below: the topmost, which starts at (0.8, 0.2) m/s, slides v^2 / (2 mu g) = 6.93 cm. Stops are not located in such a
// component, which costs an error of second order in each.
TEST(SecondOrderStack, BoxesThatSlideOverEachOtherStopWhereTheClosedFormSays) {
  const scene::Scene scene = scene::parse_scene(R"(
dimension = 3
gravity = [0, 0, -9.81]
duration = 0.3
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "box"
count = 5
mass = 1
shape = { box = [0.3, 0.3, 0.1] }
position = [0, 0, "0.05 + 0.1 * index"]
velocity = ["0.2 * index", "0.05 * index", 0]
[[contact]]
between = ["*", "*"]
friction = 0.5
)",
                                                "stack.toml");
  const double v = std::hypot(0.8, 0.2), x = v * 0.8 / 9.81;
  for (double h : {2e-3, 1e-3, 5e-4}) {
    simulation::Simulation run(scene.model, method(kSecondOrder, h));
    ASSERT_TRUE(run.run_until(0.3));
    const double error = std::fabs(run.state().bodies[5].pose.position.x() - x);
    std::printf("stack of five, step %g: %.1e m, %d fall-backs, %lld contact problems\n", h, error,
                static_cast<int>(run.counters().fallbacks), static_cast<long long>(run.counters().solves));
    EXPECT_LT(error, 4 * h * h);
    EXPECT_LE(run.counters().fallbacks, 5);
  }
}

}  // namespace
}  // namespace stickslip::testing
