// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of a study whose answers are known: a block pushed off with speed v slides v^2 / (2 mu g), g = 10.
#include "stickslip/report/study_data.h"

#include "stickslip/report/page.h"
#include "stickslip/study/session.h"
#include "tests/study/study_files.h"

#include <gmock/gmock.h>

#include <numeric>

namespace stickslip::report {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kTwoGrids = R"(
title = "Where does it stop?"
scene = "scene.toml"
success = "way < 0.15"
objective = "way"
[vary]
v = { grid = [0.5, 1.5, 3] }
mu = { list = [0.25, 0.5] }
)";

class StudyPage : public study::StudyFolder {
 protected:
  // Runs a study into a store and prepares it; `known`: the study file is still there.
  StudyData prepared(const std::string& text, bool known = true) const {
    const study::Study study = study::load_study(file("study.toml", text));
    const study::TrialRunner runner(study);
    const auto store = study::Store::create_or_resume(folder_ / "study.db", study::header_of(study, runner, "test"));
    study::Session session(study, *store);
    run_threads(session, runner, 1);
    session.finish();
    return prepare_study(*store, known ? std::optional(study) : std::nullopt, "study.db");
  }
};

TEST_F(StudyPage, BestAndWorstTrialsMapsAndHistogramsOfABlockThatStops) {
  const StudyData data = prepared(kTwoGrids);
  ASSERT_THAT(data.best, SizeIs(6));
  ASSERT_THAT(data.worst, SizeIs(6));
  // Slow and rough: 0.025; fast and smooth: 0.45. Steps of 0.01 leave an error of v h / 2 and less.
  EXPECT_NEAR(data.best.front().result.objective, 0.25 / 10, 0.5 * 0.01);
  EXPECT_EQ(data.best.front().trial.values, (std::vector<double>{0.5, 0.5}));
  EXPECT_NEAR(data.worst.front().result.objective, 2.25 / 5, 1.5 * 0.01);
  EXPECT_EQ(data.worst.front().trial.values, (std::vector<double>{1.5, 0.25}));

  ASSERT_THAT(data.maps, SizeIs(3)) << "success, objective and way; speed is 0 at the end of all trials";
  EXPECT_EQ(data.maps[0].value, "success");
  EXPECT_THAT(data.maps[0].cells, SizeIs(6));

  const auto way = std::ranges::find(data.histograms, "way", &Histogram::name);
  ASSERT_NE(way, data.histograms.end());
  EXPECT_EQ(std::accumulate(way->counts.begin(), way->counts.end(), std::int64_t{0}), 6);
  EXPECT_EQ(std::accumulate(way->successes.begin(), way->successes.end(), std::int64_t{0}), 3);
  EXPECT_EQ(way->counts.front() > 0, true) << "the least value is in the first bin";
  EXPECT_EQ(way->counts.back() > 0, true) << "the greatest value is in the last bin";
  for (std::size_t k = 0; k < way->counts.size(); ++k) {
    const double share = static_cast<double>(way->counts[k]) / 6;
    EXPECT_LE(way->shares[k].low, share);
    EXPECT_GE(way->shares[k].high, share);
  }
}

TEST_F(StudyPage, WithoutItsFileAStudyHasNoMapAndSaysWhy) {
  const StudyData data = prepared(kTwoGrids, false);
  EXPECT_THAT(data.maps, IsEmpty());
  EXPECT_THAT(data.without_maps, HasSubstr("--study"));
  EXPECT_THAT(data.rows, SizeIs(6));
}

TEST_F(StudyPage, LongListsOfTrialsAreThinnedOutButCountedWhole) {
  const StudyData data = prepared(R"(
scene = "scene.toml"
trials = 4100
objective = "v"
[set]
duration = 0.01
[vary]
v = { uniform = [0, 1] }
)");
  EXPECT_THAT(data.rows, SizeIs(2050)) << "every second one";
  const auto objective = std::ranges::find(data.histograms, "objective", &Histogram::name);
  ASSERT_NE(objective, data.histograms.end());
  EXPECT_EQ(std::accumulate(objective->counts.begin(), objective->counts.end(), std::int64_t{0}), 4100);
  for (std::size_t k = 1; k < data.best.size(); ++k)
    EXPECT_LE(data.best[k - 1].result.objective, data.best[k].result.objective);
  EXPECT_EQ(data.best.front().result.objective, data.summary.least);
  EXPECT_EQ(data.worst.front().result.objective, data.summary.most);
}

TEST_F(StudyPage, TextOfAStudyCannotEndThePagesData) {
  const std::string page = study_page(prepared(R"(
title = "</script><script>alert(1)</script>"
scene = "scene.toml"
)"));
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, HasSubstr(R"("kind":"study")"));
}

}  // namespace
}  // namespace stickslip::report
