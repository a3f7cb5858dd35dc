// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Scenes given as text against closed forms, under every rigid stepper: first-order ones are within a constant times h,
// the second-order one is as good as its order (or exact where accelerations are constant).
#pragma once

#include "tests/support/example_run.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace stickslip::testing {

inline constexpr double kG = 9.81;
inline constexpr double kTextbookStep = 1e-3;

inline std::string digits(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

inline ExampleRun run_text(const std::string& text, const std::string& stepper, Settings settings = {}) {
  settings.push_back({"method.stepper", stepper});
  settings.push_back({"method.step", "1e-3"});
  return ExampleRun(scene::parse_scene(text, "textbook.toml", settings));
}

// Every observable that is named, under every stepper: |error| <= first * h, or second.
struct Truth {
  const char* observable;
  double value, first, second;
};
inline void expect_truth(const std::string& text, const std::vector<Truth>& truths, const Settings& settings = {}) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "implicit", "second-order"}) {
    const ExampleRun ended = run_text(text, stepper, settings);
    for (const Truth& truth : truths)
      EXPECT_NEAR(ended[truth.observable], truth.value,
                  std::string(stepper) == "second-order" ? truth.second : truth.first * kTextbookStep)
          << truth.observable << ", " << stepper;
  }
}

}  // namespace stickslip::testing
