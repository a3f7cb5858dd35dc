// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Study files: what they say, and that what is wrong in them is said with its place.
#include "stickslip/study/study.h"
#include "stickslip/study/study_keys.h"
#include "stickslip/study/trial_plan.h"
#include "stickslip/study/trial_run.h"
#include "tests/study/study_files.h"
#include "tests/support/paths.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

namespace stickslip::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StudyFile : public StudyFolder {
 protected:
  Study study(const std::string& text) const {
    return load_study(file("study.toml", "scene = \"scene.toml\"\n" + text));
  }

  std::string error(const std::string& text) const {
    try {
      static_cast<void>(study(text));
    } catch (const scene::SceneError& problem) {
      return problem.what();
    }
    return "no error";
  }
};

TEST_F(StudyFile, GridsAndListsAreCombinedTheLastFastest) {
  const Study s = study("trials = 2\n[vary]\nv = { grid = [1, 3, 3] }\nmu = { list = [0.2, 0.4] }\n");
  EXPECT_EQ(s.groups(), 6);
  EXPECT_EQ(s.total(), 12);
  const TrialPlan plan(s);
  EXPECT_THAT(plan.trial(0).values, ElementsAre(1, 0.2));
  EXPECT_THAT(plan.trial(1).values, ElementsAre(1, 0.2));
  EXPECT_THAT(plan.trial(2).values, ElementsAre(1, 0.4));
  EXPECT_THAT(plan.trial(11).values, ElementsAre(3, 0.4));
  EXPECT_EQ(plan.trial(11).group, 5);
  EXPECT_EQ(plan.trial(11).repeat, 1);
}

TEST_F(StudyFile, DrawnValuesBelongToTrialGroupOrRepeat) {
  const auto drawn = [&](const std::string& each) {
    const Study s =
        study("trials = 3\n[vary]\nv = { list = [1, 2] }\nmu = { uniform = [0.1, 0.9], each = \"" + each + "\" }\n");
    std::vector<double> values;
    for (int i = 0; i < 6; ++i) values.push_back(TrialPlan(s).trial(i).values[1]);
    return values;
  };
  const std::vector<double> trial = drawn("trial"), group = drawn("group"), repeat = drawn("repeat");
  EXPECT_EQ(std::set<double>(trial.begin(), trial.end()).size(), 6U);
  EXPECT_THAT(group, ElementsAre(group[0], group[0], group[0], group[3], group[3], group[3]));
  EXPECT_NE(group[0], group[3]);
  EXPECT_THAT(repeat, ElementsAre(repeat[0], repeat[1], repeat[2], repeat[0], repeat[1], repeat[2]));
  EXPECT_NE(repeat[0], repeat[1]);
  for (const double mu : trial) EXPECT_TRUE(mu > 0.1 && mu < 0.9);
}

TEST_F(StudyFile, LatinHypercubeHasOneValueInEachSlice) {
  const Study s = study("trials = 50\n[vary]\nmu = { latin = [0, 1] }\n");
  std::set<int> slices;
  for (int i = 0; i < 50; ++i) slices.insert(static_cast<int>(50 * TrialPlan(s).trial(i).values[0]));
  EXPECT_EQ(slices.size(), 50U);
}

TEST_F(StudyFile, NormalValuesStayWithinTheRangeOfTheParameter) {
  const Study s = study("trials = 500\n[vary]\nmu = { normal = [0.1, 0.2] }\n");
  double sum = 0;
  for (int i = 0; i < 500; ++i) {
    const double mu = TrialPlan(s).trial(i).values[0];
    EXPECT_GE(mu, 0);
    sum += mu;
  }
  // Mean of a normal distribution cut off at 0: m + s phi(m/s) / Phi(m/s) = 0.1 + 0.2 * 0.35207 / 0.69146 = 0.2018;
  // its deviation is about 0.13.
  EXPECT_NEAR(sum / 500, 0.2018, 5 * 0.13 / std::sqrt(500.0));
}

// The block slides v^2 / (2 mu g) = 0.1 and the stepper is first order: half a step of the initial speed.
TEST_F(StudyFile, TrialRunsTheSceneWithItsParameters) {
  const Study s =
      study("success = \"way > 0.05 && speed < 1e-9\"\nobjective = \"2 * way\"\n[vary]\nmu = { list = [0.5] }\n");
  const TrialRunner runner(s);
  const TrialResult result = runner.run(TrialPlan(s).trial(0));
  EXPECT_EQ(result.status, TrialStatus::Finished) << result.cause;
  EXPECT_THAT(runner.observables(), ElementsAre("way", "speed"));
  EXPECT_NEAR(result.observables[0], 0.1, 0.5 * 0.01 * 1 + 1e-9);
  EXPECT_EQ(result.objective, 2 * result.observables[0]);
  EXPECT_EQ(result.success, 1);
  EXPECT_EQ(result.end_time, 1);
  EXPECT_LE(result.residual, 1e-9);
}

