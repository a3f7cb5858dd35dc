// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The derivative of one step of stewart-trinkle against closed forms: a ball on a floor that flies, slides or rolls, by
// the general equations (StepSensitivity) and by those of round bodies (RoundStep); a box on four feet, which share its
// weight in more than one way (LoadSharing).
//
// The ball, with t = u / |u| the direction of its slip u = v + w x (0, 0, -r):
//
//     slides    v+ = v - mu g h t           w+ = w + 5/(2r) mu g h (-t_y, t_x)
//     rolls     u+ = 0:                     v+ = v - 2/7 u,   w+ = w + 5/(7r) (-u_y, u_x)
//     lands     v_z+ = -z / h (a gap z),    the floor's impulse is m (g h - z / h) instead of m g h
#include "stickslip/collision/registry.h"
#include "stickslip/sensitivity/round_step.h"
#include "stickslip/sensitivity/step_sensitivity.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/stepper.h"
#include "tests/support/mechanics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

namespace stickslip::sensitivity {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kH = 1e-3, kMass = 0.2, kRadius = 0.05, kGravity = 9.8, kMu = 0.2;
constexpr double kExact = 1e-11;      // solver and rounding: the certificate of a step is below 1e-12 of its impulses
constexpr double kDifference = 1e-8;  // central differences over 1e-5, of numbers of size 1

// One step, as a run with derivatives sees it.
struct OneStep {
  model::Model model;
  stepping::Method method;
  std::unique_ptr<collision::Collider> collider = collision::make_collider("features");
  stepping::World world;
  model::State before;

