// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Design by search: a block pushed off with speed v slides v^2 / (2 mu g); which speed brings it to a given place?
#include "stickslip/study/optimise.h"
#include "tests/study/study_files.h"

#include <gmock/gmock.h>

#include <cmath>

namespace stickslip::study {
namespace {

using ::testing::HasSubstr;

class Optimise : public StudyFolder {
 protected:
  Study study(const std::string& text) const {
    return load_study(file("study.toml", "scene = \"scene.toml\"\n" + text));
  }
  // The speed that brings the block to 0.3: v = sqrt(2 mu g 0.3) = sqrt(3).
  Study aimed(const std::string& method, const std::string& more = "") const {
    return study("objective = \"(way - 0.3)^2\"\n[optimise]\nmethod = \"" + method + "\"\nevaluations = 300\n" +
                 "tolerance = 1e-7\n" + more + "[optimise.design]\nv = { start = 0.6, min = 0.1, max = 4 }\n");
  }
};

// Half a step of the speed is the error of the first-order stepper in the way: h mu g / 2 = 0.025 in the speed.
constexpr double kSpeedError = 0.03;

TEST_F(Optimise, EverySearchFindsTheSpeed) {
  for (const char* method : {"nelder-mead", "bobyqa", "cobyla", "crs", "slsqp"}) {
    const Study s = aimed(method);
    const OptimiseResult result = optimise(s, TrialRunner(s), 1);
    ASSERT_GT(result.best.number, 0) << method;
    EXPECT_NEAR(result.best.design[0], std::sqrt(3.0), kSpeedError) << method << ": " << result.ending;
    EXPECT_LT(result.best.value, 1e-6) << method;
    EXPECT_LE(result.evaluations, 300) << method;
    EXPECT_NEAR(result.first.design[0], 0.6, 1e-12) << method;
  }
}

// The runs of the block can be differentiated: one evaluation has value and gradient by one run.
TEST_F(Optimise, GradientsComeFromTheRunsThemselves) {
  Study s = aimed("slsqp");
  s.set.push_back({"method.stepper", "stewart-trinkle"});
  const OptimiseResult result = optimise(s, TrialRunner(s), 1);
  EXPECT_GT(result.implicit_gradients, 0);
  EXPECT_EQ(result.gradients, result.implicit_gradients);
  EXPECT_EQ(result.runs, result.evaluations);
  const TrialRunner runner(s);
  const double up = evaluate_design(s, runner, 1, {1.2201}).value, down = evaluate_design(s, runner, 1, {1.2199}).value;
  EXPECT_NEAR(evaluate_design(s, runner, 1, {1.22}, true).gradient[0], (up - down) / 2e-4, 1e-6);
}

// Restitution has no implicit derivative at first order: two more runs for each variable.
TEST_F(Optimise, DifferencesStandInWhereRunsCannotBeDifferentiated) {
  std::ofstream(folder_ / "scene.toml") << std::string(kSlidingBlock)
                                               .replace(std::string(kSlidingBlock).find("friction = \"mu\""), 0,
                                                        "restitution = 0.1\n");
  Study s = aimed("slsqp");
  s.set.push_back({"method.stepper", "stewart-trinkle"});
  const OptimiseResult result = optimise(s, TrialRunner(s), 1);
  EXPECT_NEAR(result.best.design[0], std::sqrt(3.0), kSpeedError);
  EXPECT_GT(result.gradients, 0);
  EXPECT_EQ(result.implicit_gradients, 0);
  EXPECT_EQ(result.runs, result.evaluations + 2 * result.gradients);
}

TEST_F(Optimise, GradientOfTheWorstShare) {
  const Study s = study(
      "objective = \"(way - 0.3)^2\"\n[vary]\nmu = { list = [0.4, 0.5, 0.6, 0.9] }\n[optimise]\n"
      "combine = \"cvar\"\ntail = 0.4\n[optimise.design]\nv = { min = 0.1, max = 4 }\n");
  const TrialRunner runner(s);
  const double up = evaluate_design(s, runner, 1, {1.2201}).value, down = evaluate_design(s, runner, 1, {1.2199}).value;
  EXPECT_NEAR(evaluate_design(s, runner, 1, {1.22}, true).gradient[0], (up - down) / 2e-4, 1e-6);
}

// |way - 0.3| summed over two frictions has a corner at its least value, where the way with one of them is right.
TEST_F(Optimise, GaussNewtonFindsTheCornerInFewEvaluations) {
  const Study s = study(
      "objective = \"abs(way - 0.3)\"\n[vary]\nmu = { list = [0.4, 0.6] }\n[optimise]\nmethod = \"gauss-newton\"\n"
      "residuals = [\"way - 0.3\"]\ntolerance = 1e-6\n[optimise.design]\nv = { start = 0.6, min = 0.1, max = 4 }\n");
  const OptimiseResult result = optimise(s, TrialRunner(s), 2);
  EXPECT_LE(result.evaluations, 15) << result.ending;
  EXPECT_NEAR(std::min(result.best.objectives[0], result.best.objectives[1]), 0, 1e-4);
  EXPECT_NEAR(result.best.value, 0.1, 0.01) << "v^2 = 2.4: 0.3 and 0.2";
}

// Steps of the anitescu-potra stepper have no derivatives: the searches go on with differences, and say so.
TEST_F(Optimise, SearchesWithDerivativesFallBackToDifferences) {
  const std::string text =
      "objective = \"abs(way - 0.3)\"\n[set]\n\"method.stepper\" = \"anitescu-potra\"\n[vary]\nmu = { list = [0.4, "
      "0.6] "
      "}\n"
      "[optimise]\nresiduals = [\"way - 0.3\"]\ntolerance = 1e-6\nmethod = \"gauss-newton\"\n"
      "[optimise.design]\nv = { start = 0.6, min = 0.1, max = 4 }\n";
  const Study s = study(text);
  const OptimiseResult result = optimise(s, TrialRunner(s), 2);
  EXPECT_LE(result.evaluations, 15) << result.ending;
  EXPECT_NEAR(result.best.value, 0.1, 0.01);
  EXPECT_EQ(result.gradients, result.evaluations);
  EXPECT_EQ(result.implicit_gradients, 0);
  EXPECT_GT(result.runs, 2 * result.evaluations);
}

TEST_F(Optimise, GaussNewtonNeedsItsTerms) {
  const std::string design = "[optimise.design]\nv = { min = 0.1, max = 4 }\n";
  const std::string head = "objective = \"way\"\n[optimise]\nmethod = \"gauss-newton\"\n";
  EXPECT_THROW((void)study(head + design), scene::SceneError);
  EXPECT_THROW((void)study(head + "residuals = [\"wey\"]\n" + design), scene::SceneError);
  EXPECT_THROW((void)study(head + "residuals = []\n" + design), scene::SceneError);
}

// sum |d - a_i| is least at the median, within the bounds.
TEST(NormSearch, LeastSumOfDistances) {
  NormModel model;
  model.residuals = Eigen::VectorXd{{-1.0, -2.0, -7.0, -3.0, -10.0}};
  model.slopes = Eigen::MatrixXd::Ones(5, 1);
  model.sizes.assign(5, 1);
  model.weight.assign(5, 1.0);
  const auto step = [&](double low, double high) {
    return minimising_step(model, Eigen::VectorXd::Constant(1, low), Eigen::VectorXd::Constant(1, high))[0];
  };
  EXPECT_NEAR(step(-20, 20), 3, 1e-2);
  EXPECT_NEAR(step(-1, 2), 2, 1e-12);
  EXPECT_NEAR(model.value(Eigen::VectorXd::Zero(1)), 23, 1e-12);
}

TEST_F(Optimise, SearchIsTheSameForEveryNumberOfThreadsAndAgain) {
  const Study s = study(
      "trials = 4\nobjective = \"(way - 0.3)^2\"\n[vary]\nmu = { uniform = [0.4, 0.6] }\n"
      "[optimise]\nmethod = \"crs\"\nevaluations = 60\nstarts = 2\n[optimise.design]\nv = { min = 0.1, max = 4 }\n");
  const auto values = [&](int threads) {
    std::vector<double> seen;
    static_cast<void>(optimise(s, TrialRunner(s), threads, [&](const Evaluation& evaluation) {
      seen.push_back(evaluation.design[0]);
      seen.push_back(evaluation.value);
      return true;
    }));
    return seen;
  };
  const std::vector<double> one = values(1);
  EXPECT_EQ(one.size(), 120U);
  EXPECT_EQ(values(1), one);
  EXPECT_EQ(values(3), one);
}

// Two frictions, 0.4 and 0.6: the ways are v^2/8 and v^2/12; the largest distance from 0.3 is least where
// v^2/8 - 0.3 = 0.3 - v^2/12, at v = sqrt(2.88).
TEST_F(Optimise, WorstCaseBalancesTheFrictions) {
  const Study s = study(
      "objective = \"abs(way - 0.3)\"\n[vary]\nmu = { list = [0.4, 0.6] }\n[optimise]\ncombine = \"worst\"\n"
      "tolerance = 1e-7\n[optimise.design]\nv = { min = 0.1, max = 4 }\n");
  const OptimiseResult result = optimise(s, TrialRunner(s), 2);
  EXPECT_NEAR(result.best.design[0], std::sqrt(2.88), kSpeedError);
  EXPECT_NEAR(result.best.objectives[0], result.best.objectives[1], 1e-3);
  EXPECT_EQ(result.runs, 2 * result.evaluations);
}

TEST_F(Optimise, CombinesTheTrialsOfAnEvaluation) {
  const auto value = [&](const std::string& combine) {
    const Study s =
        study("objective = \"v * mu\"\n[set]\nduration = 0.01\n[vary]\nmu = { list = [1, 2, 3, 6] }\n[optimise]\n" +
              combine + "\n[optimise.design]\nv = { min = 0.1, max = 4 }\n");
    return evaluate_design(s, TrialRunner(s), 1, {2}).value;
  };
  EXPECT_DOUBLE_EQ(value("combine = \"sum\""), 24);
  EXPECT_DOUBLE_EQ(value("combine = \"mean\""), 6);
  EXPECT_DOUBLE_EQ(value("combine = \"worst\""), 12);
  EXPECT_DOUBLE_EQ(value("combine = \"cvar\"\ntail = 0.5"), 9);
}

TEST_F(Optimise, TargetAndBudgetEndTheSearch) {
  const Study target = aimed("nelder-mead", "target = 1e-2\n");
  const OptimiseResult early = optimise(target, TrialRunner(target), 1);
  EXPECT_LE(early.best.value, 1e-2);
  EXPECT_EQ(early.best.number, early.evaluations) << "the first that is good enough is the last";
  Study few = aimed("bobyqa");
  few.optimise->evaluations = 4;
  EXPECT_EQ(optimise(few, TrialRunner(few), 1).evaluations, 4);
}

TEST_F(Optimise, UndefinedDesignsAreAvoidedAndLogged) {
  // Not a number above v = 2.
  const Study s = study(
      "objective = \"(way - 0.3)^2 + 0 * sqrt(2 - v)\"\n[optimise]\ntolerance = 1e-6\n"
      "[optimise.design]\nv = { start = 1.9, min = 0.1, max = 4, step = 0.5 }\n");
  int undefined = 0;
  const OptimiseResult result = optimise(s, TrialRunner(s), 1, [&](const Evaluation& evaluation) {
    undefined += std::isnan(evaluation.value) ? 1 : 0;
    EXPECT_EQ(std::isnan(evaluation.value), evaluation.design[0] > 2);
    return true;
  });
  EXPECT_GT(undefined, 0);
  EXPECT_NEAR(result.best.design[0], std::sqrt(3.0), kSpeedError);
}

TEST_F(Optimise, BestDesignIsASceneThatRunsTheSame) {
  const Study s = study(
      "objective = \"(way - 0.3)^2\"\n[set]\nduration = 0.7\nmu = 0.4\nmethod.step = 0.005\n[optimise]\nevaluations = "
      "20\n"
      "[optimise.design]\nv = { min = 0.1, max = 4 }\n");
  const TrialRunner runner(s);
  const OptimiseResult result = optimise(s, runner, 1);
  std::filesystem::create_directory(folder_ / "designs");
  const std::filesystem::path path = folder_ / "designs" / "best.toml";
  std::ofstream(path) << design_as_scene(s, result.best, path);
  const scene::Scene scene = scene::load_scene(path);
  EXPECT_EQ(scene.duration, 0.7);
  EXPECT_EQ(scene.method.step, 0.005);
  EXPECT_EQ(scene.parameters[0].value, result.best.design[0]);
  EXPECT_EQ(scene.parameters[0].max, 10) << "what the scene says about the parameter is kept";
  EXPECT_EQ(scene.parameters[1].value, 0.4);
}

}  // namespace
}  // namespace stickslip::study
