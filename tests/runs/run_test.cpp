// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Runs of scenes: how they end, what they say about it, and that a run that was saved goes on with the same bits.
#include "stickslip/runs/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::runs {
namespace {

scene::Scene scene_with(const std::string& top, const std::string& ball = "", const std::string& observe = "") {
  return scene::parse_scene("dimension = 2\nduration = 0.3\ngravity = [0, -10]\n" + top +
                                "\n[[body]]\nname = \"floor\"\nfixed = true\n"
                                "shape = { half-plane = { normal = [0, 1] } }\n"
                                "[[body]]\nname = \"ball\"\nmass = 1\nshape = { disc = 0.5 }\n" +
                                (ball.empty() ? "position = [0, 2]\nvelocity = [1, 0]\n" : ball) + "[observe]\n" +
                                observe,
                            "test.toml");
}

// Certifies nothing from t = 0.025 on.
class GivingUp final : public stepping::Stepper {
 public:
  stepping::StepReport advance(stepping::World& world, double h, double end_time) override {
    stepping::Method method = world.method;
    method.stepper = "stewart-trinkle";
    if (!good_) good_ = stepping::make_stepper(method, world.model);
    stepping::StepReport report;
    if (world.state.time < 0.025) return good_->advance(world, h, end_time);
    report.certified = false;
    failure_.reason = "the test says so";
    failure_.time = world.state.time;
    return report;
  }
  void save(ByteWriter&) const override {}
  void restore(ByteReader&) override {}

