// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of runs by implicit differentiation against central differences of whole runs. The two agree to the error
// of the differences: 1e-5 relative to the largest derivative of the observable, where no contact changes its mode
// between the runs.
#include "stickslip/runs/run.h"
#include "stickslip/sensitivity/scene_sensitivity.h"
#include "stickslip/sensitivity/tangent.h"
#include "tests/support/example_run.h"
#include "tests/support/paths.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace stickslip::sensitivity {
namespace {

using Settings = testing::Settings;

scene::Document example(const std::string& name) {
  return scene::read_document(std::filesystem::path(tests::kSourceFolder) / "examples" / name / "scene.toml");
}

double value_of(const scene::Scene& scene, const std::string& observable) {
  simulation::Simulation run(scene.model, scene.method);
  EXPECT_TRUE(run.run_until(scene.duration)) << runs::failure_of(run);
  for (const scene::Observable& one : scene.observables)
    if (one.name == observable) {
      expression::EvaluationContext context;
      context.time = run.time();
      context.model = &scene.model;
      context.state = &run.state();
      return one.expression.evaluate(context);
    }
  ADD_FAILURE() << "no observable " << observable;
  return 0;
}

double by_differences(const scene::Document& document, const Settings& settings, const std::string& parameter,
                      double value, double step, const std::string& observable) {
  const auto at = [&](double x) {
    Settings all = settings;
    all.push_back({parameter, fmt::format("{}", x)});
    return value_of(scene::make_scene(document, all), observable);
  };
  return (at(value + step) - at(value - step)) / (2 * step);
}

struct Case {
  const char* example;
  const char* observable;
  std::vector<std::string> parameters;
  Settings settings;
  double step = 1e-6;  // relative, of the differences
};

void compare(const Case& test) {
  const scene::Document document = example(test.example);
  const ParameterDirections unknowns(document, test.settings, test.parameters);
  ASSERT_EQ(RunSensitivity::objection_to(unknowns.scene().model, unknowns.scene().method), "");
  const ObservableDerivatives exact = differentiate(unknowns);
  ASSERT_TRUE(exact.finished);
  std::size_t j = 0;
  while (unknowns.scene().observables[j].name != test.observable) ++j;
  std::vector<double> differences;
  double largest = 0;
  for (const std::string& name : test.parameters) {
    double value = 0;
    for (const scene::Parameter& parameter : unknowns.scene().parameters)
      if (parameter.name == name) value = parameter.value;
    const double step = test.step * (value != 0 ? std::abs(value) : 1);
    differences.push_back(by_differences(document, test.settings, name, value, step, test.observable));
    largest = std::max(largest, std::abs(differences.back()));
  }
  for (std::size_t i = 0; i < test.parameters.size(); ++i)
    EXPECT_NEAR(exact.value(j, i), differences[i], 1e-5 * std::max(std::abs(differences[i]), 1e-3 * largest))
        << test.example << ": d " << test.observable << " / d " << test.parameters[i];
}

TEST(RunSensitivity, BallThatSlidesAndRolls) {
  for (const char* stepper : {"implicit", "stewart-trinkle"})
    for (const char* observable : {"x", "y"})
      compare({"ball",
               observable,
               {"vx", "vy", "wx", "wy", "mu", "radius"},
               {{"method.stepper", stepper}, {"method.step", "0.01"}}});
}

TEST(RunSensitivity, DiskThatSlidesAndRolls) {
  for (const char* stepper : {"implicit", "stewart-trinkle"})
    compare({"disk", "x", {"v0", "w0", "mu", "radius"}, {{"method.stepper", stepper}, {"method.step", "0.001"}}});
}

TEST(RunSensitivity, ParticleOnAVibratingPlate) {
  for (const char* stepper : {"implicit", "stewart-trinkle"})
    for (const char* observable : {"x", "y"})
      compare({"plate-particle",
               observable,
               {"A3", "A6", "C3", "mu", "x0"},
               {{"method.stepper", stepper}, {"duration", "0.1"}, {"method.step", "5e-4"}},
               1e-5});
}

// All twelve parameters of a plate that moves in all directions, x0 and y0 beside them.
TEST(RunSensitivity, ParticleOnAPlateWithTwelveParameters) {
  for (const char* stepper : {"implicit", "stewart-trinkle"})
    for (const char* observable : {"x", "y"})
      compare({"plate-particle",
               observable,
               {"A1", "C1", "A2", "C2", "A3", "C3", "A4", "C4", "A5", "C5", "A6", "C6", "x0", "y0"},
               {{"method.stepper", stepper},
                {"duration", "0.1"},
                {"method.step", "5e-4"},
                {"A1", "3.9"},
                {"C1", "-1.1"},
                {"A2", "-4.3"},
                {"C2", "-2.1"},
                {"A3", "1"},
                {"C3", "0.5"},
                {"A4", "50"},
                {"C4", "0.4"},
                {"A5", "40"},
                {"C5", "5.8"},
                {"A6", "30"},
                {"C6", "0.3"}},
               1e-5});
}

// With the scene's mu_s the first slip starts at t = 1 exactly, on the grid: the end jumps there, as a grid of steps
// has it with friction that falls at the start of sliding. Elsewhere the instant of the slip does not change with
// anything (the derivative by mu_s is 0), and the two agree.
TEST(RunSensitivity, MeterStickOnTwoFingers) {
  for (const char* stepper : {"implicit", "stewart-trinkle"})
    compare({"meter-stick",
             "offset",
             {"speed", "mu_s", "mu_k"},
             {{"method.stepper", stepper}, {"mu_s", "0.413"}, {"duration", "2"}, {"method.step", "2e-3"}}});
}

TEST(RunSensitivity, BlockPushedByANeedle) {
  for (const char* stepper : {"implicit", "stewart-trinkle"})
    for (const char* observable : {"x", "y", "angle"})
      compare({"needle-push",
               observable,
               {"offset", "vx", "vy", "mu_needle"},
               {{"method.stepper", stepper}, {"vx", "0.05"}, {"duration", "4"}, {"method.step", "0.05"}},
               1e-5});
}

// Where forces are not asked for, balls and discs on planes have their derivative in closed form (round_step.h).
TEST(RunSensitivity, RoundBodiesInClosedForm) {
  for (const char* name : {"ball", "disk"})
    for (const char* stepper : {"implicit", "stewart-trinkle"}) {
      const scene::Scene scene = testing::load_example(name, {{"method.stepper", stepper}, {"method.step", "0.01"}});
      std::vector<Direction> directions(12);
      const auto body = static_cast<Eigen::Index>(scene.model.bodies.size() - 1) * kBodyTangent;
      for (std::size_t k = 0; k < directions.size(); ++k) {
        directions[k].start.setZero(body + kBodyTangent);
        const bool moves = scene.model.dimension == 3 || k % 6 < 2 || k % 6 == 5;
        if (moves) directions[k].start[body + static_cast<Eigen::Index>(k)] = 1;
      }
      simulation::Simulation one(scene.model, scene.method), other(scene.model, scene.method);
      const std::string fresh = one.checkpoint();
      RunSensitivity closed(one), general(other);
      closed.begin(directions, RunSensitivity::Of::Motion);
      general.begin(directions, RunSensitivity::Of::MotionAndForces);
      ASSERT_TRUE(one.run_until(0.9 * scene.duration));
      ASSERT_TRUE(other.run_until(0.9 * scene.duration));
      EXPECT_NEAR((closed.tangents() - general.tangents()).cwiseAbs().maxCoeff(), 0, 1e-9) << name << ' ' << stepper;
      EXPECT_GT(closed.tangents().cwiseAbs().maxCoeff(), 0.5);
      EXPECT_LE(closed.worst_balance(), 1e-9);
      // The same run again, bit by bit.
      const Eigen::MatrixXd first = closed.tangents();
      one.restore(fresh);
      closed.begin(directions, RunSensitivity::Of::Motion);
      ASSERT_TRUE(one.run_until(0.9 * scene.duration));
      EXPECT_EQ(closed.tangents(), first);
    }
}

TEST(RunSensitivity, SaysWhichStepsItCannotDifferentiate) {
  const scene::Scene bounce = testing::load_example("bounce", {{"method.stepper", "song-pang-kumar"}});
  EXPECT_NE(RunSensitivity::objection_to(bounce.model, bounce.method), "");
  const scene::Scene supports = testing::load_example("slide-to-rest", {{"method.stepper", "second-order"}});
  EXPECT_NE(RunSensitivity::objection_to(supports.model, supports.method), "");
}

}  // namespace
}  // namespace stickslip::sensitivity
