// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A step that no solver brings below the certificate is taken at certificate_at_worst and counted. A certificate below
// rounding makes every step one of these: then answers must be those of a run with the usual certificate.
#include "stickslip/model/primitives.h"
#include "stickslip/simulation/simulation.h"
#include "tests/support/mechanics.h"

#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

// Three blocks on top of each other, pushed: redundant contacts that slide, whose residual is rounding, but not zero.
model::Model pushed_stack(double mu = 0.37) {
  model::Model model;
  model.gravity = Vec3(0, 0, -9.81);
  const Vec3 size(0.31, 0.23, 0.17);
  for (int i = 0; i < 3; ++i) {
    model::Body box;
    box.name = "box" + std::to_string(i);
    box.mass = 1.3;
    box.inertia = box_inertia(box.mass, size);
    box.shapes = {placed(model::make_box(size))};
    box.initial.pose.position = Vec3(0.011 * i, 0.007 * i, (0.5 + i) * size.z());
    box.initial.velocity.linear = Vec3(0.3 + 0.1 * i, 0.1, 0);
    model.bodies.push_back(box);
  }
  model.bodies.push_back(floor(Vec3::UnitZ()));
  same_surface_everywhere(model, friction(mu));
  return model;
}

stepping::Method beyond_rounding(double at_worst) {
  stepping::Method method;
  method.stepper = "stewart-trinkle";
  method.step = 1e-3;
  method.certificate = 1e-25;
  method.certificate_at_worst = at_worst;
  return method;
}

TEST(CertificateAtWorst, EveryStepIsTakenCountedAndKeptBelowIt) {
  const model::Model model = pushed_stack();
  simulation::Simulation run(model, beyond_rounding(1e-6));
  EXPECT_TRUE(run.run_until(0.02));
  EXPECT_GT(run.counters().at_worst, 0);
  EXPECT_LE(run.counters().worst_residual, 1e-6);
  EXPECT_GT(run.counters().worst_residual, 1e-25);
  EXPECT_TRUE(run.audit().passed());
  EXPECT_EQ(run.method().certificate, 1e-25);  // as asked for, between steps
}

// Without friction: with it, corners may share their load in other ways and turn the blocks a little differently.
TEST(CertificateAtWorst, IsTheSameMotion) {
  const model::Model model = pushed_stack(0);
  stepping::Method usual;
  usual.stepper = "stewart-trinkle";
  usual.step = 1e-3;
  simulation::Simulation worst(model, beyond_rounding(1e-6)), strict(model, usual);
  EXPECT_TRUE(worst.run_until(0.02));
  EXPECT_TRUE(strict.run_until(0.02));
  EXPECT_EQ(strict.counters().at_worst, 0);
  // 20 steps of 1 ms, each velocity right to 1e-6 of 0.5 m/s.
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LT((worst.state().bodies[i].pose.position - strict.state().bodies[i].pose.position).norm(), 1e-8);
}

TEST(CertificateAtWorst, ZeroEndsTheRunAtTheLastCertifiedState) {
  const model::Model model = pushed_stack();
  simulation::Simulation run(model, beyond_rounding(0));
  EXPECT_FALSE(run.run_until(0.02));
  ASSERT_NE(run.failure(), nullptr);
  EXPECT_GT(run.failure()->problem.contacts(), 0);
  EXPECT_EQ(run.counters().at_worst, 0);
}

TEST(CertificateAtWorst, CountsSurviveACheckpoint) {
  const model::Model model = pushed_stack();
  const stepping::Method method = beyond_rounding(1e-6);
  simulation::Simulation straight(model, method), resumed(model, method);
  EXPECT_TRUE(straight.run_until(0.01));
  resumed.restore(straight.checkpoint());
  EXPECT_EQ(resumed.counters().at_worst, straight.counters().at_worst);
  EXPECT_TRUE(straight.run_until(0.02));
  EXPECT_TRUE(resumed.run_until(0.02));
  EXPECT_EQ(resumed.counters().at_worst, straight.counters().at_worst);
  EXPECT_EQ(resumed.state().bodies[0].pose.position, straight.state().bodies[0].pose.position);
}

}  // namespace
}  // namespace stickslip::testing
