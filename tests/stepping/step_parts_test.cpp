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

TEST(EndGeometry, ABallOnAPlaneMeetsTheSameProblemThere) {
  OneStep ball_on_floor(ball(), {.end_geometry = true});
  ASSERT_TRUE(ball_on_floor.solve());
  EXPECT_EQ(ball_on_floor.report.solves, 1);
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
    EXPECT_EQ(components.coupled(), coupled);
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
