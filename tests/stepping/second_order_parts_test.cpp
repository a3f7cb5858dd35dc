// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The parts of a second-order step, each on its own against a closed form: a ball of radius r that falls, slides or
// rests on a floor.
#include "stickslip/stepping/component_step.h"
#include "stickslip/stepping/components.h"
#include "stickslip/stepping/event_search.h"
#include "stickslip/stepping/events.h"
#include "tests/support/mechanics.h"
#include "tests/support/point_collider.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::testing {
namespace {

using contact::Mode;
using stepping::EventKind;

constexpr double kG = 9.8, kRadius = 0.05;

// A ball and its one component at the start of a step.
struct Part {
  model::Model model;
  stepping::Method method;
  PointCollider collider;
  stepping::World world;
  stepping::Components components;
  stepping::ComponentStep step;
  stepping::Component* component = nullptr;
  double H;

  Part(model::Model model_in, double length, Mode mode)
      : model(std::move(model_in)), world(model, method, collider), H(length) {
    components.prepare(world);
    step.begin(world, H, H);
    step.allowed_gain = 1e300;
    components.find_contacts(world, H, step.data.place_ends(world));
    component = &components.make(world)[0];
    component->contacts.at(0).mode = mode;
  }
  stepping::EventCandidate first_event() { return stepping::first_event(world, *component, step.trial, H, 1e-9 * H); }
  [[nodiscard]] const model::BodyState& end() const { return step.trial.bodies[0]; }
};

model::Model raised_ball(double height, double speed, double restitution) {
  model::Model model = ball(0, {0, 0, -speed}, Vec3::Zero());
  model.bodies[0].initial.pose.position.z() += height;
  model.surfaces[0].restitution = restitution;
  return model;
}

// q1 = q0 + h v0 + h^2 g / 2: a parabola is no error of second order. The first trial has no acceleration to predict with,
// and finds it in its second pass.
TEST(SmoothStep, FallIsAParabola) {
  const double h = 0.01;
  Part fall(raised_ball(0.001, 0.3, 0), h, Mode::Open);
  fall.step.run(fall.world, *fall.component, h);
  ASSERT_TRUE(fall.step.trial.certified);
  EXPECT_NEAR(fall.end().velocity.linear.z(), -0.3 - kG * h, 1e-15);
  EXPECT_NEAR(fall.end().pose.position.z(), kRadius + 0.001 - 0.3 * h - 0.5 * kG * h * h, 1e-16);
  EXPECT_FALSE(fall.step.trial.contacts[0].closed);
}

// Sliding without spin: v = v0 - mu g t, w = 5 mu g t / (2 r), both linear in t.
TEST(SmoothStep, FrictionOfASlidingBallIsConstant) {
  const double h = 0.01, mu = 0.2, v0 = 1;
  Part slide(ball(mu, {v0, 0, 0}, Vec3::Zero()), h, Mode::Slide);
  slide.step.run(slide.world, *slide.component, h);
  ASSERT_TRUE(slide.step.trial.certified);
  EXPECT_NEAR(slide.end().velocity.linear.x(), v0 - mu * kG * h, 1e-14);
  EXPECT_NEAR(slide.end().velocity.angular.y(), 2.5 * mu * kG * h / kRadius, 1e-12);
  EXPECT_NEAR(slide.end().pose.position.x(), v0 * h - 0.5 * mu * kG * h * h, 1e-14);
  EXPECT_TRUE(slide.step.trial.contacts[0].slides);
}

// A closed contact whose gap is not zero is closed by the projection, whichever the sign.
TEST(PositionUpdate, GapsOfClosedContactsAreTakenOut) {
  for (const double gap : {1e-6, -1e-6}) {
    Part rest(raised_ball(gap, 0, 0), 1e-3, Mode::Stick);
    rest.step.run(rest.world, *rest.component, rest.H);
    ASSERT_TRUE(rest.step.trial.certified);
    EXPECT_NEAR(rest.step.trial.contacts[0].contact.gap, 0, 1e-16) << gap;
    EXPECT_NEAR(rest.end().pose.position.z(), kRadius, 1e-16) << gap;
    EXPECT_NEAR(rest.end().velocity.linear.z(), 0, 1e-15) << "moved without a velocity";
  }
}

// m_n = (p_n - u_n / G_n) / h,  m_t = (mu p_n - |p_t| - |u_t| / G_t) / h
TEST(Events, ReservesOfAContact) {
  stepping::ContactTrial contact;
  contact.closed = true;
  contact.p[0] = 2, contact.p[1] = 0.6, contact.p[2] = 0.8;
  contact.g[0] = contact.g[1] = contact.g[2] = 4;
  const stepping::Margins held = stepping::force_margins(contact, 0.7, 0.1, 3);
  EXPECT_NEAR(held.normal, 20, 1e-13);
  EXPECT_NEAR(held.tangential, (1.4 - 1) / 0.1, 1e-13);
  contact.u1[0] = 1, contact.u1[1] = 0.2;
  const stepping::Margins lost = stepping::force_margins(contact, 0.7, 0.1, 3);
  EXPECT_NEAR(lost.normal, (2 - 0.25) / 0.1, 1e-13);
  EXPECT_NEAR(lost.tangential, (1.4 - 1 - 0.05) / 0.1, 1e-13);
}

TEST(Events, SlipThatReversesCrosses) {
  stepping::ContactStart start;
  stepping::ContactTrial end;
  start.mode = Mode::Slide;
  start.velocity[1] = 0.5;
  start.slip_peak = 0.5;
  end.closed = end.slides = true;
  end.u1[1] = 0.1;
  EXPECT_FALSE(stepping::slip_crosses(start, end, 2));
  end.u1[1] = -0.1;
  EXPECT_TRUE(stepping::slip_crosses(start, end, 2));
  start.just_changed = true;
  EXPECT_FALSE(stepping::slip_crosses(start, end, 2)) << "a second event at one instant";
}

// A ball that rests raises no event; one that falls through the floor within the trial touches.
TEST(Events, TheFirstOfATrial) {
  Part rest(ball(0.2, Vec3::Zero(), Vec3::Zero()), 1e-3, Mode::Stick);
  rest.step.run(rest.world, *rest.component, rest.H);
  EXPECT_EQ(rest.first_event().kind, EventKind::None);
  Part fall(raised_ball(0.001, 0.3, 0), 0.01, Mode::Open);
  fall.step.run(fall.world, *fall.component, fall.H);
  EXPECT_EQ(fall.first_event().kind, EventKind::Touch);
  EXPECT_EQ(fall.first_event().contact, 0);
}

// tau = (sqrt(u^2 + 2 g d) - u) / g, and the ball leaves with e times the speed that it has there.
TEST(EventSearch, TouchAndRebound) {
  const double d = 0.001, u = 0.3, e = 0.5;
  Part fall(raised_ball(d, u, e), 0.01, Mode::Open);
  fall.step.run(fall.world, *fall.component, fall.H);
  stepping::EventSearch search;
  search.begin(fall.H);
  EXPECT_TRUE(search.touch(fall.world, *fall.component, fall.first_event(), fall.step));
  const double speed = std::sqrt(u * u + 2 * kG * d), tau = (speed - u) / kG;
  EXPECT_NEAR(fall.world.state.time, tau, 1e-14);
  EXPECT_NEAR(fall.component->offset, tau, 1e-14);
  EXPECT_NEAR(fall.world.state.bodies[0].velocity.linear.z(), e * speed, 1e-13);
  ASSERT_EQ(fall.step.events.size(), 2U) << "touched and left";
  EXPECT_NEAR(fall.step.events[0].time, tau, 1e-14);
}

// Slip v - r w = v0 - 7/2 mu g t ends at 2 v0 / (7 mu g); the ball then rolls at 5/7 v0.
TEST(EventSearch, SlidingEndsInRolling) {
  const double mu = 0.2, v0 = 0.05, tau = 2 * v0 / (7 * mu * kG);
  Part slide(ball(mu, {v0, 0, 0}, Vec3::Zero()), 2 * tau, Mode::Slide);
  slide.step.run(slide.world, *slide.component, slide.H);
  const stepping::EventCandidate event = slide.first_event();
  ASSERT_EQ(event.kind, EventKind::Stop);
  stepping::EventSearch search;
  search.begin(slide.H);
  search.stop(slide.world, *slide.component, event, slide.H, slide.step);
  ASSERT_TRUE(slide.step.trial.certified);
  EXPECT_NEAR(slide.world.state.time, tau, 1e-10 * tau);
  EXPECT_NEAR(slide.world.state.bodies[0].velocity.linear.x(), 5.0 / 7 * v0, 1e-11);
  EXPECT_NE(slide.component->contacts[0].mode, Mode::Slide);
}

// Accepting makes the end of the trial the start of the next: state, time, offset, force of the contact.
TEST(ComponentStep, AcceptedTrialsAreTheNextStart) {
  const double h = 0.004;
  Part rest(ball(0.2, Vec3::Zero(), Vec3::Zero()), 0.01, Mode::Stick);
  rest.step.run(rest.world, *rest.component, h);
  EXPECT_EQ(rest.world.state.time, 0) << "a trial changes nothing";
  EXPECT_NEAR(rest.step.energy_gain(rest.world, *rest.component).gained, 0, 1e-16);
  rest.step.accept(rest.world, *rest.component, stepping::SubStepChange::None);
  EXPECT_EQ(rest.world.state.time, h);
  EXPECT_EQ(rest.component->offset, h);
  EXPECT_NEAR(rest.component->contacts[0].force.z(), rest.model.bodies[0].mass * kG, 1e-13);
  EXPECT_TRUE(rest.component->acceleration_known);
}

// Turned over by a frictional step of wrong sign: a ball that speeds up gains energy, and the gain says so.
TEST(ComponentStep, EnergyOutOfNothingIsSeen) {
  Part rest(ball(0.2, Vec3::Zero(), Vec3::Zero()), 0.01, Mode::Stick);
  rest.step.run(rest.world, *rest.component, rest.H);
  rest.step.trial.bodies[0].velocity.linear.x() = 0.1;
  const stepping::EnergyGain gain = rest.step.energy_gain(rest.world, *rest.component);
  EXPECT_NEAR(gain.gained, 0.5 * rest.model.bodies[0].mass * 0.01, 1e-12);
  EXPECT_TRUE(gain.is_wrong());
}

}  // namespace
}  // namespace stickslip::testing
