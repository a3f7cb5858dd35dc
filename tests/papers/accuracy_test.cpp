// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// method.accuracy against the truth: the error that was asked for is reached, and the estimate is the error.
#include "stickslip/simulation/error_control.h"
#include "tests/support/example_run.h"

#include <fmt/format.h>
#include <cmath>

namespace stickslip::testing {
namespace {

struct Outcome {
  simulation::StepChoice choice;
  double error = 0;  // true one, of the chosen step
};

// truth: observables at the end whose errors are lengths.
Outcome ask(double accuracy, const std::string& example, const char* first_step, const Settings& settings,
            const std::map<std::string, double>& truth) {
  const auto run = [&](double step) {
    Settings all = settings;
    all.push_back({"method.step", fmt::format("{:.17g}", step)});
    return ExampleRun(example, all);
  };
  const scene::Scene scene = load_example(example, settings);
  Outcome outcome;
  outcome.choice = simulation::choose_step(accuracy, std::stod(first_step), stepping::order_of(scene.method.stepper),
                                           14, [&](double h) {
                                             std::vector<Vec3> positions;
                                             const ExampleRun end = run(h);
                                             for (const model::BodyState& body : end.simulation().state().bodies)
                                               positions.push_back(body.pose.position);
                                             return positions;
                                           });
  const ExampleRun end = run(outcome.choice.step);
  for (const auto& [name, value] : truth) outcome.error = std::hypot(outcome.error, end.at(name) - value);
  return outcome;
}

// known: how far the truth itself may be off.
void expect_kept(const Outcome& outcome, double accuracy, double known = 0) {
  EXPECT_TRUE(outcome.choice.reached) << accuracy;
  EXPECT_LE(outcome.error, 10 * accuracy);
  EXPECT_LE(outcome.error, 3 * outcome.choice.estimate + known)
      << "asked " << accuracy << ", step " << outcome.choice.step;
  EXPECT_GE(outcome.error, outcome.choice.estimate / 3 - known)
      << "asked " << accuracy << ", step " << outcome.choice.step;
}

const std::map<std::string, double> kBall = {{"x", 0.561914290659}, {"y", -0.0476071366766}};

TEST(Accuracy, BallByAFirstOrderStepper) {
  for (const double accuracy : {1e-3, 1e-5})
    expect_kept(ask(accuracy, "ball", "2e-2", {{"method.stepper", "stewart-trinkle"}}, kBall), accuracy);
}

// Forces are constant: the second-order stepper is exact at any step, and the estimate must not pretend otherwise.
TEST(Accuracy, BallByTheSecondOrderStepperNeedsThreeRuns) {
  for (const double accuracy : {1e-3, 1e-5, 1e-7}) {
    const Outcome outcome = ask(accuracy, "ball", "2e-2", {{"method.stepper", "second-order"}}, kBall);
    EXPECT_EQ(outcome.choice.runs, 3);
    EXPECT_LE(outcome.error, 1e-11);
    EXPECT_LE(outcome.choice.estimate, 1e-10);
  }
}

// Ends when the stick, at rest on the right finger, breaks away from it: 0.205398751 from its centre (nine digits).
TEST(Accuracy, MeterStickBeforeLoss) {
  const double t = 4.405521866, centre = 0.4 - 0.205398751, middle = 0.05 * t;
  for (const double accuracy : {1e-3, 1e-5, 1e-7})
    expect_kept(
        ask(accuracy, "meter-stick", "2e-2", {{"method.stepper", "second-order"}, {"duration", fmt::format("{}", t)}},
            {{"offset", centre - middle}}),
        accuracy);
}

// In centimetres. The truth is known to 4e-6 cm, which matters only for the finest.
const Settings kCircle = {{"method.stepper", "second-order"}, {"duration", "6"}};
const std::map<std::string, double> kCircleEnd = {{"x", 3.943753}, {"y", 0.677038439}};

TEST(Accuracy, ParticleOnTheVibratingPlate) {
  for (const double accuracy : {1e-1, 1e-3})
    expect_kept(ask(accuracy, "plate-particle", "2e-3", kCircle, kCircleEnd), accuracy);
}

TEST(AccuracySlow, ParticleOnTheVibratingPlate) {
  expect_kept(ask(1e-5, "plate-particle", "2e-3", kCircle, kCircleEnd), 1e-5, 4e-6);
}

}  // namespace
}  // namespace stickslip::testing
