// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The same scenes under all models: what must be the same, and what each model must do by itself.
#include "tests/support/example_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <cmath>
#include <numbers>

namespace stickslip::testing {
namespace {

ExampleRun run_text(const std::string& text, const Settings& settings = {}) {
  return ExampleRun(scene::parse_scene(text, "test.toml", settings));
}

const std::vector<std::string> kRigid = {"stewart-trinkle", "anitescu-potra", "implicit"};

TEST(Rolling, DiscKeepsItsSpeedWithEveryStepper) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar", "second-order"}) {
    const ExampleRun end("rolling", {{"method.stepper", stepper}, {"method.step", "5e-3"}});
    EXPECT_NEAR(end.at("speed"), 1, 1e-9) << stepper;
    EXPECT_NEAR(end.at("spin"), -10, 1e-8) << stepper;
  }
}

// Angular momentum about the corner that lands is kept; between corners, energy is. The number of corners follows from
// the angle, since the octagon starts flat.
TEST(Rolling, OctagonLosesAtEachCornerWhatTheClosedFormSays) {
  constexpr double r = 0.1, I = 0.5 * r * r, pivot = I + r * r, g = 9.81;
  const double factor = (I + r * r * std::cos(std::numbers::pi / 4)) / pivot;
  const double flat = r * std::cos(std::numbers::pi / 8);
  for (const std::string& stepper : kRigid) {
    const ExampleRun end("rolling/ngon.toml",
                         {{"method.stepper", stepper}, {"duration", "0.3"}, {"method.step", "2e-5"}});
    const int corners = static_cast<int>(std::fabs(end.at("angle")) / (std::numbers::pi / 4));
    ASSERT_EQ(corners, 2);
    const double spin = std::sqrt(2 * (end.at("energy") - g * flat) / pivot);  // when it last lay flat
    EXPECT_NEAR(spin / (8 * std::pow(factor, corners)), 1, 0.01 * corners) << stepper;
  }
}

// A mass off the centre: energy goes back and forth, and what the stepper makes of it falls with its order. The
// second-order stepper's falls faster than it claims: energy is third order where forces are smooth.
TEST(Rolling, EnergyErrorOfTheOffCentreDiscFallsWithTheOrder) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar", "second-order"}) {
    const bool second = std::string(stepper) == "second-order";
    const auto error = [&](double step) {
      const ExampleRun end("rolling", {{"method.stepper", stepper},
                                       {"offset", "0.03"},
                                       {"duration", "1"},
                                       {"method.step", fmt::format("{}", step)}});
      // At the start: the centre of mass moves with w0 (r + offset) at height r + offset.
      return std::fabs(end.at("energy") - (0.5 * 1.3 * 1.3 + 0.5 * 0.005 * 100 + 9.81 * 0.13));
    };
    const double h = second ? 2e-3 : 4e-4, coarse = error(h), fine = error(h / 2);
    EXPECT_LT(fine, second ? 1e-6 : 0.02) << stepper;
    EXPECT_GT(std::log2(coarse / fine), second ? 1.9 : 0.7) << stepper;
  }
}

// mu = 1: the corners stick when they land, and every stepper finds the same end. mu = 0.2: both slide while the second
// one lands. With the impact at its instant the steppers agree; one that is spread over two steps (stewart-trinkle and
// implicit with impacts = "auto") ends up to 1.5 mm away, depending on where in the step the corner touches.
TEST(Peg, RigidSteppersAgreeAsTheStepFalls) {
  const auto x = [](const std::string& stepper, const char* mu, const char* impacts = "auto") {
    return ExampleRun("peg",
                      {{"method.stepper", stepper}, {"mu", mu}, {"method.step", "2e-5"}, {"method.impacts", impacts}})
        .at("x");
  };
  const double sticking = x("second-order", "1"), sliding = x("second-order", "0.2");
  for (const std::string& stepper : kRigid) {
    EXPECT_NEAR(x(stepper, "1"), sticking, 4e-6) << stepper;
    for (const char* impacts : {"back-up", "approach"})
      EXPECT_NEAR(x(stepper, "0.2", impacts), sliding, 4e-6) << stepper << ", " << impacts;
  }
}