  explicit OneStep(model::Model model_in)
      : model(std::move(model_in)), method(method_of()), world(model, method, *collider), before(world.state) {
    const auto stepper = stepping::make_stepper(method, model);
    EXPECT_TRUE(stepper->advance(world, kH, kH).certified);
  }
  static stepping::Method method_of() {
    stepping::Method method;
    method.stepper = "stewart-trinkle";
    method.step = kH;
    return method;
  }
  [[nodiscard]] Index size() const { return std::ssize(model.bodies) * kBodyTangent; }
};

// Derivatives by the start, in columns.
MatrixXd by_equations(OneStep& step, MatrixXd tangents) {
  std::vector<Direction> directions(static_cast<std::size_t>(tangents.cols()));
  for (Index k = 0; k < tangents.cols(); ++k) directions[static_cast<std::size_t>(k)].start = tangents.col(k);
  StepSensitivity sensitivity(step.model, step.method, directions);
  sensitivity.begin(true, tangents);
  sensitivity.advance(step.before, kH, step.world, tangents);
  EXPECT_LE(sensitivity.balance_error(), 1e-10);
  EXPECT_FALSE(sensitivity.forces_open());
  return tangents;
}

MatrixXd by_round_bodies(OneStep& step, MatrixXd tangents) {
  const StepEquations equations(step.model, step.method);
  RoundStep round(equations);
  EXPECT_TRUE(RoundStep::covers(step.model));
  EXPECT_TRUE(round.advance(step.before, kH, step.world, tangents));
  EXPECT_LE(round.balance_error(), 1e-10);
  return tangents;
}

constexpr int kUnknowns[] = {kLinear, kLinear + 1, kAngular, kAngular + 1, kPosition + 2};

MatrixXd starts(const OneStep& step) {
  MatrixXd tangents = MatrixXd::Zero(step.size(), std::size(kUnknowns));
  for (Index k = 0; k < tangents.cols(); ++k) tangents(kUnknowns[k], k) = 1;
  return tangents;
}

// The change of slip with each unknown, and likewise of what the floor pushes, over the mass.
Vec2 slip_change(Index k) {
  const Vec2 changes[] = {{1, 0}, {0, 1}, {0, kRadius}, {-kRadius, 0}, {0, 0}};
  return changes[k];
}
double push_change(Index k) {
  return k == 4 ? -1 / kH : 0;
}

void compare(OneStep& step, const std::function<Vec2(Index)>& friction_change) {
  const MatrixXd general = by_equations(step, starts(step)), round = by_round_bodies(step, starts(step));
  for (Index k = 0; k < general.cols(); ++k) {
    const Vec2 dp = friction_change(k);  // over the mass
    VectorXd expected = VectorXd::Unit(step.size(), kUnknowns[k]);
    expected.segment<2>(kLinear) += dp;
    expected.segment<2>(kAngular) += 2.5 / kRadius * Vec2(dp.y(), -dp.x());
    expected[kLinear + 2] += push_change(k);
    expected.segment<3>(kPosition) += kH * expected.segment<3>(kLinear);
    const double size = expected.cwiseAbs().maxCoeff();
    for (const VectorXd& found : {VectorXd(general.col(k)), VectorXd(round.col(k))}) {
      EXPECT_LE((found - expected).segment<3>(kPosition).norm(), kExact * size) << k;
      EXPECT_LE((found - expected).segment<6>(kLinear).norm(), kExact * size) << k;
      // the turn of the step before the change counts at second order: h w is below 0.05
      EXPECT_LE((found.segment<3>(kRotation) - kH * expected.segment<3>(kAngular)).norm(), 0.05 * kH * size) << k;
    }
    EXPECT_LE((general - round).col(k).norm(), kExact * size) << k;
  }
}

TEST(StepDerivative, OfABallThatSlides) {
  OneStep step(testing::ball(kMu, {1, 0.5, 0}, {4, -3, 2}));
  ASSERT_EQ(step.world.memory.at(0).mode, contact::Mode::Slide);
  // slip (v_x - w_y r, v_y + w_x r)
  const Vec2 slip(1 + 3 * kRadius, 0.5 + 4 * kRadius), t = slip.normalized();
  compare(step, [&](Index k) -> Vec2 {
    const Vec2 turn = (slip_change(k) - t * t.dot(slip_change(k))) / slip.norm();
    return -kMu * (kGravity * kH * turn + push_change(k) * t);
  });
}

TEST(StepDerivative, OfABallThatRolls) {
  OneStep step(testing::ball(kMu, {1, 0.5, 0}, {-10, 20, 0}));
  ASSERT_NE(step.world.memory.at(0).mode, contact::Mode::Slide);
  ASSERT_TRUE(step.world.memory.at(0).touching);
  compare(step, [](Index k) -> Vec2 { return -2.0 / 7 * slip_change(k); });
}

TEST(StepDerivative, OfABallThatFlies) {
  model::Model model = testing::ball(kMu, {1, 0.5, 0}, {4, -3, 2});
  model.bodies[0].initial.pose.position.z() += 1;
  OneStep step(std::move(model));
  const MatrixXd general = by_equations(step, starts(step)), round = by_round_bodies(step, starts(step));
  for (Index k = 0; k < general.cols(); ++k) {
    VectorXd expected = VectorXd::Unit(step.size(), kUnknowns[k]);
    expected.segment<3>(kPosition) += kH * expected.segment<3>(kLinear);
    EXPECT_LE((general.col(k) - expected).segment<3>(kPosition).norm(), kExact);
    EXPECT_LE((general.col(k) - expected).segment<6>(kLinear).norm(), kExact);
    EXPECT_LE((general - round).col(k).norm(), kExact);
  }
}

TEST(RoundStep, LeavesOtherModelsAlone) {
  EXPECT_TRUE(RoundStep::covers(testing::ball()));
  model::Model lifted = testing::ball();
  for (auto& along : lifted.bodies[1].drive.translation)
    along = [](double t) { return model::TimeJet{0.1 * t, 0.1, 0}; };
  EXPECT_FALSE(RoundStep::covers(lifted));
  model::Model damped = testing::ball();
  damped.bodies[0].linear_damping = 1;
  EXPECT_FALSE(RoundStep::covers(damped));
}

// A ball that presses a floor and a wall at once: the step is not of its kind, and the changes stay as they are.
TEST(RoundStep, LeavesABallInACornerAlone) {
  model::Model model = testing::ball(kMu, {1, 0, 0}, {0, 0, 0});
  model.bodies.push_back(testing::floor(-Vec3::UnitX()));
  std::get<model::HalfSpace>(model.bodies[2].shapes[0].shape).offset = -kRadius;
  testing::same_surface_everywhere(model, testing::friction(kMu));
  OneStep step(std::move(model));
  EXPECT_EQ(std::ranges::count_if(step.world.memory, [](const auto& one) { return one.touching; }), 2);
  const StepEquations equations(step.model, step.method);
  RoundStep round(equations);
  MatrixXd tangents = starts(step);
  const MatrixXd kept = tangents;
  EXPECT_FALSE(round.advance(step.before, kH, step.world, tangents));
  EXPECT_EQ(tangents, kept);
}

// The unknown is friction itself: d v+ = -g h t, and the force at the contact changes by -m g t.
TEST(StepDerivative, ByFriction) {
  OneStep step(testing::ball(kMu, {3, 4, 0}, {0, 0, 0}));
  const Vec2 t(0.6, 0.8);
  const double d = 1e-5;
  const model::Model low = testing::ball(kMu - d), high = testing::ball(kMu + d);
  const std::vector<Direction> directions{{&low, &high, d, d, {}, VectorXd::Zero(step.size()), false}};
  MatrixXd tangents = MatrixXd::Zero(step.size(), 1);
  StepSensitivity sensitivity(step.model, step.method, directions);
  EXPECT_FALSE(sensitivity.serves(directions));  // made anew for another model
  sensitivity.begin(true, tangents);
  sensitivity.advance(step.before, kH, step.world, tangents);
  VectorXd expected = VectorXd::Zero(kBodyTangent);
  expected.segment<2>(kLinear) = -kGravity * kH * t;
  expected.segment<2>(kAngular) = 2.5 / kRadius * kGravity * kH * Vec2(-t.y(), t.x());
  expected.segment<2>(kPosition) = kH * expected.segment<2>(kLinear);
  expected.segment<2>(kRotation) = kH * expected.segment<2>(kAngular);
  EXPECT_LE((tangents.col(0).head<kBodyTangent>() - expected).segment<6>(kLinear).norm(), kDifference);
  EXPECT_LE((tangents.col(0).head<kBodyTangent>() - expected).segment<3>(kPosition).norm(), kDifference * kH);
  const double amount = 0.01;
  std::vector<contact::ContactResult> results(1);
  sensitivity.contacts_along(0, amount, results);
  const Vec3 force = kMass * kGravity * Vec3(-(kMu + amount) * t.x(), -(kMu + amount) * t.y(), 1);
  EXPECT_LE((results[0].force - force).norm(), kDifference);
}

// A box of 1 kg that slides along x on four feet, without or with spin about z; the unknown scales it.
struct SlidingBox {
  static model::Model box(double mass, double spin) {
    model::Model model = testing::incline(0, 0.3, mass);
    model.bodies[0].initial.velocity = {Vec3(1, 0, 0), Vec3(0, 0, spin)};
    return model;
  }
  static constexpr double kD = 1e-5;
  OneStep step;
  model::Model low, high;
  std::vector<Direction> directions;
  StepSensitivity sensitivity;
  MatrixXd tangents = MatrixXd::Zero(2 * kBodyTangent, 1);

