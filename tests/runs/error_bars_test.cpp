// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Error bars against true errors: closed forms, and random scenes beside far finer runs of a second-order stepper.
#include "stickslip/runs/error_bars.h"

#include "bench/random_scene.h"
#include "tests/support/paths.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace stickslip::runs {
namespace {

using Claim = ErrorBar::Claim;

TEST(ErrorBars, ThreeValuesThatFallAsTheOrderSays) {
  for (const int order : {1, 2}) {
    const auto value = [&](double h) { return 1 + 1e-3 * std::pow(h, order); };
    const ErrorBar bar = bar_of(value(1), value(3), value(6), order, 0);
    EXPECT_EQ(bar.claim, Claim::Estimate);
    EXPECT_NEAR(bar.error, 1e-3, 1e-9);
  }
}

TEST(ErrorBars, DifferencesThatDoNotFallBoundTheError) {
  for (const ErrorBar& bar : {bar_of(1, 1.1, 1.1001, 1, 0),      // a jump between h and 3 h
                              bar_of(1, 1.001, 1.2, 1, 0),       // one between 3 h and 6 h
                              bar_of(1, 1.002, 1.005, 2, 0)}) {  // falls as at first order, and second is claimed
    EXPECT_EQ(bar.claim, Claim::Bound);
    EXPECT_EQ(bar.error, bar.spread);
    EXPECT_FALSE(bar.why_not.empty());
  }
  EXPECT_EQ(bar_of(1, std::nan(""), 1, 1, 0).claim, Claim::None);
}

TEST(ErrorBars, RoundingAndTimesOffTheGridHaveTheirOwn) {
  EXPECT_NEAR(bar_of(2, 2, 2 + 1e-9, 1, 0).error, 1e-9, 1e-15);
  const ErrorBar same = bar_of(2, 2, 2, 1, 0);
  EXPECT_EQ(same.claim, Claim::Estimate);
  EXPECT_GT(same.error, 0);
  EXPECT_LT(same.error, 1e-11);
  EXPECT_EQ(bar_of(0.31, 0.33, 0.36, 1, 0.01).error, 0.01);
}

// A block that slides to rest within v^2 / (2 mu g), under a first-order stepper: the bar is its error.
// It divides its steps by an error estimate of its own, whatever the step is: that does not leave it without a bar.
TEST(ErrorBars, RungeKuttaHasThem) {
  const scene::Scene scene = scene::load_scene(std::string(tests::kSourceFolder) + "/examples/bounce/scene.toml");
  ASSERT_EQ(scene.method.stepper, "runge-kutta");
  runs::Run run(scene);
  run.begin();
  ASSERT_EQ(run.finish(), RunEnd::Finished);
  for (const ErrorBar& bar : error_bars(run)) EXPECT_EQ(bar.claim, Claim::Estimate) << bar.why_not;
}

TEST(ErrorBars, ABlockThatSlidesToRest) {
  const scene::Scene scene =
      scene::load_scene(std::string(tests::kSourceFolder) + "/examples/box/scene.toml",
                        std::vector<scene::Override>{{"method.stepper", "stewart-trinkle"}, {"duration", "0.3"}});
  runs::Run run(scene);
  run.begin();
  ASSERT_EQ(run.finish(), RunEnd::Finished);
  const double truth = 2 * 0.3 - 0.5 * 0.4 * 9.81 * 0.09;
  const std::vector<ErrorBar> bars = error_bars(run);
  ASSERT_EQ(bars[0].claim, Claim::Estimate) << bars[0].why_not;
  EXPECT_NEAR(bars[0].error, std::abs(run.observables()[0] - truth), 1e-3 * bars[0].error);
}

struct Counts {
  int scenes = 0, values = 0, unresolved = 0;
  // With a known error: error <= 3 bars, and bar <= 3 errors as well.
  int estimates = 0, covered = 0, right = 0;
  int bounds = 0, bounds_right = 0;  // error <= bar
};

scene::Scene random_scene_with(const bench::RandomScene& random, const char* stepper, double step) {
  std::string text = random.text + "[observe]\n";
  const char* axes = random.dimension == 3 ? "xyz" : "xy";
  for (int body = 0; random.text.find(fmt::format("\"b{}\"", body)) != std::string::npos; ++body)
    for (const char* axis = axes; *axis != '\0'; ++axis) text += fmt::format("b{0}{1} = \"b{0}.{1}\"\n", body, *axis);
  std::vector<scene::Override> overrides{{"method.stepper", stepper}};
  if (step > 0) overrides.push_back({"method.step", fmt::format("{:.17g}", step)});
  return scene::parse_scene(text, "random.toml", overrides);
}

// Empty: the run failed.
std::vector<double> end_of(const scene::Scene& scene) {
  runs::Run run(scene);
  run.begin();
  if (run.finish() == RunEnd::Uncertified) return {};
  return run.observables();
}

void compare_with_truth(std::uint64_t seed, const char* stepper, Counts& counts) {
  const bench::RandomScene random = bench::random_scene(seed);
  if (random.compliant) return;
  try {
    const scene::Scene scene = random_scene_with(random, stepper, 0);
    runs::Run run(scene);
    if (!run.objection_to_start().empty()) return;
    run.begin();
    if (run.finish() == RunEnd::Uncertified) return;
    const double h = scene.method.step;
    const std::vector<ErrorBar> bars = error_bars(run);
    ++counts.scenes;
    const std::vector<double> finer = end_of(random_scene_with(random, "second-order", h / 4)),
                              truth = end_of(random_scene_with(random, "second-order", h / 8)),
                              values = run.observables();
    for (std::size_t k = 0; k < bars.size(); ++k) {
      ++counts.values;
      if (bars[k].claim == Claim::None) {
        ++counts.unresolved;
        continue;
      }
      if (finer.empty() || truth.empty()) continue;
      const double error = std::abs(values[k] - truth[k]), doubt = std::abs(finer[k] - truth[k]);
      // What the finer runs do not know tells nothing.
      if (bars[k].claim == Claim::Bound && doubt <= 0.2 * std::max(error, bars[k].error)) {
        ++counts.bounds;
        counts.bounds_right += error <= bars[k].error + 1e-9;
      }
      // Nor does an estimate of rounding's size.
      if (bars[k].claim == Claim::Estimate && error >= 1e-9 && doubt <= 0.2 * error) {
        ++counts.estimates;
        counts.covered += error <= 3 * bars[k].error;
        counts.right += error <= 3 * bars[k].error && bars[k].error <= 3 * error;
      }
    }
  } catch (const std::exception&) {  // a scene that one of the steppers refuses
  }
}

// Truth: second order with an eighth of the step, where a quarter confirms it. That is another stepper than
// stewart-trinkle, and 1/64 of the error of second order itself.
void expect_honest_bars(const char* stepper, int least_estimates) {
  Counts counts;
  for (std::uint64_t seed = 1; counts.scenes < 200; ++seed) compare_with_truth(seed, stepper, counts);
  fmt::print(
      "{}: {} random scenes, {} values, {} of them not resolved; of those with a known error, estimates not a third of "
      "it or less: {} of {}, nor three times it or more: {}; bounds that hold: {} of {}\n",
      stepper, counts.scenes, counts.values, counts.unresolved, counts.covered, counts.estimates, counts.right,
      counts.bounds_right, counts.bounds);
  EXPECT_GE(counts.estimates, least_estimates);
  EXPECT_GE(counts.covered, 0.95 * counts.estimates);
  // An estimate may be too wide but not too narrow; how wide it is can be judged from twenty on.
  if (counts.estimates >= 20) EXPECT_GE(counts.right, 0.95 * counts.estimates);
  EXPECT_GE(counts.bounds, 100);
  EXPECT_GE(counts.bounds_right, 0.95 * counts.bounds);
}

TEST(ErrorBars, SlowRandomScenesOfStewartTrinkle) {
  expect_honest_bars("stewart-trinkle", 50);
}

// Few estimates: most random scenes have other modes in coarser runs, or steps that are divided to keep energy.
TEST(ErrorBars, SlowRandomScenesOfSecondOrder) {
  expect_honest_bars("second-order", 2);
}

}  // namespace
}  // namespace stickslip::runs
