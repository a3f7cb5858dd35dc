// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Plug-ins as their users meet them: the example that ships, Siconos where it is installed, and files that are none.
#include "tests/support/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stickslip::testing {
namespace {

using ::testing::HasSubstr;

class Plugin : public CommandTest {
 protected:
  const std::string build_ = tests::kBuildFolder, examples_ = std::string(tests::kSourceFolder) + "/examples";
  const std::string example_ = " --plugin '" + build_ + "/examples/plugin/example_plugin.so'";
  const std::string siconos_ = build_ + "/plugins/siconos.so";

  [[nodiscard]] CommandOutcome run_ball(const std::string& options) const {
    return run("run '" + examples_ + "/ball/scene.toml' --json --no-record --set method.step=1e-2 " + options);
  }
};

TEST_F(Plugin, SolverFromTheExampleGivesTheSameAnswer) {
  const auto ours = run_ball(""), theirs = run_ball("--set method.solver=example-projection" + example_);
  ASSERT_EQ(theirs.code, 0) << theirs.err;
  const auto a = nlohmann::json::parse(ours.out), b = nlohmann::json::parse(theirs.out);
  EXPECT_EQ(b["method"]["solver"], "example-projection");
  EXPECT_NEAR(a["observe"]["x"].get<double>(), b["observe"]["x"].get<double>(), 1e-8);
}

TEST_F(Plugin, StepperFromTheExampleFalls) {
  const auto outcome = run("run '" + examples_ + "/peg/scene.toml' --json --no-record --set duration=0.1" + example_ +
                           " --set method.stepper=example-free-flight");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  // Semi-implicit Euler, 100 steps of 1e-3: 0.2 - g h^2 n (n + 1) / 2.
  EXPECT_NEAR(nlohmann::json::parse(outcome.out)["observe"]["y"].get<double>(), 0.2 - 9.8 * 1e-6 * 5050, 1e-12);
}

TEST_F(Plugin, IsListedAndMayStandBeforeTheVerb) {
  for (const std::string& command : {"list" + example_, example_ + " list"}) {
    const auto outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("example-projection"));
    EXPECT_THAT(outcome.out, HasSubstr("example-free-flight"));
  }
}

TEST_F(Plugin, NamesAreUnknownWithoutIt) {
  const auto outcome = run_ball("--set method.solver=example-projection");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unknown name 'example-projection'"));
}

TEST_F(Plugin, FilesThatAreNoneAreToldInOneLine) {
  for (const auto& [file, text] : {std::pair{build_ + "/no_such_file.so", "cannot read"},
                                   {examples_ + "/ball/scene.toml", "cannot load"},
                                   {build_ + "/tests/no_plugin.so", "is not a stickslip plug-in"},
                                   {build_ + "/tests/old_plugin.so", "build it again"}}) {
    const auto outcome = run("list --plugin '" + file + "'");
    EXPECT_EQ(outcome.code, 2) << file;
    EXPECT_THAT(outcome.err, HasSubstr(text));
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
  }
  const auto twice = run("list" + example_ + example_);
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("is taken"));
}

TEST_F(Plugin, SiconosSolvesTheSameSteps) {
  if (!std::filesystem::exists(siconos_)) GTEST_SKIP() << "built without Siconos";
  const auto ours = nlohmann::json::parse(run_ball("").out);
  for (const char* solver : {"siconos-nsgs", "siconos-nsn-ac"}) {
    const auto theirs = run_ball("--plugin '" + siconos_ + "' --set method.solver=" + solver);
    ASSERT_EQ(theirs.code, 0) << solver << ": " << theirs.err;
    EXPECT_NEAR(ours["observe"]["x"].get<double>(), nlohmann::json::parse(theirs.out)["observe"]["x"].get<double>(),
                1e-6)
        << solver;
  }
}

TEST_F(Plugin, SiconosSolvesProblemFiles) {
  if (!std::filesystem::exists(siconos_)) GTEST_SKIP() << "built without Siconos";
  const auto outcome = run("solve --plugin '" + siconos_ + "' --solver siconos-lemke '" + examples_ +
                           "/complementarity/problems/textbook_lcp.json'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("siconos-lemke"));
}

}  // namespace
}  // namespace stickslip::testing
