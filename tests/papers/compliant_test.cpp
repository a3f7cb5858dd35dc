// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Song, Kumar and Pang 2005; Song, Trinkle, Kumar and Pang 2004: compliant contact. The truth is an event-driven
// integration of the continuous model (springs and dampers, exact cone) to 1e-8; the stepper is backward Euler and must
// converge to it with order one.
#include "tests/support/example_run.h"

#include <fmt/format.h>
#include <cmath>

namespace stickslip::testing {
namespace {

ExampleRun run_text(const std::string& text, const Settings& settings = {}) {
  return ExampleRun(scene::parse_scene(text, "test.toml", settings));
}

// Two runs, and what they say about h -> 0 with an error of first order.
double extrapolated(const std::string& example, std::vector<scene::Override> overrides, const char* observable,
                    double h) {
  std::vector<double> values;
  for (double step : {h, h / 2}) {
    overrides.push_back({"method.step", fmt::format("{}", step)});
    values.push_back(ExampleRun(example, overrides).at(observable));
    overrides.pop_back();
  }
  return 2 * values[1] - values[0];
}

// Speed after over speed before an impact without gravity; the ball touches at t = 0.
double restitution(double damping, double step) {
  const std::string scene = R"(
dimension = 2
duration = 0.05
[method]
stepper = "song-pang-kumar"
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "ball"
mass = 0.2
shape = { disc = 0.05 }
position = [0, 0.05]
velocity = [0, -1]
[[contact]]
between = ["ball", "floor"]
stiffness = 5e4
damping = "c"
[parameters]
c = 0
[observe]
speed = "ball.vy"
)";
  return run_text(scene, {{"c", fmt::format("{}", damping)}, {"method.step", fmt::format("{}", step)}}).at("speed");
}

// Table of the reference: zeta = C / (2 sqrt(K m)), contact ends when the force is zero.
TEST(Bounce, RestitutionFollowsTheDampingRatio) {
  for (const auto& [zeta, e] : {std::pair{.02236, .93308},
                                {.05, .85876},
                                {.1, .74408},
                                {.2, .57174},
                                {.5, .29844},
                                {1.0, .1353},
                                {2.236, .03963}}) {
    const double damping = 2 * zeta * std::sqrt(5e4 * 0.2);
    const double coarse = restitution(damping, 4e-6), fine = restitution(damping, 2e-6);
    EXPECT_NEAR(2 * fine - coarse, e, 0.002 * e) << "damping ratio " << zeta;
    EXPECT_NEAR(fine, e, 0.01 * e) << "damping ratio " << zeta;
  }
}

// Four digits of an independent backward Euler integration.
TEST(Bounce, BackwardEulerNumbersOfTheReference) {
  for (const auto& [h, e] : {std::pair{2e-4, .6968}, {1e-4, .7502}, {5e-5, .7787}, {1e-5, .8024}, {1e-6, .8078}})
    EXPECT_NEAR(restitution(14.142, h), e, 1e-4) << "step " << h;
}

TEST(Bounce, ConvergesToTheContinuousSolution) {
  for (const char* mu : {"0.2", "0.5"}) {
    const bool low = std::string(mu) == "0.2";
    const double x = extrapolated("bounce", {{"mu", mu}, {"damping", "447.21"}}, "x", 1e-4);
    EXPECT_NEAR(x, low ? .382169095 : .382138592, 2e-6);
    const double y = extrapolated("bounce", {{"mu", mu}, {"damping", "447.21"}}, "y", 1e-4);
    EXPECT_NEAR(y, low ? -.235661810 : -.235722815, 2e-6);
  }
}

TEST(BounceSlow, FourElasticImpactsToo) {
  EXPECT_NEAR(extrapolated("bounce", {}, "x", 2e-6), .368392538, 2e-6);
  EXPECT_NEAR(extrapolated("bounce", {}, "y", 2e-6), -.263214925, 2e-6);
  EXPECT_NEAR(extrapolated("bounce", {}, "z", 2e-6), .070112794, 2e-5);
}

// Damped so strongly that it does not bounce: where it ends depends on friction alone. The step must resolve m / C, the
// time in which a damped corner stops (some 1e-4 s for C = 447), and then the error is of first order.
double peg_error(const char* damping, const char* mu, double reference, const char* step) {
  const ExampleRun end("peg", {{"method.stepper", "song-pang-kumar"},
                               {"damping", damping},
                               {"mu", mu},
                               {"method.step", step},
                               {"duration", "0.4"}});  // it has been at rest since 0.3
  return std::fabs(end.at("x") - reference);
}

TEST(CompliantPeg, EndsWhereTheReferenceEnds) {
  EXPECT_LT(peg_error("447.21", "1", .03165035, "8e-6"), 8e-6);
  EXPECT_LT(peg_error("447.21", "0.2", .01861008, "8e-6"), 8e-5);
  EXPECT_LT(peg_error("447.21", "0", 0, "1e-4"), 1e-12);  // nothing pushes sideways
}

TEST(CompliantPegSlow, ConvergesToTheEndsOfTheReference) {
  EXPECT_LT(peg_error("447.21", "1", .03165035, "4e-6"), 4e-6);
  EXPECT_LT(peg_error("1414.2", "1", .03160842, "8e-6"), 2e-5);
  EXPECT_LT(peg_error("1414.2", "1", .03160842, "4e-6"), 1e-5);
  // Both corners slide while the second one lands, and when in a step it touches is felt.
  EXPECT_LT(peg_error("447.21", "0.2", .01861008, "4e-6"), 4e-5);
}

// A stiffer floor gives the rigid answer: the difference falls like the deformation m g / K.
TEST(Disk, CompliantBecomesRigidWithStiffness) {
  const auto x = [](const char* stiffness) {
    return ExampleRun("disk", {{"method.stepper", "song-pang-kumar"}, {"stiffness", stiffness}, {"damping", "200"}})
        .at("x");
  };
  const double rigid = ExampleRun("disk", {{"method.stepper", "implicit"}}).at("x");
  const double soft = std::fabs(x("1e4") - rigid), stiff = std::fabs(x("1e6") - rigid);
  EXPECT_LT(stiff, 0.2 * soft);
  EXPECT_LT(stiff, 1e-5);
}

TEST(Ball, CompliantBecomesRigidWithStiffness) {
  const auto away = [](const char* stiffness) {
    const ExampleRun soft("ball", {{"method.stepper", "song-pang-kumar"}, {"stiffness", stiffness}});
    const ExampleRun rigid("ball", {{"method.stepper", "implicit"}});
    return std::hypot(soft.at("x") - rigid.at("x"), soft.at("y") - rigid.at("y"));
  };
  const double at_1e4 = away("1e4"), at_1e5 = away("1e5"), at_1e6 = away("1e6");
  EXPECT_LT(at_1e4, 3e-5);
  EXPECT_NEAR(at_1e4 / at_1e5, 10, 2);
  EXPECT_NEAR(at_1e5 / at_1e6, 10, 2);
}

}  // namespace
}  // namespace stickslip::testing