TEST_F(StudyFile, FailureNamesTheConditionThatDoesNotHold) {
  const Study s = study("success = \"way > 0 && speed > 1 && way < 100\"\n");
  const TrialResult result = TrialRunner(s).run(TrialPlan(s).trial(0));
  EXPECT_EQ(result.success, 0);
  EXPECT_EQ(result.cause, "not: speed > 1");
  EXPECT_THAT(conjuncts("a && (b && c) || d"), ElementsAre("a && (b && c) || d"));
  EXPECT_THAT(conjuncts("a &&(b && c)&& max(d, e) > 0"), ElementsAre("a", "(b && c)", "max(d, e) > 0"));
}

TEST_F(StudyFile, WhatIsNotANumberFailsTheTrialOnly) {
  file("scene.toml", std::string(kSlidingBlock) + "root = \"sqrt(mu - 0.1)\"\n");
  const Study s = study("success = \"way > 0\"\n[vary]\nmu = { list = [0.5, 0] }\n");
  const TrialRunner runner(s);
  EXPECT_EQ(runner.run(TrialPlan(s).trial(0)).status, TrialStatus::Finished);
  const TrialResult result = runner.run(TrialPlan(s).trial(1));
  EXPECT_EQ(result.success, 0);
  EXPECT_EQ(result.status, TrialStatus::Error);
  EXPECT_THAT(result.cause, HasSubstr("'root' is not a number"));
}

TEST_F(StudyFile, MistakesAreSaidWithTheirPlace) {
  EXPECT_THAT(error("[vary]\nmy = { list = [1] }\n"), HasSubstr("study.toml:3:1"));
  EXPECT_THAT(error("[vary]\nmy = { list = [1] }\n"), HasSubstr("no parameter 'my'"));
  EXPECT_THAT(error("[vary]\nmu = { uniform = [0.5, 0.5] }\n"), HasSubstr("empty"));
  EXPECT_THAT(error("[vary]\nmu = { list = [] }\n"), HasSubstr("empty"));
  EXPECT_THAT(error("[vary]\nmu = { grid = [1, 1, 4] }\n"), HasSubstr("empty"));
  EXPECT_THAT(error("[vary]\nmu = { grid = [0, 1, 2.5] }\n"), HasSubstr("integer"));
  EXPECT_THAT(error("[vary]\nmu = { grid = [0, 1, 2], list = [1] }\n"), HasSubstr("both grid and list"));
  EXPECT_THAT(error("[vary]\nmu = { unifrom = [0, 1] }\n"), HasSubstr("did you mean 'uniform'?"));
  EXPECT_THAT(error("[vary]\nmu = { uniform = [-1, 1] }\n"), HasSubstr("outside"));
  EXPECT_THAT(error("[vary]\nmu = { normal = [-9, 0.1] }\n"), HasSubstr("nothing of the distribution"));
  EXPECT_THAT(error("trials = 0\n"), HasSubstr("integer from 1"));
  EXPECT_THAT(error("success = \"wey > 1\"\n"), HasSubstr("wey"));
  EXPECT_THAT(error("success = \"wey > 1\"\n"), HasSubstr("study.toml:2:"));
  EXPECT_THAT(error("[set]\nmuu = 1\n"), HasSubstr("no parameter 'muu'"));
  EXPECT_THAT(error("[set]\nmuu = 1\n"), HasSubstr("study.toml:2:"));
  EXPECT_THAT(error("stop = { width = 0.1 }\n"), HasSubstr("does not define"));
  EXPECT_THAT(error("success = \"way > 1\"\nstop = { width = 0 }\n"), HasSubstr("positive"));
  EXPECT_THAT(error("[optimise.design]\nv = {}\n"), HasSubstr("needs an objective"));
  EXPECT_THAT(error("objective = \"way\"\n[optimise.design]\nmu = { min = 0 }\n"), HasSubstr("needs min and max"));
  EXPECT_THAT(error("objective = \"way\"\n[optimise.design]\nv = { min = 2, max = 3 }\n"), HasSubstr("outside"));
}

// docs/studies.md holds the tables of keys as the code declares them.
TEST(StudyReference, DocumentedKeysAreTheKeysOfTheReader) {
  std::ifstream stream(std::filesystem::path(tests::kSourceFolder) / "docs/studies.md");
  std::ostringstream text;
  text << stream.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr(study_reference())) << "docs/studies.md: paste the output of study_reference()";
}

}  // namespace
}  // namespace stickslip::study
