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

std::vector<std::vector<Vec3>> ends(std::initializer_list<double> values) {
  std::vector<std::vector<Vec3>> list;
  for (const double x : values) list.push_back(at(x));
  return list;
}

TEST(ErrorControl, RegularRunsAreExtrapolated) {
  const ErrorEstimate second = estimate_error(ends({1 + 64e-4, 1 + 16e-4, 1 + 4e-4, 1 + 1e-4}), 2);
  EXPECT_EQ(second.run, 3);
  EXPECT_NEAR(second.error, 1e-4, 1e-12);
  const ErrorEstimate first = estimate_error(ends({1 - 8e-4, 1 - 4e-4, 1 - 2e-4, 1 - 1e-4}), 1);
  EXPECT_EQ(first.run, 3);
  EXPECT_NEAR(first.error, 1e-4, 1e-12);
}

// Two runs that agree by chance, or on the same mistake, are not two exact ones.
TEST(ErrorControl, IrregularRunsAreMeasuredAgainstShorterSteps) {
  const ErrorEstimate same_mistake = estimate_error(ends({1 + 1e-3, 1 + 1e-4, 1 + 0.9e-4, 1 + 1e-6}), 2);
  EXPECT_EQ(same_mistake.run, 1);
  EXPECT_NEAR(same_mistake.error, 1e-4, 2e-6);
  const ErrorEstimate by_chance = estimate_error(ends({1 + 1e-3, 1 + 1e-9, 1 - 2e-4, 1 + 5e-5}), 2);
  EXPECT_GE(by_chance.error, 2e-4) << "the runs behind it do not support that it is so good";
  EXPECT_EQ(estimate_error(ends({1 + 4e-4, 1 + 2e-4, 1 + 1e-4, 1 + 5e-5}), 2).run, 1) << "not the stepper's order";
}

TEST(ErrorControl, TwoRunsAreNoEvidence) {
  EXPECT_LT(estimate_error({}, 1).run, 0);
  EXPECT_LT(estimate_error(ends({1, 1}), 1).run, 0);
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
