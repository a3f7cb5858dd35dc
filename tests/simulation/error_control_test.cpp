// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/simulation/error_control.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::simulation {
namespace {

std::vector<Vec3> at(double x) {
  return {Vec3(x, 0, 0)};
}

TEST(ErrorControl, FindsTheStepOfAMethodOfGivenOrder) {
  for (const int order : {1, 2}) {
    const StepChoice choice =
        choose_step(1e-6, 0.1, order, 30, [&](double h) { return at(1 + 0.3 * std::pow(h, order)); });
    const double error = 0.3 * std::pow(choice.step, order);
    EXPECT_TRUE(choice.reached);
    EXPECT_NEAR(choice.estimate / error, 1, 1e-6) << order;
    EXPECT_LE(error, 1e-6);
    EXPECT_GT(error, 1e-6 / std::exp2(order + 1)) << "no shorter than needed";
  }
}

// Two runs that agree by chance are not two exact ones.
TEST(ErrorControl, ASmallDifferenceAfterALargeOneIsNotTrusted) {
  EXPECT_GT(estimate_error({1e-3, 1e-9}, 2), 1e-4);
  EXPECT_GT(estimate_error({1e-3, 2.5e-4, 1e-9}, 2), 5e-5);
  EXPECT_NEAR(estimate_error({1.6e-3, 4e-4, 1e-4}, 2), 1e-4 / 3, 1e-12);
  EXPECT_NEAR(estimate_error({4e-4, 2e-4, 1e-4}, 2), 1e-4, 1e-12) << "falls like a first-order one";
}

TEST(ErrorControl, OneDifferenceIsNoEvidence) {
  EXPECT_EQ(estimate_error({}, 1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(estimate_error({1e-12}, 1), std::numeric_limits<double>::infinity());
}

TEST(ErrorControl, GivesUpOnWhatDoesNotConverge) {
  int runs = 0;
  const StepChoice choice = choose_step(1e-6, 0.1, 1, 8, [&](double) { return at(++runs % 2); });
  EXPECT_FALSE(choice.reached);
  EXPECT_EQ(choice.runs, 8);
  EXPECT_GT(choice.estimate, 0.5);
}

TEST(ErrorControl, RunsThatFailAreNoEvidence) {
  const StepChoice choice =
      choose_step(1e-3, 0.1, 1, 30, [](double h) { return h > 0.02 ? std::vector<Vec3>{} : at(h); });
  EXPECT_TRUE(choice.reached);
  EXPECT_LT(choice.step, 0.02);
  EXPECT_LE(choice.step, 1e-3);
}

}  // namespace
}  // namespace stickslip::simulation
