// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Paths of a part through a gap: found when it fits, and only then.
#include "stickslip/study/passage.h"
#include "stickslip/scene/scene.h"
#include "stickslip/study/trial_run.h"
#include "tests/study/study_files.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

namespace stickslip::study {
namespace {

using std::numbers::pi;

// A bar of 2 x 0.4 above a wall at y = 0 with a gap of the given width about x = 0.
constexpr const char* kGap = R"(
dimension = 2
duration = 1
[parameters]
slot = 0.6
[[body]]
name = "wall"
fixed = true
shapes = [
  { chain = [[-5, 0], ["-slot / 2", 0], ["-slot / 2", -0.1]] },
  { polygon = [["slot / 2", -0.1], [5, -0.1], [5, 0], ["slot / 2", 0]] },
]
[[body]]
name = "bar"
mass = 1
shape = { box = [2, 0.4] }
position = [-2, 2]
)";

PassageResult through(double gap, std::uint64_t seed = 1) {
  const std::vector<scene::Override> set{{"slot", std::to_string(gap)}};
  const scene::Scene scene = scene::parse_scene(kGap, "gap.toml", set);
  const PassageWorld world(scene.model, 1);
  PassageOptions options;
  options.low = {-4, -4};
  options.high = {4, 4};
  options.seed = seed;
  options.samples = 4000;
  const PassageResult passage = find_passage(world, {{1, -2, 0}}, options);
  for (const PlanarPose& pose : passage.path) EXPECT_TRUE(world.free(pose));
  return passage;
}

TEST(Passage, FoundWhenTheBarFitsThroughTheGapUpright) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const PassageResult passage = through(0.8, seed);
    ASSERT_TRUE(passage.found) << "seed " << seed;
    EXPECT_NEAR(passage.path.front().y, 2, 1e-12);
    EXPECT_NEAR(passage.path.back().y, -2, 1e-12);
    // It must have stood up to pass.
    EXPECT_TRUE(std::ranges::any_of(passage.path, [](const PlanarPose& pose) {
      return std::abs(pose.y) < 1 && std::abs(std::sin(pose.angle)) > 0.8;
    }));
  }
}

TEST(Passage, NotFoundWhenTheGapIsNarrowerThanTheBar) {
  EXPECT_FALSE(through(0.35).found);
}

TEST(Passage, FreeMeansNoCrossingAndNothingInside) {
  const scene::Scene scene = scene::parse_scene(kGap, "gap.toml");
  const PassageWorld world(scene.model, 1);
  EXPECT_TRUE(world.free({0, 0, pi / 2}));
  EXPECT_FALSE(world.free({0, 0, 0}));
  EXPECT_FALSE(world.free({0.2, 0, pi / 2}));
  EXPECT_TRUE(world.free({3, 0.21, 0}));
  EXPECT_FALSE(world.free({3, 0.19, 0}));
}

class StagedStudy : public StudyFolder {};

// The block must fit (it always does: there is no ceiling) and must stop within a distance for both frictions.
TEST_F(StagedStudy, DesignsThatFailAStageDoNotReachTheNext) {
  file("scene.toml", std::string(kSlidingBlock) +
                         "\n[[body]]\nname = \"puck\"\nmass = 1\nshape = { disc = 0.1 }\n"
                         "position = [\"v\", 0.11]\n");
  const Study study = load_study(file("study.toml", R"(
scene = "scene.toml"
success = "way < 0.3"
[set]
duration = 0.5
[vary]
v = { list = [0.5, 1.5, 3] }
[[stage]]
name = "geometric"
kind = "path"
part = "puck"
goal = [0, 1]
low = [-1, 0]
high = [2, 2]
[[stage]]
name = "rigid"
vary = { mu = { list = [0.2, 0.8] } }
)"));
  const TrialRunner runner(study);
  EXPECT_THAT(runner.observables(), testing::ElementsAre("stages_passed", "runs"));
  const TrialPlan plan(study);
  // v^2 / (2 mu g): 0.0625 and less for the first design, 0.5625 with the low friction for the second.
  const TrialResult good = runner.run(plan.trial(0)), bad = runner.run(plan.trial(1)),
                    outside = runner.run(plan.trial(2));
  EXPECT_EQ(good.success, 1) << good.cause;
  EXPECT_THAT(good.observables, testing::ElementsAre(2, 2));
  EXPECT_EQ(bad.success, 0);
  EXPECT_EQ(bad.cause, "stage rigid: not: way < 0.3");
  EXPECT_THAT(bad.observables, testing::ElementsAre(1, 1)) << "the first failure decides";
  // The third puck starts outside of what may be searched, which is no obstacle: the tree grows into it.
  EXPECT_EQ(outside.cause, "stage rigid: not: way < 0.3");
  EXPECT_EQ(runner.run_last_stage(plan.trial(0)).success, 1);
}

}  // namespace
}  // namespace stickslip::study