// A rod that slides on its end with high friction: rigid bodies may have no answer, or several (Painleve). A step is
// certified or refused with a reason; certified ones take energy.
TEST(Painleve, EveryStepIsCertifiedOrRefusedAndNoneGainsEnergy) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar", "second-order"})
    for (const char* mu : {"1.2", "1.6", "3"})
      for (const double tilt : {0.3, 0.6, 1.0})
        for (const double speed : {2.0, -2.0, 10.0}) {
          const scene::Scene scene = load_example("painleve", {{"method.stepper", stepper},
                                                               {"mu", mu},
                                                               {"tilt", fmt::format("{}", tilt)},
                                                               {"speed", fmt::format("{}", speed)},
                                                               {"method.step", "1e-3"},
                                                               {"duration", "0.3"}});
          simulation::Simulation run(scene.model, scene.method);
          const bool finished = run.run_until(scene.duration);
          const std::string what = fmt::format("{}, mu {}, tilt {}, speed {}", stepper, mu, tilt, speed);
          EXPECT_LE(run.counters().worst_residual, scene.method.certificate) << what;
          EXPECT_TRUE(finished || (run.failure() != nullptr && !run.failure()->contacts.empty())) << what;
          const model::BodyState& rod = run.state().bodies[1];
          const double energy = 0.5 * rod.velocity.linear.squaredNorm() +
                                0.5 / 12 * rod.velocity.angular.squaredNorm() -
                                scene.model.gravity.y() * rod.pose.position.y();
          const double start = 0.5 * speed * speed - scene.model.gravity.y() * 0.5 * std::cos(tilt);
          EXPECT_LE(energy, start * (1 + 1e-3)) << what;  // first-order steppers push out what turning let in
        }
}

const char* const kRod = R"toml(
title = "A rod that falls on its end"
dimension = 2
duration = 0.3
gravity = [0, -9.8]
[parameters]
e = 0.6
mu = 0.3
tilt = 0.7
vx = 0
[method]
stepper = "anitescu-potra"
step = 1e-4
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "rod"
mass = 1
inertia = "1 / 12"
shape = { points = [[0, -0.5], [0, 0.5]] }
position = [0, "0.5 * cos(tilt) + 0.2"]
velocity = ["vx", 0]
angle = "tilt"
[[contact]]
between = ["rod", "floor"]
friction = "mu"
restitution = "e"
impact = "LAW"
[observe]
vy = "rod.vy"
wz = "rod.wz"
energy = "kinetic_energy() + potential_energy()"
)toml";

ExampleRun drop_rod(const std::string& law, const Settings& settings) {
  std::string text = kRod;
  text.replace(text.find("LAW"), 3, law);
  return run_text(text, settings);
}

TEST(Impact, LawsAgreeWhereFrictionDoesNotCouple) {
  // Upright: the normal passes through the centre of mass. Falls 0.2 m, rises with 0.6 of the speed.
  const Settings upright = {{"mu", "0"}, {"tilt", "0"}};
  const double newton = drop_rod("newton", upright).at("vy");
  EXPECT_NEAR(drop_rod("poisson", upright).at("vy"), newton, 1e-9);
  EXPECT_NEAR(drop_rod("stronge", upright).at("vy"), newton, 1e-9);
  const double fall = std::sqrt(2 * 0.2 / 9.8), speed = 9.8 * fall;
  EXPECT_NEAR(newton, 0.6 * speed - 9.8 * (0.3 - fall), 5e-3);  // first order in the step
  // Oblique, but the end slides in one direction all the time: then the three are the same as well.
  EXPECT_NEAR(drop_rod("poisson", {}).at("wz"), drop_rod("newton", {}).at("wz"), 1e-6);
  EXPECT_NEAR(drop_rod("stronge", {}).at("wz"), drop_rod("newton", {}).at("wz"), 1e-6);
}

// The end arrives sliding inwards and leaves sliding outwards. The closed form is in stepping/impact_law_test.cpp.
TEST(Impact, LawsDifferWhereSlipReversesAndNoneGainsEnergy) {
  const Settings inwards = {{"vx", "-1"}};
  const ExampleRun newton = drop_rod("newton", inwards), poisson = drop_rod("poisson", inwards),
                   stronge = drop_rod("stronge", inwards);
  const double start = 9.8 * (0.5 * std::cos(0.7) + 0.2) + 0.5;
  for (const ExampleRun* end : {&newton, &poisson, &stronge}) EXPECT_LT(end->at("energy"), start);
  EXPECT_GT(newton.at("wz"), stronge.at("wz") + 0.05);
  EXPECT_GT(stronge.at("wz"), poisson.at("wz") + 0.05);
}

TEST(NewtonsCradle, TouchingDiscsAndDiscsWithSpace) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar"})
    for (const char* impacts : {"auto", "approach"}) {
      const Settings method = {{"method.stepper", stepper}, {"method.impacts", impacts}};
      // All contacts at once: the first disc goes back, the others leave together; momentum and energy are kept.
      const ExampleRun touching("newtons-cradle", method);
      EXPECT_NEAR(touching.at("v0"), -0.6, 1e-9) << stepper;
      EXPECT_NEAR(touching.at("v4"), 0.4, 1e-9) << stepper;
      EXPECT_NEAR(touching.at("energy"), 0.5, 1e-9) << stepper;
      // One after the other: the last one leaves alone.
      Settings space = method;
      space.push_back({"space", "1e-3"});
      const ExampleRun apart("newtons-cradle", space);
      EXPECT_NEAR(apart.at("v0"), 0, 1e-9) << stepper;
      EXPECT_NEAR(apart.at("v3"), 0, 1e-9) << stepper;
      EXPECT_NEAR(apart.at("v4"), 1, 1e-9) << stepper;
    }
}

