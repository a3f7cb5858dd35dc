// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Soft contacts under stewart-trinkle (compliance = "normal"): they give way by force over stiffness, whatever the step;
// friction is that of rigid contacts; a stiffness without bound is the rigid run.
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"
#include "tests/support/example_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

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

// Hertz: two spheres of radius 0.05 of steel under 10 N come closer by (3 F / (4 E' sqrt(R)))^(2/3), E' = E / (2 (1 -
// nu^2)), R = 0.025: worked out by hand, E' = 1.1538e11, depth 5.5288e-7 m.
scene::Scene of_material(const std::string& material) {
  return scene::parse_scene(
      "dimension = 3\ngravity = [0, 0, -10]\nduration = 1\n[method]\nstepper = \"stewart-trinkle\"\ncompliance = "
      "\"normal\"\n[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } "
      "}\n[[body]]\nname "
      "= \"ball\"\nmass = 1\nshape = { sphere = 0.05 }\nposition = [0, 0, 0.05]\n[[contact]]\nbetween = [\"*\", "
      "\"*\"]\n" +
          material,
      "test.toml");
}

TEST(Materials, DeformAsHertzUnderTheirLoad) {
  const scene::Scene scene = of_material("material = { name = \"steel\", radius = 0.025, load = 10 }");
  const double modulus = 210e9 / (2 * (1 - 0.09)),
               depth = std::pow(3 * 10 / (4 * modulus * std::sqrt(0.025)), 2.0 / 3.0);
  EXPECT_NEAR(depth, 5.5288e-7, 1e-11);
  const model::Compliance& c = scene.model.surfaces.back().compliance;
  EXPECT_NEAR(c.stiffness_normal * depth, 10, 1e-9);
  EXPECT_NEAR(c.stiffness_tangential / c.stiffness_normal, 2 * 0.7 / 1.7, 1e-12) << "Mindlin";
  // The ball's weight is that load: it sags by Hertz's depth.
  simulation::Simulation run(scene.model, scene.method);
  ASSERT_TRUE(run.run_until(0.1));
  EXPECT_NEAR(0.05 - run.state().bodies[1].pose.position.z(), depth, 1e-6 * depth + 1e-15);
}

TEST(Materials, YoungsModulusInPlaceOfAName) {
  const auto stiffness = [](const std::string& text) {
    return of_material("material = { " + text + ", radius = 0.01, load = 1 }")
        .model.surfaces.back()
        .compliance.stiffness_normal;
  };
  EXPECT_DOUBLE_EQ(stiffness("young = 210e9, poisson = 0.3"), stiffness("name = \"steel\""));
  EXPECT_NEAR(stiffness("young = 8e9") / stiffness("young = 1e9"), 4, 1e-12) << "k goes with E^(2/3)";
}

TEST(Materials, MistakesAreNamed) {
  const auto message = [](const std::string& contact) -> std::string {
    try {
      (void)of_material(contact);
    } catch (const scene::SceneError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message("material = { name = \"stel\", radius = 1, load = 1 }"), HasSubstr("unknown name 'stel'"));
  EXPECT_THAT(message("material = { radius = 1, load = 1 }"), HasSubstr("young"));
  EXPECT_THAT(message("material = { name = \"steel\", load = 1 }"), HasSubstr("radius"));
  EXPECT_THAT(message("material = { young = 1, poisson = 0.6, radius = 1, load = 1 }"),
              HasSubstr("must not be above 0.5"));
  EXPECT_THAT(message("stiffness = 1\nmaterial = { name = \"steel\", radius = 1, load = 1 }"), HasSubstr("both"));
}

// Sweeps are shared between threads within the pile; a few steps, since threads wait for each other on busy machines.
TEST(SoftContacts, SameBitsForAnyNumberOfThreads) {
  const Settings settings = {{"n", "300"},
                             {"row", "5"},
                             {"side", "17.5 * radius"},
                             {"method.compliance", "normal"},
                             {"method.stepper", "stewart-trinkle"},
                             {"method.certificate", "1e-4"}};
  const scene::Scene scene = load_example("bin-spheres", settings);
  simulation::Simulation fall(scene.model, scene.method);
  ASSERT_TRUE(fall.run_until(0.6));
  ASSERT_GT(fall.counters().most_contacts, 400) << "so many that they are swept";
  const auto state_after = [&](int threads) {
    stepping::Method method = scene.method;
    method.threads = threads;
    simulation::Simulation run(scene.model, method);
    run.set_state(fall.state());
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(run.step().certified);
    return run.state();
  };
  const model::State one = state_after(1), two = state_after(2);
  for (std::size_t i = 0; i < one.bodies.size(); ++i) {
    ASSERT_EQ(one.bodies[i].pose.position, two.bodies[i].pose.position) << "body " << i;
    ASSERT_EQ(one.bodies[i].velocity.angular, two.bodies[i].velocity.angular) << "body " << i;
  }
}

}  // namespace
}  // namespace stickslip::testing
