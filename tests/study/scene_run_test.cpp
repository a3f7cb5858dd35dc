// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A trial tells what a run of its scene tells (runs/run.h), and why there was none.
#include "stickslip/study/scene_run.h"

#include "stickslip/runs/run.h"
#include "tests/support/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stickslip::study {
namespace {

using ::testing::HasSubstr;

scene::Scene ball_at(double height, const std::string& method) {
  return scene::parse_scene("dimension = 2\nduration = 0.3\ngravity = [0, -10]\nmethod = { " + method +
                                " }\n[[body]]\nname = \"floor\"\nfixed = true\n"
                                "shape = { half-plane = { normal = [0, 1] } }\n"
                                "[[body]]\nname = \"ball\"\nmass = 1\nshape = { disc = 0.5 }\nposition = [0, " +
                                std::to_string(height) + "]\n[observe]\ny = \"ball.y\"\n",
                            "test.toml");
}

TEST(SceneRun, NamesBodiesThatOverlapAtTheStart) {
  const SceneRun trial = run_scene(ball_at(0.4, "step = 0.01"));
  EXPECT_EQ(trial.status, TrialStatus::Rejected);
  EXPECT_THAT(trial.cause, HasSubstr("bodies overlap at the start"));
  EXPECT_THAT(trial.cause, HasSubstr("by 0.1"));
}

TEST(SceneRun, FindsTheStepOfATolerance) {
  const scene::Scene scene = ball_at(2, "step = 0.1, tolerance = 1e-3");
  runs::Run run(scene, runs::find_step(scene).step);
  run.begin();
  ASSERT_EQ(run.finish(), runs::RunEnd::Finished);
  const SceneRun trial = run_scene(scene);
  EXPECT_EQ(trial.status, TrialStatus::Finished);
  EXPECT_EQ(trial.observables, run.observables());
  EXPECT_EQ(trial.steps, run.simulation().counters().steps);
}

// A drop that does not land in time is exact at second order. In Newton's cradle coarser runs see fewer of the contacts
// between two impacts, so there is a bound but no estimate.
TEST(SceneRun, AsksForErrorsToBeKnown) {
  using Claim = runs::ErrorBar::Claim;
  EXPECT_EQ(run_scene(ball_at(2, "step = 0.01"), 0, {}, Claim::Estimate).status, TrialStatus::Finished);
  const scene::Scene cradle =
      scene::load_scene(std::string(tests::kSourceFolder) + "/examples/newtons-cradle/scene.toml");
  EXPECT_EQ(run_scene(cradle, 0, {}, Claim::Bound).status, TrialStatus::Finished);
  const SceneRun refused = run_scene(cradle, 0, {}, Claim::Estimate);
  EXPECT_EQ(refused.status, TrialStatus::Error);
  EXPECT_THAT(refused.cause, HasSubstr("the error of v0 has no estimate: "));
}

}  // namespace
}  // namespace stickslip::study
