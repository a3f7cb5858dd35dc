// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The parts of which the steppers are made, each on its own against a closed form.
#include "stickslip/stepping/component_impact.h"
#include "stickslip/stepping/components.h"
#include "stickslip/stepping/euler_step.h"
#include "stickslip/stepping/quasi_static.h"
#include "tests/support/mechanics.h"
#include "tests/support/point_collider.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace stickslip::testing {
namespace {

using stepping::EulerRules;
using stepping::EulerStep;

constexpr double kH = 1e-3;

// A world and one implicit Euler step in it.
struct OneStep {
  model::Model model;
  stepping::Method method;
  PointCollider collider;
  stepping::World world;
  EulerStep step;
  stepping::StepReport report;
  stepping::StepFailure failure;

  OneStep(model::Model model_in, EulerRules rules)
      : model(std::move(model_in)), world(model, method, collider), step(rules) {}
  bool solve() { return step.solve(world, kH, world.state.time + kH, report, failure); }
};

TEST(ContactSelection, WatchedContactsTakeNoPartAndComeBack) {
  OneStep ball_on_floor(ball(), {});
  EulerStep& step = ball_on_floor.step;
  ASSERT_TRUE(ball_on_floor.solve());
  ASSERT_EQ(step.data().contacts.size(), 1U);
  EXPECT_EQ(step.end().bodies[0].velocity.linear.z(), 0);
  const collision::ContactId id = step.data().contacts[0].id;
  step.selection().watch({&id, 1});
  ASSERT_TRUE(ball_on_floor.solve());
  EXPECT_TRUE(step.data().contacts.empty());
  ASSERT_EQ(step.selection().open_contacts().size(), 1U);
  EXPECT_NEAR(step.end().bodies[0].velocity.linear.z(), -9.8 * kH, 1e-15);      // free fall
  EXPECT_NEAR(step.selection().open_contacts()[0].gap, -9.8 * kH * kH, 1e-15);  // and how deep it came
  step.commit(ball_on_floor.world);
  ASSERT_EQ(ball_on_floor.world.contacts.size(), 1U);
  EXPECT_EQ(ball_on_floor.world.memory[0].mode, contact::Mode::Open);
}

// A block of mass m on one contact, pulled along with 0.5 m g per unit of normal force. Islands count contacts first.
struct Pulled {
  model::Model model = ball(0, Vec3::Zero(), Vec3::Zero());
  stepping::Method method;
  PointCollider collider;
  stepping::World world{model, method, collider};
  std::vector<collision::Contact> contacts;
  std::vector<contact::BodyDynamics> dynamics{2};
  std::vector<stepping::ContactMemory> memory;
  contact::ContactSystem system;
  stepping::StepSolver solver;
  stepping::StepReport report;

