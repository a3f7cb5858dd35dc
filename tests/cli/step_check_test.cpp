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
    std::ofstream(file) << fmt::format(
                               "scene = \"{}\"\nset = {{ \"method.stepper\" = \"stewart-trinkle\", "
                               "\"method.step\" = 1e-3 }}\nobjective = \"up\"\n",
                               top())
                        << more;
    return file;
  }
  static constexpr const char* kFirstOrder = "--set method.stepper=stewart-trinkle";
  static void expect_warning(const CommandOutcome& outcome, int code = 0) {
    ASSERT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.out.find("WARNING"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("contradicts the order of stewart-trinkle"), std::string::npos) << outcome.out;
  }
};

TEST_F(StepCheck, ConvergeTellsThatTheTopTurnsOverForLackOfSteps) {
  for (const char* step : {"2e-3", "1e-3"})
    expect_warning(run(fmt::format("converge --levels 3 {} --set method.step={} {}", kFirstOrder, step, top())));
}

// From 1e-4 to 5e-5 it stops turning over: one halving changes everything, the next one nothing.
TEST_F(StepCheck, SlowConvergeTellsFromWhichStepOnTheTopStaysUp) {
  const CommandOutcome outcome =
      run(fmt::format("converge --levels 3 {} --set method.step=1e-4 {}", kFirstOrder, top()));
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
  const CommandOutcome studied = run("study --quiet --store " + (folder_ / "top.db").string() + " " +
                                     study("[vary]\nw0 = { grid = [175, 180, 2] }\n"));
  expect_warning(studied);
  EXPECT_NE(studied.out.find("by second-order with step 0.001: an ARTEFACT"), std::string::npos) << studied.out;
  // Three times half the step are not enough for first order.
  const CommandOutcome optimised =
      run("optimise --quiet " +
          study("[optimise]\nevaluations = 3\n[optimise.design]\nw0 = { start = 180, min = 170, max = 190 }\n"));
  EXPECT_EQ(optimised.code, 1);
  EXPECT_NE(optimised.out.find("the search goes on with half the step"), std::string::npos) << optimised.out;
  EXPECT_NE(optimised.err.find("is an artefact of the steps"), std::string::npos) << optimised.err;
}

TEST_F(StepCheck, TheStepperThatTheSceneGetsByDefaultHolds) {
  const std::string file = (folder_ / "study.toml").string();
  std::ofstream(file) << fmt::format("scene = \"{}\"\nobjective = \"up\"\nset = {{ \"method.step\" = 1e-3 }}\n", top());
  const CommandOutcome outcome = run("study --json --quiet --store " + (folder_ / "top.db").string() + " " + file);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json check = nlohmann::json::parse(outcome.out)["design_checks"][0];
  EXPECT_EQ(check["stepper"], "second-order");
  EXPECT_NEAR(check["value"].get<double>(), 0.9997, 1e-3);
  EXPECT_NEAR(check["half_step"].get<double>(), 0.9997, 1e-3);
}

TEST_F(StepCheck, WhatConvergesAsItShouldIsLeftInPeace) {
  for (const char* name : {"ball", "incline", "rolling"}) {
    const CommandOutcome outcome = run("converge --levels 3 " + example(name));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("WARNING"), std::string::npos) << outcome.out;
  }
}

// A box is thrown to bounce once and land at x = 1.5. The located impact of second order: stewart-trinkle lands at
// 1.48364, 1.49775, 1.49972, 1.49996 with eighths of 1.25e-3 s, so the plan holds. With 30 steps of stewart-trinkle the
// bounce is where the steps put it.
TEST_F(StepCheck, PlanIsJudgedByWhatTheSecondStepperMisses) {
  const std::string plan = std::string(tests::kSourceFolder) + "/examples/plan-throw/plan.toml";
  const std::string output = " --no-record -o " + (folder_ / "throw.toml").string() + " ";
  const CommandOutcome located = run("plan --json" + output + plan);
  ASSERT_EQ(located.code, 0) << located.err;
  EXPECT_EQ(nlohmann::json::parse(located.out)["again"]["verdict"], "holds") << located.out;
  const CommandOutcome coarse = run("plan --json --force --set steps=30 " + std::string(kFirstOrder) + output + plan);
  EXPECT_EQ(coarse.code, 1);
  EXPECT_EQ(nlohmann::json::parse(coarse.out)["again"]["verdict"], "artefact") << coarse.out;
  EXPECT_NE(coarse.err.find("an artefact of the steps"), std::string::npos) << coarse.err;
}

// First-order steps over the top of a hump settle on a launch, and what it misses falls as it should: 2.5, 2.6, and 2.6 rad
// in the limit. It never was a plan to come to 0.3 rad.
TEST_F(StepCheck, PlanThatSettlesFarFromItsGoalDoesNotHold) {
  const std::string folder = std::string(tests::kSourceFolder) + "/examples/plan-hump/";
  const std::string output = " --no-record --force -o " + (folder_ / "hump.toml").string() + " ";
  const CommandOutcome first = run("plan --json" + output + folder + "plan.toml");
  EXPECT_EQ(first.code, 1);
  const nlohmann::json again = nlohmann::json::parse(first.out)["again"];
  EXPECT_EQ(again["verdict"], "artefact");
  EXPECT_NEAR(again["half_step"].get<double>(), 2.5, 0.05);
  EXPECT_GT(again["part_of_allowed"].get<double>(), 10);
  const CommandOutcome located = run("plan --json" + output + folder + "located.toml");
  EXPECT_EQ(located.code, 0) << located.err;
  EXPECT_EQ(nlohmann::json::parse(located.out)["again"]["verdict"], "holds") << located.out;
}

}  // namespace
}  // namespace stickslip::testing
