// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A tippe top whose friction is too weak to turn it over within 8 s (up = 0.9997), and that first-order steps turn over
// until they are as short as 5e-5 s, every one of them certified: converge, compare, study and optimise say so.
#include "tests/support/command.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stickslip::testing {
namespace {

class StepCheck : public CommandTest {
 protected:
  static std::string top() { return std::string(tests::kSourceFolder) + "/tests/defects/F10_tippe.toml"; }
  [[nodiscard]] std::string study(const std::string& more) const {
    const std::string file = (folder_ / "study.toml").string();
    std::ofstream(file) << fmt::format("scene = \"{}\"\nset = {{ \"method.step\" = 1e-3 }}\nobjective = \"up\"\n",
                                       top())
                        << more;
    return file;
  }
  static void expect_warning(const CommandOutcome& outcome) {
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("WARNING"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("contradicts the order of stewart-trinkle"), std::string::npos) << outcome.out;
  }
};

TEST_F(StepCheck, ConvergeTellsThatTheTopTurnsOverForLackOfSteps) {
  for (const char* step : {"2e-3", "1e-3"})
    expect_warning(run(fmt::format("converge --levels 3 --set method.step={} {}", step, top())));
}

// From 1e-4 to 5e-5 it stops turning over: one halving changes everything, the next one nothing.
TEST_F(StepCheck, SlowConvergeTellsFromWhichStepOnTheTopStaysUp) {
  const CommandOutcome outcome = run(fmt::format("converge --levels 3 --set method.step=1e-4 {}", top()));
  expect_warning(outcome);
  EXPECT_NE(outcome.out.find("longer steps than 5e-05"), std::string::npos) << outcome.out;
}

TEST_F(StepCheck, CompareNamesTheMethodThatDoesNotSettle) {
  const CommandOutcome outcome =
      run("compare --json --set method.step=1e-3 --methods stewart-trinkle,second-order " + top());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json methods = nlohmann::json::parse(outcome.out)["methods"];
  EXPECT_FALSE(methods[0]["contradicts_order"].empty());
  EXPECT_TRUE(methods[1]["contradicts_order"].empty()) << methods[1]["contradicts_order"];
}

TEST_F(StepCheck, StudyAndOptimiseLookAtTheirBestTrialsWithHalfTheStep) {
  expect_warning(run("study --quiet --store " + (folder_ / "top.db").string() + " " +
                     study("[vary]\nw0 = { grid = [175, 180, 2] }\n")));
  expect_warning(
      run("optimise --quiet " +
          study("[optimise]\nevaluations = 3\n[optimise.design]\nw0 = { start = 180, min = 170, max = 190 }\n")));
}

TEST_F(StepCheck, WhatConvergesAsItShouldIsLeftInPeace) {
  for (const char* name : {"ball", "incline", "rolling"}) {
    const CommandOutcome outcome = run("converge --levels 3 " + example(name));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("WARNING"), std::string::npos) << outcome.out;
  }
}

}  // namespace
}  // namespace stickslip::testing
