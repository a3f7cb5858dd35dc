// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Soft contacts under stewart-trinkle (compliance = "normal"): they give way by force over stiffness, whatever the step;
// friction is that of rigid contacts; a stiffness without bound is the rigid run.
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

using ::testing::HasSubstr;

scene::Scene block(double stiffness, const char* step, const char* more_contact = "", const char* velocity = "0",
                   double slope = 0) {
  return scene::parse_scene(
      fmt::format(R"(dimension = 3
gravity = [{}, 0, {}]
duration = 10
[method]
step = {}
compliance = "normal"
[[body]]
name = "floor"
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
fixed = true
[[body]]
name = "block"
mass = 2
shape = {{ box = [0.2, 0.3, 0.1] }}
position = [0, 0, 0.05]
velocity = [{}, 0, 0]
[[contact]]
between = ["*", "*"]
friction = 0.5
stiffness = {}
{}
)",
                  9.81 * std::sin(slope), -9.81 * std::cos(slope), step, velocity, stiffness, more_contact),
      "soft.toml");
}

// Four corners bear m g; the steps are up to 30 times the period of the contact.
TEST(SoftContacts, SagIsWeightOverStiffness) {
  for (const double k : {1e5, 1e6, 1e8})
    for (const char* step : {"1e-4", "1e-3", "1e-2"})
      for (const char* damping : {"", "damping = 100"}) {
        SCOPED_TRACE(fmt::format("stiffness {}, step {}, {}", k, step, damping));
        const scene::Scene scene = block(k, step, damping);
        simulation::Simulation run(scene.model, scene.method);
        // The slowest, k = 1e5 at 1e-4: backward Euler damps the oscillation of w^2 = 4 k / m at the rate h w^2 / 2 =
        // 10 per second.
        ASSERT_TRUE(run.run_until(3));
        const double sag = 0.05 - run.state().bodies[1].pose.position.z(), expected = 2 * 9.81 / (4 * k);
        // Positions of 0.05 are known to 1e-17; what is left of the oscillation is below 1e-6 of the sag.
        EXPECT_NEAR(sag, expected, 1e-6 * expected + 1e-16);
        EXPECT_LE(run.counters().worst_residual, 1e-9);
      }
}

// On a slope below the friction angle it stands, and does not creep; above it slides as a rigid block does.
TEST(SoftContacts, StickStaysStick) {
  const scene::Scene scene = block(1e6, "1e-3", "", "0", std::atan(0.49));
  simulation::Simulation run(scene.model, scene.method);
  ASSERT_TRUE(run.run_until(1));
  const double x = run.state().bodies[1].pose.position.x();
  ASSERT_TRUE(run.run_until(3));
  EXPECT_EQ(run.state().bodies[1].velocity.linear.norm(), 0);
  EXPECT_EQ(run.state().bodies[1].pose.position.x(), x);
}

TEST(SoftContacts, SlidingFrictionIsCoulombs) {
  const scene::Scene scene = block(1e6, "1e-3", "", "1");
  simulation::Simulation run(scene.model, scene.method);
  ASSERT_TRUE(run.run_until(0.1));
  // The load settles within a few steps; until then friction differs by O(h) of its impulse.
  EXPECT_NEAR(run.state().bodies[1].velocity.linear.x(), 1 - 0.5 * 9.81 * 0.1, 5e-3);
  ASSERT_TRUE(run.run_until(1));
  EXPECT_EQ(run.state().bodies[1].velocity.linear.x(), 0);
}

// A drop: no energy appears, and the rigid run is the limit.
TEST(SoftContacts, StifferIsNearerToRigid) {
  double last = 1;
  for (const double k : {1e5, 1e7, 1e9}) {
    scene::Scene scene = block(k, "1e-3", "", "0.5");
    scene.model.bodies[1].initial.pose.position.z() = 0.08;
    simulation::Simulation soft(scene.model, scene.method);
    stepping::Method method = scene.method;
    method.compliance = stepping::SoftContacts::Off;
    simulation::Simulation rigid(scene.model, method);
    ASSERT_TRUE(soft.run_until(1));
    ASSERT_TRUE(rigid.run_until(1));
    const double apart = (soft.state().bodies[1].pose.position - rigid.state().bodies[1].pose.position).norm();
    EXPECT_LT(apart, last);
    last = apart;
  }
  EXPECT_LT(last, 1e-6);
}

TEST(SoftContacts, OthersAreRefused) {
  const auto objection = [](const char* change, const char* value) {
    scene::Scene scene = block(1e6, "1e-3");
    if (std::string(change) == "stepper") scene.method.stepper = value;
    if (std::string(change) == "motion") scene.method.motion = stepping::MotionModel::QuasiStatic;
    return stepping::objection_to(scene.method, scene.model);
  };
  EXPECT_EQ(objection("", ""), "");
  EXPECT_THAT(objection("stepper", "implicit"), HasSubstr("stewart-trinkle"));
  EXPECT_THAT(objection("motion", ""), HasSubstr("dynamic"));
}

}  // namespace
}  // namespace stickslip::testing
