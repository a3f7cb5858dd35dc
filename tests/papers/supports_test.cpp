// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Bodies on supports (2.5D): closed forms of viscous and dry friction, distributed supports, and the two ways to solve
// a step, which must agree: the twists as unknowns (force_balance.h), or every point as a contact.
#include "tests/support/example_run.h"

#include <fmt/format.h>
#include <cmath>
#include <random>

namespace stickslip::testing {
namespace {

const std::vector<std::string> kFirstOrder = {"stewart-trinkle", "anitescu-potra", "implicit"};

ExampleRun run(const std::string& text, const Settings& settings = {}) {
  return ExampleRun(scene::parse_scene(text, "test.toml", settings));
}

// Sum of N_k f(r_k) over the points on which body 0 stands.
template <class F>
double sum_over_points(const ExampleRun& run, F f) {
  double sum = 0;
  for (const model::Support::Point& point : run.scene().model.bodies[0].support.points)
    sum += point.load * f(point.position.norm());
  return sum;
}

constexpr double kMass = 0.4, kRadius = 0.08, kInertia = 0.5 * kMass * kRadius * kRadius, kGravity = 9.81;

std::string disc(const std::string& support, const std::string& more, double duration = 0.5) {
  return fmt::format(R"TOML(
dimension = 2.5
gravity = [0, 0, -9.81]
duration = {}
[method]
step = 1e-3
[[body]]
name = "p"
mass = 0.4
shape = {{ disc = 0.08 }}
support = {{ {} }}
{}
[observe]
x = "p.x"
y = "p.y"
angle = "p.angle"
vx = "p.vx"
w = "p.wz"
t_rest = "first_time(abs(p.wz) + hypot(p.vx, p.vy) < 1e-12)"
)TOML",
                     duration, support, more);
}

// m v' = -c v,  I w' = -c_w w,  c_w = c sum N_k r_k^2 / sum N_k; an implicit Euler step divides by 1 + h c / m.
TEST(ViscousSupport, SpeedAndSpinDecayExponentially) {
  constexpr double c = 0.8, h = 1e-3, T = 0.5;
  const std::string text = disc("spread = 60, viscous = 0.8", "velocity = [1, 0]\nangular_velocity = 5");
  for (const std::string& stepper : kFirstOrder) {
    const ExampleRun end = run(text, {{"method.stepper", stepper}});
    const double c_w = c * sum_over_points(end, [](double r) { return r * r; }) / (kMass * kGravity);
    EXPECT_NEAR(end["vx"], std::pow(1 + h * c / kMass, -T / h), 1e-10) << stepper;
    EXPECT_NEAR(end["w"], 5 * std::pow(1 + h * c_w / kInertia, -T / h), 1e-9) << stepper;
  }
  const ExampleRun end = run(text, {{"method.stepper", "second-order"}});
  const double c_w = c * sum_over_points(end, [](double r) { return r * r; }) / (kMass * kGravity);
  // Second order: (h c / m)^2 c T / m = 4e-6 is its size.
  EXPECT_NEAR(end["vx"], std::exp(-c * T / kMass), 4e-6);
  EXPECT_NEAR(end["x"], kMass / c * (1 - std::exp(-c * T / kMass)), 4e-6);
  EXPECT_NEAR(end["w"], 5 * std::exp(-c_w * T / kInertia), 2e-5);
}

// Dry and viscous friction: m v' = -mu m g - c v ends at t = m/c log(1 + c v0 / (mu m g)).
TEST(ViscousSupport, BodyWithDryFrictionBesideItStops) {
  constexpr double c = 0.8, mu = 0.1;
  const double t_rest = kMass / c * std::log(1 + c * 1 / (mu * kMass * kGravity));
  const double way = kMass / c * (1 - mu * kGravity * t_rest);
  const std::string text = disc("spread = 60, friction = 0.1, viscous = 0.8", "velocity = [1, 0]", 1);
  for (const std::string& stepper : kFirstOrder) {
    const ExampleRun end = run(text, {{"method.stepper", stepper}, {"method.step", "2e-4"}});
    EXPECT_NEAR(end["t_rest"], t_rest, 5e-4) << stepper;
    EXPECT_NEAR(end["x"], way, 2e-4) << stepper;
    EXPECT_EQ(end["vx"], 0) << stepper;
  }
  EXPECT_NEAR(run(text, {{"method.stepper", "second-order"}})["x"], way, 2e-6);
}

// On a belt the viscous force pulls: v = V (1 - exp(-c t / m)).
TEST(ViscousSupport, BeltTakesTheBodyAlong) {
  constexpr double c = 0.8, T = 0.5;
  std::string text = disc("spread = 60, viscous = 0.8, on = \"belt\"", "");
  text.insert(text.find("[[body]]"),
              "[[body]]\nname = \"belt\"\nshape = { box = [9, 9] }\nmotion = { velocity = [0.3, 0] }\n");
  text += "[[contact]]\nbetween = [\"p\", \"belt\"]\nenabled = false\n";
  for (const std::string& stepper : kFirstOrder)
    EXPECT_NEAR(run(text, {{"method.stepper", stepper}})["vx"], 0.3 * (1 - std::exp(-c * T / kMass)), 3e-4) << stepper;
}

// Without inertia the force balances friction at once: F = mu m g + c v, torque = c_w w.
TEST(ViscousSupport, QuasiStaticSpeedIsProportionalToTheForceAboveFriction) {
  constexpr double c = 0.8, mu = 0.1;
  const std::string pushed = disc("spread = 60, friction = 0.1, viscous = 0.8", "force = [1, 0]", 0.1);
  const std::string turned = disc("spread = 60, viscous = 0.8", "torque = 0.01", 0.1);
  for (const std::string& stepper : kFirstOrder) {
    const Settings settings = {{"method.stepper", stepper}, {"method.motion", "quasi-static"}};
    EXPECT_NEAR(run(pushed, settings)["vx"], (1 - mu * kMass * kGravity) / c, 1e-9) << stepper;
    const ExampleRun end = run(turned, settings);
    const double c_w = c * sum_over_points(end, [](double r) { return r * r; }) / (kMass * kGravity);
    EXPECT_NEAR(end["w"], 0.01 / c_w, 1e-9) << stepper;
  }
}

// A disc that spins in its place: I w' = -mu sum N_k r_k. However many points it stands on, a step has three unknowns.
TEST(DistributedSupport, SpinningDiscStopsWhenTheClosedFormSays) {
  for (const char* spread : {"200", "1000"})
    for (const std::string stepper : {"stewart-trinkle", "anitescu-potra", "implicit", "second-order"}) {
      const ExampleRun end = run(disc(fmt::format("spread = {}, friction = 0.35", spread), "angular_velocity = 12"),
                                 {{"method.stepper", stepper}});
      const double torque = 0.35 * sum_over_points(end, [](double r) { return r; });
      const double t_rest = kInertia * 12 / torque;
      EXPECT_NEAR(end["t_rest"], t_rest, 1e-3) << stepper << spread;
      const double first_order = stepper == "second-order" ? 1e-4 : 0.5 * 12 * 1e-3;
      EXPECT_NEAR(end["angle"], 0.5 * 12 * t_rest, 1.01 * first_order) << stepper << spread;
      EXPECT_EQ(end["w"], 0);
      EXPECT_NEAR(std::hypot(end["x"], end["y"]), 0, 1e-6) << stepper << spread;
      EXPECT_LE(end.simulation().counters().solves, 8 * end.simulation().counters().steps) << stepper;
    }
}

// Even pressure: a disc that spins stops after 3 w R / (4 mu g), a square one of side a after w a^2 / 6 / (mu g rho)
// with the mean distance rho = 0.382598 a from its centre. Cells at the edge count as much as they are
// covered; a step is 6e-4 of these times.
TEST(DistributedSupport, PressureIsEvenUpToTheEdge) {
  for (const auto& [spread, tolerance] : {std::pair{"50", 1e-2}, std::pair{"800", 1.5e-3}}) {
    const auto t_rest = [&](const std::string& shape) {
      std::string text = disc(fmt::format("spread = {}, friction = 0.35", spread), "angular_velocity = 12", 0.3);
      text.replace(text.find("disc = 0.08"), 11, shape);
      return run(text, {{"method.step", "1e-4"}})["t_rest"];
    };
    const double t_disc = 3 * 12 * kRadius / (4 * 0.35 * kGravity);
    EXPECT_NEAR(t_rest("disc = 0.08") / t_disc, 1, tolerance) << spread;
    const double a = 0.1, t_square = 12 * a * a / 6 / (0.35 * kGravity * 0.382598 * a);
    EXPECT_NEAR(t_rest("box = [0.1, 0.1]") / t_square, 1, tolerance) << spread;
  }
}

// A force that friction just balances moves nothing, one above it by a millionth does; neither is a hard problem.
TEST(DistributedSupport, HoldsUpToItsLimit) {
  const auto pushed = [](const char* share) {
    return disc("spread = 300, friction = 0.3", fmt::format("force = [\"0.3 * 0.4 * 9.81 * {}\", 0]", share), 0.2);
  };
  for (const std::string& stepper : kFirstOrder) {
    for (const char* share : {"(1 - 1e-9)", "1"}) {
      const ExampleRun held = run(pushed(share), {{"method.stepper", stepper}});
      EXPECT_EQ(held["x"], 0) << stepper;
      EXPECT_EQ(held["vx"], 0) << stepper;
    }
    EXPECT_NEAR(run(pushed("(1 + 1e-6)"), {{"method.stepper", stepper}})["vx"] / (1e-6 * 0.3 * kGravity * 0.2), 1,
                1e-6);
  }
}

// A plate on many points that runs along a wall and into a corner, pushed, in all motion models. The named solver puts
// every point into the contact problem.
TEST(DistributedSupport, BothWaysToSolveAStepAgree) {
  std::mt19937 random(7);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
  for (const char* motion : {"dynamic", "quasi-static", "first-order"})
    for (int trial = 0; trial < 6; ++trial) {
      const std::string text = fmt::format(
          R"(
dimension = 2.5
gravity = [0, 0, -9.81]
duration = 0.1
[method]
step = 2e-3
motion = "{}"
[[body]]
name = "p"
mass = 0.5
shape = {{ box = [0.2, 0.1] }}
linear_damping = 2
angular_damping = 0.02
support = {{ spread = 12, friction = {} }}
velocity = [{}, {}]
angular_velocity = {}
force = [{}, {}]
[[body]]
name = "pusher"
shape = {{ disc = 0.03 }}
position = [{}, -0.0801]
motion = {{ velocity = [{}, {}] }}
[[contact]]
between = ["p", "*"]
friction = {}
[observe]
x = "p.x"
y = "p.y"
angle = "p.angle"
)",
          motion, uniform(0.1, 0.5), uniform(-.5, .5), uniform(-.5, .5), uniform(-5, 5), uniform(-.3, .3),
          uniform(-.3, .3), uniform(-0.08, 0.08), uniform(-0.1, 0.1), uniform(0.05, 0.3), uniform(0, 0.8));
      const ExampleRun fast = run(text), general = run(text, {{"method.solver", "newton"}});
      for (const char* name : {"x", "y", "angle"})
        EXPECT_NEAR(fast[name], general[name], 1e-7 * (1 + std::fabs(general[name]))) << name << motion << text;
    }
}

}  // namespace
}  // namespace stickslip::testing
