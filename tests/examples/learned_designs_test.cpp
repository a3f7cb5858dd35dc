// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Designs that searches found, run again: they hold at other steps and under a second stepper. What was learned with
// first-order steps did not (docs/studies.md): a saddle of 1.07 at 5e-4 s has 21.5 in the limit.
#include "tests/support/example_run.h"

#include <fmt/format.h>

namespace stickslip::testing {
namespace {

// The objective of examples/plate-learning/saddle.toml: the sum over its four starts.
double saddle(const std::string& scene, const char* stepper, const char* step, const Settings& design = {}) {
  double sum = 0;
  for (const char* x0 : {"0.5", "4"})
    for (const char* y0 : {"0.5", "4"}) {
      Settings settings = design;
      settings.insert(settings.end(), {{"x0", x0}, {"y0", y0}, {"method.stepper", stepper}, {"method.step", step}});
      sum += ExampleRun("plate-learning/" + scene, settings)["saddle"];
    }
  return sum;
}

double learned(const char* stepper, const char* step) {
  return saddle("saddle-learned.toml", stepper, step);
}

// As Berard et al. 2010 learned it (their A2 form).
double of_the_paper(const char* stepper, const char* step) {
  return saddle("scene.toml", stepper, step,
                {{"A1", "3.88479"},
                 {"C1", "-1.08465"},
                 {"A2", "-4.31188"},
                 {"C2", "-2.0938"},
                 {"A3", "0"},
                 {"A4", "155.816"},
                 {"C4", "0.430032"},
                 {"A5", "204.171"},
                 {"C5", "5.77261"},
                 {"A6", "0"}});
}

TEST(LearnedSaddle, HoldsWithHalfTheStepAndUnderASecondStepper) {
  const double here = learned("second-order", "1 / 3960");
  EXPECT_NEAR(here, 1.0383, 1e-3);
  EXPECT_NEAR(learned("second-order", "1 / 7920") / here, 1, 0.01);
  // The error of stewart-trinkle at this step is 2 %, and falls with it (below).
  EXPECT_NEAR(learned("stewart-trinkle", "1 / 99000") / here, 1, 0.03);
  EXPECT_GT(of_the_paper("second-order", "1 / 3960"), 18);
}

TEST(LearnedSaddle, SlowAgreesToOnePercentAtEveryStep) {
  const double here = learned("second-order", "1 / 3960"), tenth = learned("second-order", "1 / 39600"),
               other = learned("stewart-trinkle", "1 / 396000");
  fmt::print("saddle: {:.4f} with step 1/3960, {:.4f} with a tenth, {:.4f} by stewart-trinkle with a hundredth\n", here,
             tenth, other);
  EXPECT_NEAR(tenth / here, 1, 0.01);
  EXPECT_NEAR(other / here, 1, 0.01);
  EXPECT_GT(of_the_paper("second-order", "1 / 39600"), 18);
  EXPECT_GT(of_the_paper("stewart-trinkle", "1 / 99000"), 18);
}

}  // namespace
}  // namespace stickslip::testing