  Pulled(double mu_static, double mu_kinetic) {
    model.surfaces[0] = friction(mu_static, mu_kinetic);
    collider.find(model, world.state, 0, kH, contacts);
    for (std::size_t i = 0; i < 2; ++i)
      contact::evaluate_inertia(model.bodies[i], world.traits[i], Quat::Identity(), 0, dynamics[i]);
    dynamics[0].inverse_inertia.setZero();  // does not turn
    system.build(3, world.state, contacts, dynamics);
    system.assemble(dynamics);
    contact::Island& island = system.islands()[0];
    const contact::ContactRows& row = system.rows()[0];
    const Vec3 free = kH * 9.8 * Vec3(0.5, 0, -1);
    for (int k = 0; k < 3; ++k) island.problem.q[static_cast<std::size_t>(k)] = free.dot(row.direction[k]);
    island.problem.mu[0] = mu_static;
    std::ranges::fill(island.r, 0.0);
    memory.resize(1);
    memory[0].id = contacts[0].id;
    memory[0].mode = contact::Mode::Stick;
    solver.solve(method, island);
  }
  bool finish() {
    return solver.finish(world, {system, dynamics, contacts, memory}, system.islands()[0], true, report);
  }
  // Friction over the normal impulse.
  [[nodiscard]] double ratio() const {
    const std::vector<double>& r = system.islands()[0].r;
    return std::hypot(r[1], r[2]) / r[0];
  }
};

TEST(StepSolver, StaticFrictionThatHoldsIsSolvedOnce) {
  Pulled block(0.6, 0.3);
  ASSERT_TRUE(block.finish());
  EXPECT_EQ(block.report.solves, 1);
  EXPECT_NEAR(block.ratio(), 0.5, 1e-12);
  EXPECT_EQ(block.memory[0].mode, contact::Mode::Stick);
}

TEST(StepSolver, StaticFrictionThatBreaksGivesWayToTheKinetic) {
  Pulled block(0.4, 0.3);
  EXPECT_NEAR(block.ratio(), 0.4, 1e-12);
  ASSERT_TRUE(block.finish());
  EXPECT_EQ(block.report.solves, 2);
  EXPECT_NEAR(block.ratio(), 0.3, 1e-12);
  EXPECT_EQ(block.memory[0].mode, contact::Mode::Slide);
}

// Supports have one coefficient: what islands count beyond the contacts that remember is left alone.
TEST(StepSolver, WhatRemembersNothingIsNotWeakened) {
  Pulled block(0.4, 0.3);
  block.memory.clear();
  ASSERT_TRUE(block.finish());
  EXPECT_EQ(block.report.solves, 1);
  EXPECT_NEAR(block.ratio(), 0.4, 1e-12);
}

TEST(StepOutcome, ContactsRememberForceAndSlip) {
  Pulled block(0.4, 0.3);
  ASSERT_TRUE(block.finish());
  std::vector<model::BodyState> end = block.world.state.bodies;
  const double m = block.model.bodies[0].mass;
  end[0].velocity.linear.x() = kH * 9.8 * (0.5 - 0.3);
  stepping::remember_contacts(block.world, block.system.islands()[0], block.system.rows(), end, kH, true, block.memory);
  EXPECT_NEAR((block.memory[0].force - m * 9.8 * Vec3(-0.3, 0, 1)).norm(), 0, 1e-12);
  EXPECT_NEAR((block.memory[0].relative_velocity - end[0].velocity.linear).norm(), 0, 1e-16);
  EXPECT_EQ(block.memory[0].mode, contact::Mode::Slide);
  EXPECT_TRUE(block.memory[0].touching);
}

// At rest, with impulses as they came: the force keeps its last bit, which r / h would change for some h.
TEST(StepOutcome, ForcesBetweenBodiesAtRestKeepTheirBits) {
  Pulled block(0.6, 0.3);
  ASSERT_TRUE(block.finish());
  contact::Island& island = block.system.islands()[0];
  const contact::ContactRows& row = block.system.rows()[0];
  int changed = 0;
  for (int k = 1; k <= 50; ++k) {
    const Vec3 force(0.1 * k, 0.3 / k, 1.7 + k);
    const double h = kH / k;
    for (int j = 0; j < 3; ++j) island.r[static_cast<std::size_t>(j)] = h * force.dot(row.direction[j]);
    for (const bool keeps : {true, false}) {
      block.memory[0].force = force;
      stepping::remember_contacts(block.world, island, block.system.rows(), block.world.state.bodies, h, keeps,
                                  block.memory);
      if (keeps)
        EXPECT_EQ(block.memory[0].force, force) << k;
      else
        changed += block.memory[0].force != force;
    }
  }
  EXPECT_GT(changed, 0);
}

TEST(StepOutcome, AFailedStepNamesItsProblem) {
  Pulled block(0.4, 0.3);
  contact::Island& island = block.system.islands()[0];
  island.summary.residual.error = 0.5;
  island.summary.solver = "none";
  stepping::StepFailure failure;
  stepping::fail_step(block.world, island, block.contacts, "why", block.report, failure);
  EXPECT_FALSE(block.report.certified);
  EXPECT_EQ(failure.residual, 0.5);
  EXPECT_EQ(failure.reason, "why");
  EXPECT_EQ(failure.problem.mu, island.problem.mu);
  ASSERT_EQ(failure.contacts.size(), 1U);
  EXPECT_EQ(failure.contacts[0], block.contacts[0].id);
}

// sqrt(p_t^2 + (h gamma)^2) = mu p_n + h gamma,  p_n = m g h: a ball that slides without turning.
TEST(ContactEquations, TheTipOfTheConeIsRounded) {
  model::Model model = ball(0.2, {1, 0, 0}, Vec3::Zero());
  const double m = model.bodies[0].mass, g = 9.8, gamma = 0.7;
  OneStep slide(model, {.end_geometry = true});
  slide.method.gamma = gamma;
  ASSERT_TRUE(slide.solve());
  const double force = std::sqrt(std::pow(0.2 * m * g + gamma, 2) - gamma * gamma);
  EXPECT_NEAR(slide.step.end().bodies[0].velocity.linear.x(), 1 - kH * force / m, 1e-10);
}

TEST(ContactEquations, AContactThatPushesAgainstTheMotionGivesNoEnergy) {
  OneStep rest(ball(0.2, Vec3::Zero(), Vec3::Zero()), {});
  ASSERT_TRUE(rest.solve());
  EXPECT_FALSE(stepping::ContactEquations::gains_energy(rest.world, rest.step.data()));
  stepping::StepData thrown = rest.step.data();
  thrown.velocity[0].linear.z() = 1;  // as if the impulse had thrown it up
  EXPECT_TRUE(stepping::ContactEquations::gains_energy(rest.world, thrown));
}

// Two points, each with load N, on both sides of the centre: m dv = -2 mu N h along the slip; turning I dw = -2 mu N a h.
TEST(SupportBalance, FrictionUnderABodyThatSlidesOrTurns) {
  const double mu = 0.3, N = 2, a = 0.1, m = 1.5, I = 0.02;
  for (const bool turns : {false, true}) {
    model::Model model;
    model.dimension = 2;
    model::Body body;
    body.name = "plate";
    body.kind = model::BodyKind::Planar;
    body.mass = m;
    body.inertia(2, 2) = I;
    body.support.points = {{Vec3(a, 0, 0), N}, {Vec3(-a, 0, 0), N}};
    body.support.friction = mu;
    body.initial.velocity =
        turns ? model::Twist{Vec3::Zero(), Vec3(0, 0, 3)} : model::Twist{Vec3(3, 4, 0), Vec3::Zero()};
    model.bodies = {body};
    same_surface_everywhere(model, friction(0));
    OneStep plate(model, {});
    ASSERT_TRUE(plate.solve());
    EXPECT_STREQ(plate.report.solver, "force-balance");
    const model::Twist& v = plate.step.end().bodies[0].velocity;
    const double slow = 2 * mu * N * kH / m;
    if (turns)
      EXPECT_NEAR(v.angular.z(), 3 - 2 * mu * N * a * kH / I, 1e-12);
    else
      EXPECT_NEAR((v.linear - (5 - slow) * Vec3(0.6, 0.8, 0)).norm(), 0, 1e-12);
  }
}

TEST(EndGeometry, ABallOnAPlaneMeetsTheSameProblemThere) {
  OneStep ball_on_floor(ball(), {.end_geometry = true});
  ASSERT_TRUE(ball_on_floor.solve());
  EXPECT_EQ(ball_on_floor.report.solves, 1);
}

// A point on an arm (x, -z) turns into the floor: p (1/m + x^2/I) = x w + g h,  w+ = w - p x / I. With the rows of the start
// it ends above the floor by the curvature of its path, h^2 w+^2 z / 2; with those of the end it ends on the floor.
TEST(EndGeometry, ATurningPointEndsOnTheFloor) {
  model::Model model = ball(0, Vec3::Zero(), {0, 5, 0});
  model.bodies[0].shapes = {placed(model::PointSet{{Vec3(0.1, 0, -0.05)}})};
  double gap[2] = {};
  for (const bool end_geometry : {false, true}) {
    OneStep turning(model, {.end_geometry = end_geometry});
    ASSERT_TRUE(turning.solve());
    std::vector<collision::Contact> contacts = turning.step.data().contacts;
    ASSERT_EQ(contacts.size(), 1U);
    turning.collider.refresh(turning.model, turning.step.end(), contacts);
    gap[end_geometry ? 1 : 0] = std::fabs(contacts[0].gap);
  }
  const double m = model.bodies[0].mass, I = model.bodies[0].inertia(1, 1), x = 0.1, z = 0.05;
  const double w = 5 - (x * 5 + 9.8 * kH) / (1 / m + x * x / I) * x / I;
  EXPECT_NEAR(gap[0], 0.5 * kH * kH * w * w * z, 1e-12);  // of 3e-9; the next term is of third order in h w
  EXPECT_LE(gap[1], 1e-14);
}

// m (v+ - v) = -m g h + p,   p = (h K + C) delta+,   delta+ = -h v+
TEST(CompliantContacts, ALayerGivesWayAsBackwardEulerSays) {
  model::Model model = ball(0, Vec3::Zero(), Vec3::Zero());
  const double K = 2000, C = 3, m = model.bodies[0].mass;
  model.surfaces[0].compliance = {.stiffness_normal = K, .damping_normal = C};
  OneStep soft(model, {.end_geometry = true, .compliant = true});
  ASSERT_TRUE(soft.solve());
  const double v = -m * 9.8 * kH / (m + kH * (kH * K + C));
  EXPECT_NEAR(soft.step.end().bodies[0].velocity.linear.z(), v, 1e-14);
  EXPECT_NEAR(soft.step.data().memory[0].deformation, -kH * v, 1e-17);
}

// a M V = 1e-3 h F, with nothing prescribed: V = F / damping.
TEST(QuasiStatic, WeightIsSmallBesideTheForces) {
  model::Model model = ball(0, Vec3::Zero(), Vec3::Zero());
  model.bodies[0].linear_damping = 4;
  OneStep damped(model, {});
  stepping::StepData data;
  data.h = kH;
  data.drive.resize(2);
  data.motion.model = stepping::MotionModel::QuasiStatic;
  const double m = model.bodies[0].mass, F = m * 9.8, V = F / 4;
  EXPECT_NEAR(stepping::driven_speed(damped.world, data).speed, V, 1e-15);
  EXPECT_NEAR(stepping::proximal_weight(damped.world, data), 1e-3 * kH * F / (m * V), 1e-18);
}

// Forces that supports remember go back with the rest of a step, also in the middle of a run.
TEST(Supports, ForcesAreRestored) {
  model::Model model = ball();
  model.bodies[0].support.points = {{Vec3(0.1, 0, 0), 1.0}, {Vec3(-0.1, 0, 0), 2.0}};
  stepping::Supports supports;
  supports.collect(model);
  ASSERT_EQ(supports.points.size(), 2U);
  supports.points[1].force = Vec3(1, 2, 0);
  ByteWriter kept;
  supports.save(kept);
  supports.points[1].force = Vec3(3, 4, 0);
  ByteReader in(kept.view());
  supports.restore(in);
  EXPECT_EQ(supports.points[1].force, Vec3(1, 2, 0));
}

TEST(WorldSnapshot, PutsBackEveryBit) {
  OneStep shot(ball(), {});
  stepping::World::Snapshot kept;
  shot.world.save(kept);
  const std::string before = bits(shot.world.state);
  ASSERT_TRUE(shot.solve());
  shot.step.commit(shot.world);
  EXPECT_NE(bits(shot.world.state), before);
  EXPECT_EQ(shot.world.contacts.size(), 1U);
  shot.world.restore(kept);
  EXPECT_EQ(bits(shot.world.state), before);
  EXPECT_TRUE(shot.world.contacts.empty());
  EXPECT_EQ(shot.world.state.time, 0);
}

// Two balls on one floor do not influence each other, unless a force reads both.
TEST(Components, BodiesThatShareOnlyTheFloorAreApart) {
  model::Model model = ball();
  model::Body second = model.bodies[0];
  second.initial.pose.position.x() = 1;
  model.bodies.insert(model.bodies.begin() + 1, second);
  same_surface_everywhere(model, friction(0.2));
  for (const bool coupled : {false, true}) {
    if (coupled) model.bodies[0].forces.push_back([](const model::State&, model::Wrench&) {});
    stepping::Method method;
    PointCollider collider;
    stepping::World world(model, method, collider);
    stepping::Components components;
    components.prepare(world);
    components.find_contacts(world, kH, world.state);
    EXPECT_EQ(components.contact_count(), 2U);
    const auto list = components.make(world);
    ASSERT_EQ(list.size(), coupled ? 1U : 2U);
    EXPECT_EQ(list[0].contacts.size(), coupled ? 2U : 1U);
  }
}

// Straight down on a floor without friction: u+ = -e u-, and kinetic energy falls by e^2.
TEST(ComponentImpact, ABallReboundsWithItsShareOfSpeed) {
  model::Model model = ball(0, {0, 0, -2}, Vec3::Zero());
  stepping::Method method;
  PointCollider collider;
  stepping::World world(model, method, collider);
  stepping::Components components;
  components.prepare(world);
  stepping::TrialData data;
  data.begin(world, kH, kH);
  components.find_contacts(world, kH, data.place_ends(world));
  stepping::Component& component = components.make(world)[0];
  const double before = stepping::kinetic_energy(world, component);
  stepping::ComponentImpact impact;
  const double e[] = {0.5};
  ASSERT_TRUE(impact.resolve(world, component, e, data));
  EXPECT_NEAR(world.state.bodies[0].velocity.linear.z(), 1.0, 1e-14);
  EXPECT_NEAR(stepping::kinetic_energy(world, component), 0.25 * before, 1e-14);
}

}  // namespace
}  // namespace stickslip::testing