 private:
  std::unique_ptr<stepping::Stepper> good_;
};

const bool kRegistered = [] {
  stepping::register_stepper({"test-giving-up", "certifies steps up to t = 0.025"},
                             []() -> std::unique_ptr<stepping::Stepper> { return std::make_unique<GivingUp>(); });
  return true;
}();

TEST(SceneRun, EndsAtTheDurationOfTheScene) {
  const scene::Scene scene = scene_with("method = { step = 0.01 }", "", "x = \"ball.x\"");
  runs::Run run(scene);
  run.begin();
  int steps = 0;
  EXPECT_EQ(run.finish([&](const runs::Run&) { return ++steps > 0; }), RunEnd::Finished);
  EXPECT_EQ(steps, 30);
  EXPECT_DOUBLE_EQ(run.time(), 0.3);
  EXPECT_EQ(run.failure(), "");
  EXPECT_NEAR(run.observables()[0], 0.3, 1e-12) << "nothing slows a ball in the air";
}

TEST(SceneRun, EndsWhereAStopConditionHolds) {
  const scene::Scene scene = scene_with("method = { step = 0.01 }\nstop = [\"ball.x > 0.105\"]");
  runs::Run run(scene);
  run.begin();
  EXPECT_EQ(run.finish(), RunEnd::Stopped);
  EXPECT_EQ(run.stop_text(), "ball.x > 0.105");
  EXPECT_NEAR(run.time(), 0.11, 1e-12) << "the first step beyond";
}

TEST(SceneRun, EndsAtOnceWhereTheStartStopsIt) {
  const scene::Scene scene = scene_with("method = { step = 0.01 }\nstop = [\"ball.y > 1\"]");
  runs::Run run(scene);
  run.begin();
  EXPECT_EQ(run.finish(), RunEnd::Stopped);
  EXPECT_EQ(run.simulation().counters().steps, 0);
}

TEST(SceneRun, SaysWhyAStepWasNotCertified) {
  const scene::Scene scene = scene_with("method = { step = 0.01, stepper = \"test-giving-up\" }");
  runs::Run run(scene);
  run.begin();
  EXPECT_EQ(run.finish(), RunEnd::Uncertified);
  EXPECT_EQ(run.failure(), "the test says so");
  EXPECT_NEAR(run.time(), 0.03, 1e-12) << "the last certified state";
}

TEST(SceneRun, NamesBodiesThatOverlapAtTheStart) {
  const scene::Scene scene = scene_with("method = { step = 0.01 }", "position = [0, 0.4]\n");
  const std::string objection = runs::Run(scene).objection_to_start();
  for (const char* part : {"bodies overlap at the start: ", "floor", "ball", " by 0.1"})
    EXPECT_THAT(objection, ::testing::HasSubstr(part));
}

TEST(SceneRun, GoesOnWithTheSameBitsFromWhatWasSaved) {
  const scene::Scene scene = scene_with(
      "method = { step = 0.001 }\n",
      "position = [0, 0.6]\nvelocity = [1, 0]\n[[contact]]\nbetween = [\"ball\", \"floor\"]\nfriction = 0.5\n",
      "top = \"max_over_time(ball.y)\"\nmean = \"mean_over_time(ball.vx)\"\nturn = \"ball.angle\"\n");
  runs::Run whole(scene);
  whole.begin();
  ASSERT_EQ(whole.finish(), RunEnd::Finished);
  ByteWriter out;
  {
    runs::Run half(scene);
    half.begin();
    ASSERT_TRUE(half.run_until(0.17));
    half.save(out);
  }
  const std::string bytes = out.take();
  runs::Run rest(scene);
  ByteReader in(bytes);
  rest.restore(in);
  EXPECT_TRUE(in.at_end());
  ASSERT_EQ(rest.finish(), RunEnd::Finished);
  EXPECT_EQ(rest.observables(), whole.observables());
  EXPECT_GT(std::abs(whole.observables()[2]), 1e-3) << "friction has set the ball rolling";
}

TEST(SceneRun, RefusesWhatAnotherSceneSaved) {
  const scene::Scene scene = scene_with("method = { step = 0.01 }", "", "top = \"max_over_time(ball.y)\"");
  const scene::Scene other = scene_with("method = { step = 0.01 }");
  ByteWriter out;
  runs::Run(other).save(out);
  const std::string bytes = out.take();
  ByteReader in(bytes);
  runs::Run run(scene);
  EXPECT_THROW(run.restore(in), std::runtime_error);
}

// A ball in free fall: y = y0 - g t^2 / 2, which a first-order step misses by g h t / 2.
TEST(SceneRun, FindsTheStepThatTheToleranceAsksFor) {
  const scene::Scene scene =
      scene_with("method = { stepper = \"stewart-trinkle\", step = 0.1, tolerance = 1e-3 }", "", "y = \"ball.y\"");
  const simulation::StepChoice choice = find_step(scene);
  ASSERT_TRUE(choice.reached);
  runs::Run run(scene, choice.step);
  run.begin();
  ASSERT_EQ(run.finish(), RunEnd::Finished);
  const double exact = 2 - 0.5 * 10 * 0.3 * 0.3;
  EXPECT_LE(std::abs(run.observables()[0] - exact), 1e-3);
  runs::Run coarse(scene);
  coarse.begin();
  ASSERT_EQ(coarse.finish(), RunEnd::Finished);
  EXPECT_GT(std::abs(coarse.observables()[0] - exact), 1e-3) << "the step that was given does not do";
}

// Runs of 300 steps and more, in which the question is put every few steps.
TEST(SceneRun, TheSearchForAStepEndsAfterANo) {
  const scene::Scene scene = scene_with("method = { step = 1e-3, tolerance = 1e-4 }", "", "y = \"ball.y\"");
  int asked = 0;
  EXPECT_THROW((void)find_step(scene, asking([&] { return ++asked < 7; })), Interrupted);
  EXPECT_EQ(asked, 7) << "nothing runs on";
  EXPECT_EQ(find_step(scene, asking([] { return true; })).step, find_step(scene).step);
  EXPECT_FALSE(asking({})) << "nobody to ask";
}

// A disc of radius 0.5 above the floor, and one that hangs on nothing.
TEST(Settle, TheRunStartsAtRest) {
  const scene::Scene scene = scene_with("settle = true\n[method]\nstepper = \"stewart-trinkle\"", "position = [0, 2]\n",
                                        "first = \"initial(ball.y)\"\n");
  runs::Run run(scene);
  run.begin();
  EXPECT_EQ(run.time(), 0);
  EXPECT_NEAR(run.simulation().state().bodies[1].pose.position.y(), 0.5, 1e-9);
  EXPECT_EQ(run.simulation().state().bodies[1].velocity.linear.norm(), 0);
  EXPECT_EQ(run.finish(), RunEnd::Finished);
  EXPECT_NEAR(run.observables()[0], 0.5, 1e-9) << "what is observed begins with the settled state";
  EXPECT_EQ(run.simulation().counters().steps, 300) << "steps of settling are not counted";
}

// The floor moves from t = 0 on; while bodies settle it is held where it is then.
TEST(Settle, DrivesAreHeldUntilTheStart) {
  scene::Scene scene = scene::parse_scene(
      "dimension = 2\nduration = 0.1\ngravity = [0, -10]\nsettle = true\n[method]\nstepper = "
      "\"stewart-trinkle\"\n[[body]]\nname = \"floor\"\n"
      "shape = { half-plane = { normal = [0, 1] } }\nmotion = { position = [0, \"0.1 + t\"] }\n"
      "[[body]]\nname = \"box\"\nmass = 1\nshape = { box = [1, 1] }\nposition = [0, 1]\n",
      "test.toml");
  runs::Run run(scene);
  run.begin();
  EXPECT_NEAR(run.simulation().state().bodies[1].pose.position.y(), 0.6, 1e-9);
  EXPECT_EQ(run.simulation().state().bodies[0].velocity.linear.y(), 1) << "from the start on it moves";
  run.finish();
  EXPECT_NEAR(run.simulation().state().bodies[1].pose.position.y(), 0.7, 1e-6);
}

TEST(Settle, WhatNeverRestsIsRefused) {
  const scene::Scene scene = scene::parse_scene(
      "dimension = 2\nduration = 0.1\ngravity = [0, -10]\nsettle = true\n[method]\nstep = 0.1\n[[body]]\nname = "
      "\"ball\"\nmass = 1\n"
      "shape = { disc = 1 }\n",
      "test.toml");
  runs::Run run(scene);
  try {
    run.begin();
    FAIL() << "it falls for ever";
  } catch (const files::SceneError& error) {
    EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr("not at rest after 60"));
  }
}

}  // namespace
}  // namespace stickslip::runs
