// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which stepper a model gets when nobody names one.
#include "stickslip/stepping/choose_stepper.h"

#include "stickslip/model/model_builder.h"
#include "stickslip/simulation/simulation.h"
#include "stickslip/stepping/stepper.h"

#include <gtest/gtest.h>

namespace stickslip::stepping {
namespace {

model::Model boxes(int count, double stiffness = 0, double damping = 0) {
  model::ModelBuilder build(3);
  build.gravity({0, 0, -9.81});
  build.body("floor").half_space(Vec3::UnitZ()).fixed();
  for (int i = 0; i < count; ++i)
    build.body("box" + std::to_string(i)).box({0.1, 0.1, 0.1}).mass(1).position({0, 0, 0.05 + 0.1 * i});
  model::Model model = build.finish();
  for (model::Surface& surface : model.surfaces) {
    surface.friction_static = surface.friction_kinetic = 0.3;
    surface.compliance = {stiffness, stiffness, damping, damping, nullptr};
  }
  return model;
}

std::string chosen(const model::Model& model, const Method& method = {}) {
  const StepperChoice choice = choose_stepper(method, model);
  EXPECT_FALSE(choice.why.empty());
  Method concrete = method;
  concrete.stepper = choice.stepper;
  EXPECT_EQ(objection_to(concrete, model), "");
  EXPECT_EQ(simulation::Simulation(model, method).method().stepper, choice.stepper);
  return choice.stepper;
}

TEST(ChooseStepper, RigidBodiesInMotionGetSecondOrder) {
  EXPECT_EQ(chosen(boxes(1)), "second-order");
  EXPECT_EQ(chosen(boxes(10)), "second-order");
}

TEST(ChooseStepper, ACrowdGetsFirstOrder) {
  EXPECT_EQ(chosen(boxes(11)), "stewart-trinkle");
}

TEST(ChooseStepper, ANameIsKept) {
  Method method;
  method.stepper = "implicit";
  EXPECT_EQ(choose_stepper(method, boxes(1)).stepper, "implicit");
  EXPECT_EQ(choose_stepper(method, boxes(1)).why, "");
}

// sqrt(K / m) = 100 1/s: ten steps of 1 ms in 1 / omega, and a tenth of a step of 0.1 s.
TEST(ChooseStepper, SpringsThatTheStepResolvesGetRungeKutta) {
  Method method;
  EXPECT_EQ(chosen(boxes(1, 1e4, 10), method), "runge-kutta");
  method.step = 0.1;
  EXPECT_EQ(chosen(boxes(1, 1e4, 10), method), "song-pang-kumar");
}

TEST(ChooseStepper, DampersThatTheStepDoesNotResolveGetAnImplicitOne) {
  EXPECT_EQ(chosen(boxes(1, 1e4, 2e3)), "song-pang-kumar");
}

TEST(ChooseStepper, ComplianceSwitchedOffIsRigid) {
  Method method;
  method.compliance = SoftContacts::Off;
  EXPECT_EQ(chosen(boxes(1, 1e4, 10), method), "second-order");
  method.compliance = SoftContacts::Normal;
  EXPECT_EQ(chosen(boxes(1, 1e4, 10), method), "stewart-trinkle");
}

TEST(ChooseStepper, OptionsOfFirstOrderStepsGetThem) {
  Method method;
  method.impacts = ImpactSearch::Approach;
  EXPECT_EQ(chosen(boxes(1), method), "stewart-trinkle");
  method = {};
  method.gap_step = 1e-4;
  EXPECT_EQ(chosen(boxes(1, 1e4, 10), method), "song-pang-kumar");
}

}  // namespace
}  // namespace stickslip::stepping
