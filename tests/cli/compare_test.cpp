// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip compare and converge: verdicts that are known beforehand.
#include "tests/support/command.h"

#include <nlohmann/json.hpp>

#include <set>

namespace stickslip::testing {
namespace {

using Compare = CommandTest;
using Converge = CommandTest;

TEST_F(Compare, RigidModelsAgreeOnTheBallWithinTheirErrorBars) {
  const CommandOutcome outcome =
      run("compare --json --methods stewart-trinkle,anitescu-potra,implicit,second-order " + example("ball"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  // t_roll is the same multiple of the step with 1e-3 and 5e-4: agreement of the two is no error bar.
  for (const char* name : {"x", "y", "t_roll"})
    EXPECT_FALSE(json["observe"][name]["depends_on_model"].get<bool>()) << name << ": " << json["observe"][name];
}

// A plate that slides without turning, all three loads the same friction: y and angle are zero but for rounding.
TEST_F(Compare, WhatIsZeroDoesNotDependOnTheModel) {
  const CommandOutcome outcome =
      run("compare --json --set w=0 --set method.step=1e-3 --methods stewart-trinkle,anitescu-potra,implicit " +
          example("slide-to-rest"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json observe = nlohmann::json::parse(outcome.out)["observe"];
  for (const char* name : {"y", "angle"}) {
    EXPECT_FALSE(observe[name]["depends_on_model"].get<bool>()) << name;
    EXPECT_NE(observe[name]["verdict"].get<std::string>().find("zero"), std::string::npos) << observe[name];
  }
}

TEST_F(Compare, FrictionPyramidWithFourSidesChangesTheShot) {
  const CommandOutcome outcome =
      run("compare --json --methods stewart-trinkle,stewart-trinkle+friction=pyramid+directions=4 " + example("ball"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(nlohmann::json::parse(outcome.out)["observe"]["x"]["depends_on_model"].get<bool>());
}

// The needle push is quasi-static; with its inertia it moves the same, and first-order motion has no damping to live on.
TEST_F(Compare, TriesTheOtherMotionModelsThatTheSceneAdmits) {
  const CommandOutcome outcome = run("compare --json --set duration=1 " + example("needle-push"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  std::set<std::string> methods;
  for (const nlohmann::json& method : json["methods"]) methods.insert(method["method"]);
  EXPECT_TRUE(methods.contains("stewart-trinkle")) << json["methods"];
  EXPECT_TRUE(methods.contains("stewart-trinkle+motion=dynamic"));
  for (const std::string& method : methods) EXPECT_EQ(method.find("first-order"), std::string::npos) << method;
  EXPECT_FALSE(json["observe"]["y"]["depends_on_model"].get<bool>()) << json["observe"]["y"];
}

TEST_F(Converge, StatesTheOrderOfPositionsAndNoneForTimesReadOffTheGrid) {
  const CommandOutcome outcome = run("converge --json --set method.stepper=stewart-trinkle " + example("ball"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const nlohmann::json observe = nlohmann::json::parse(outcome.out)["by_step"]["observe"];
  EXPECT_NEAR(observe["x"]["order"].get<double>(), 1, 0.02);
  EXPECT_NEAR(observe["x"]["limit"].get<double>(), 0.561914290659, 1e-8);
  EXPECT_TRUE(observe["t_roll"]["order"].is_null());
  EXPECT_GE(observe["t_roll"]["error_bar"].get<double>(), 6e-5);  // the finest step
}

}  // namespace
}  // namespace stickslip::testing