TEST(FirstOrderMotion, VelocityIsForceOverDamping) {
  const ExampleRun end = run_text(R"(
dimension = 2
duration = 1
[method]
motion = "first-order"
step = 0.1
[[body]]
name = "part"
mass = 1
shape = { disc = 0.1 }
force = [3, -1]
torque = 0.5
linear_damping = 2
angular_damping = 0.25
[observe]
x = "part.x"
y = "part.y"
angle = "part.angle"
)");
  EXPECT_NEAR(end.at("x"), 1.5, 1e-12);
  EXPECT_NEAR(end.at("y"), -0.5, 1e-12);
  EXPECT_NEAR(end.at("angle"), 2, 1e-12);
}

const char* const kVise = R"(
dimension = 2.5
gravity = [0, 0, -9.8]
duration = 1
[parameters]
wall_x = 1
push = 0
[method]
motion = "quasi-static"
step = 1e-2
[[body]]
name = "wall"
shape = { half-plane = { normal = [-1, 0] } }
position = ["wall_x", 0]
fixed = true
[[body]]
name = "block"
mass = 1
shape = { box = [1, 1] }
support = { points = [[-0.4, -0.4], [0.4, -0.4], [0, 0.4]], friction = 0.5 }
force = ["push", 0]
[[body]]
name = "pusher"
shape = { disc = 0.1 }
position = [-0.6, 0]
motion = { velocity = [1, 0] }
[observe]
x = "block.x"
)";

std::string failure_of(const std::vector<scene::Override>& overrides) {
  const scene::Scene scene = scene::parse_scene(kVise, "test.toml", overrides);
  simulation::Simulation simulation(scene.model, scene.method);
  simulation.run_until(scene.duration);
  return simulation.failure() == nullptr ? "" : simulation.failure()->reason;
}

TEST(QuasiStatic, PushesUntilItJams) {
  // The pusher moves the block by 0.5 to the wall, and then there is no motion left.
  EXPECT_NEAR(run_text(kVise, {{"duration", "0.4"}}).at("x"), 0.4, 1e-9);
  EXPECT_THAT(failure_of({{"duration", "0.8"}}), ::testing::HasSubstr("jammed"));
}

TEST(QuasiStatic, ForcesThatNothingBalancesAreNamed) {
  EXPECT_EQ(failure_of({{"push", "4.8"}, {"duration", "0.3"}}), "");  // friction holds up to 4.9
  EXPECT_THAT(failure_of({{"push", "5"}, {"duration", "0.3"}}), ::testing::HasSubstr("no equilibrium"));
}

std::string rejection(const std::vector<scene::Override>& overrides, std::string text = kVise) {
  try {
    (void)scene::parse_scene(std::move(text), "test.toml", overrides);
  } catch (const scene::SceneError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Models, CombinationsThatMakeNoSenseAreRejected) {
  const char* const alone = R"(
dimension = 2
duration = 1
[method]
motion = "quasi-static"
[[body]]
name = "part"
mass = 1
shape = { disc = 0.1 }
)";
  EXPECT_THAT(rejection({}, alone), ::testing::HasSubstr("nothing that pushes"));
  EXPECT_THAT(rejection({}, std::string("gravity = [0, -9.8]\n") + alone), ::testing::HasSubstr("nothing that pushes"));
  EXPECT_THAT(rejection({}, std::string(kVise) + "[[contact]]\nbetween = [\"block\", \"wall\"]\n"
                                                 "friction = { static = 0.2, kinetic = 0.5 }\n"),
              ::testing::HasSubstr("must not be above static friction"));
  EXPECT_THAT(rejection({{"method.motion", "first-order"}}), ::testing::HasSubstr("linear_damping"));
  EXPECT_THAT(rejection({{"method.stepper", "song-pang-kumar"}}), ::testing::HasSubstr("dynamic"));
  std::string text = kVise;
  text.insert(text.find("friction = 0.5"), "loads = [1, 2, 3], ");
  EXPECT_THAT(rejection({}, text), ::testing::HasSubstr("loads"));
  text = kVise;
  text += "[[contact]]\nbetween = [\"block\", \"wall\"]\nstiffness = 1e4\nrestitution = 0.5\n";
  EXPECT_THAT(rejection({}, text), ::testing::HasSubstr("restitution"));
  text = kVise;
  text.replace(text.find("2.5"), 3, "2");
  text.replace(text.find("[0, 0, -9.8]"), 12, "[0, -9.8]");
  EXPECT_THAT(rejection({}, text), ::testing::HasSubstr("2.5"));
}

}  // namespace
}  // namespace stickslip::testing