  explicit SlidingBox(double spin)
      : step(box(1, spin)),
        low(box(1 - kD, spin)),
        high(box(1 + kD, spin)),
        directions{{&low, &high, kD, kD, {}, VectorXd::Zero(2 * kBodyTangent), false}},
        sensitivity(step.model, step.method, directions) {
    sensitivity.begin(true, tangents);
  }
  // Load from two feet to the two others; corners in the order of box_corners().
  void shift_load(double force) {
    int k = 0;
    for (stepping::ContactMemory& foot : step.world.memory) {
      if (!foot.touching) continue;
      const double sign = k == 0 || k == 3 ? 1 : -1;
      ++k;
      const double normal = foot.force.z();
      foot.force *= (normal + sign * force) / normal;
    }
    EXPECT_EQ(k, 4);
  }
  void advance() { sensitivity.advance(step.before, kH, step.world, tangents); }
};

// Motion does not depend on the mass, all forces are in proportion to it, however the feet share them.
TEST(LoadSharing, ForcesOfFourFeetInProportionToTheMass) {
  for (const double spin : {0.0, 2.0}) {
    SlidingBox box(spin);
    box.advance();
    EXPECT_FALSE(box.sensitivity.motion_open()) << spin;
    EXPECT_FALSE(box.sensitivity.forces_open()) << spin;
    EXPECT_LE(box.tangents.norm(), kDifference) << spin;
    const double amount = 0.01;
    std::vector<contact::ContactResult> results(box.step.world.contacts.size());
    box.sensitivity.contacts_along(0, amount, results);
    double weight = 0;
    for (std::size_t c = 0; c < results.size(); ++c) {
      if (!box.step.world.memory[c].touching) continue;
      EXPECT_LE((results[c].force - (1 + amount) * box.step.world.memory[c].force).norm(), 1e-7) << spin;
      weight += results[c].force.z();
    }
    EXPECT_NEAR(weight, (1 + amount) * 9.81, 1e-7);
  }
}

// Loads that no stepper chose solve the equations too. Feet that slide in one direction: only the forces are in doubt.
// Feet that turn about the middle: the share moves the box.
TEST(LoadSharing, SaysWhenTheShareIsNotKnown) {
  SlidingBox straight(0), turning(2);
  for (SlidingBox* box : {&straight, &turning}) {
    box->shift_load(0.2);
    box->advance();
    EXPECT_TRUE(box->sensitivity.forces_open());
  }
  EXPECT_LE(straight.sensitivity.balance_error(), 1e-10);  // it solves the equations
  EXPECT_FALSE(straight.sensitivity.motion_open());
  EXPECT_TRUE(turning.sensitivity.motion_open());
}

}  // namespace
}  // namespace stickslip::sensitivity
