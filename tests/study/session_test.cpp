// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a study leaves in its store does not depend on how it was run: threads, interruptions, stop rules.
#include "stickslip/study/session.h"
#include "stickslip/study/csv.h"
#include "stickslip/study/study_summary.h"
#include "tests/study/study_files.h"

#include <gmock/gmock.h>

#include <cmath>
#include <thread>

namespace stickslip::study {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMonteCarlo = R"(
scene = "scene.toml"
trials = 40
success = "way < 0.2"
objective = "way"
[set]
duration = 0.3
[vary]
v = { list = [0.5, 1.5] }
mu = { uniform = [0.2, 0.8] }
)";

class StudySession : public StudyFolder {
 protected:
  // Runs (or goes on with) a study and returns its table.
  std::string run(const Study& study, const std::string& store_name, int threads) const {
    const TrialRunner runner(study);
    const auto store = Store::create_or_resume(folder_ / store_name, header_of(study, runner, "test"));
    Session session(study, *store);
    run_threads(session, runner, threads);
    EXPECT_TRUE(session.complete());
    session.finish();
    return table(*store);
  }

  static std::string table(Store& store) {
    std::string text;
    write_csv(store, {}, [&](std::string_view piece) { text += piece; });
    return text;
  }

  Study study(const std::string& text = kMonteCarlo) const { return load_study(file("study.toml", text)); }
};

TEST_F(StudySession, SameTableForEveryNumberOfThreads) {
  const std::string one = run(study(), "one.db", 1);
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 81);
  EXPECT_THAT(one, testing::StartsWith("trial,group,repeat,v,mu,way,speed,status,cause,success,objective,end_time,"));
  EXPECT_EQ(run(study(), "two.db", 2), one);
  EXPECT_EQ(run(study(), "seven.db", 7), one);
}

TEST_F(StudySession, InterruptedAndResumedIsTheSameAsNeverStopped) {
  const Study s = study();
  const std::string whole = run(s, "whole.db", 2);
  const TrialRunner runner(s);
  const StoreHeader header = header_of(s, runner, "test");
  // A process that took seven trials, brought three (the later ones first) and died.
  {
    const auto store = Store::create_or_resume(folder_ / "cut.db", header);
    Session session(s, *store);
    std::vector<std::pair<TrialPoint, TrialResult>> results;
    for (int i = 0; i < 7; ++i) {
      TrialPoint trial = *session.take();
      TrialResult result = runner.run(trial);
      if (i >= 4) results.emplace(results.begin(), std::move(trial), std::move(result));
    }
    session.commit(results);
    EXPECT_EQ(store->count(), 3);
  }
  EXPECT_EQ(run(s, "cut.db", 2), whole);
}

TEST_F(StudySession, FinishedStudyIsNotRunAgain) {
  const Study s = study();
  run(s, "results.db", 2);
  const TrialRunner runner(s);
  const auto store = Store::create_or_resume(folder_ / "results.db", header_of(s, runner, "test"));
  Session session(s, *store);
  EXPECT_EQ(session.found(), 80);
  EXPECT_FALSE(session.take().has_value());
}

TEST_F(StudySession, StudyCanBeExtended) {
  const std::string text = "scene = \"scene.toml\"\n[set]\nduration = 0.1\n[vary]\nmu = { uniform = [0.2, 0.8] }\n";
  run(study("trials = 5\n" + text), "results.db", 2);
  EXPECT_EQ(run(study("trials = 9\n" + text), "results.db", 2), run(study("trials = 9\n" + text), "other.db", 1));
}

// The trials that count are those up to the one at which the rule first holds, however many workers ran ahead.
TEST_F(StudySession, StopRuleEndsAtTheSameTrialForEveryNumberOfThreads) {
  const std::string text =
      "scene = \"scene.toml\"\ntrials = 500\nsuccess = \"way < 0.12\"\nstop = { width = 0.3, least = 10 }\n"
      "[set]\nduration = 0.3\n[vary]\nmu = { uniform = [0.2, 0.8] }\n";
  const std::string one = run(study(text), "one.db", 1);
  EXPECT_EQ(run(study(text), "five.db", 5), one);
  const auto trials = std::count(one.begin(), one.end(), '\n') - 1;
  EXPECT_GT(trials, 10);
  EXPECT_LT(trials, 100);
  // One trial less, and the interval is wider than the rule asks.
  const auto store = Store::open(folder_ / "one.db");
  RateEstimator all, but_one;
  store->read([&](const TrialPoint& trial, const TrialResult& result) {
    all.add(result.success != 0);
    if (trial.index + 1 < trials) but_one.add(result.success != 0);
  });
  EXPECT_LE(all.estimate().width(), 0.3);
  EXPECT_GT(but_one.estimate().width(), 0.3);
}

TEST_F(StudySession, GroupsMayStopForThemselves) {
  const std::string text =
      "scene = \"scene.toml\"\ntrials = 60\nobjective = \"way\"\n"
      "stop = { width = 0.02, least = 5, per_group = true }\n"
      "[set]\nduration = 0.3\n[vary]\nv = { list = [0.2, 1] }\nmu = { uniform = [0.2, 0.8] }\n";
  const std::string one = run(study(text), "one.db", 1);
  EXPECT_EQ(run(study(text), "three.db", 3), one);
  std::map<std::int64_t, int> trials;
  Store::open(folder_ / "one.db")->read([&](const TrialPoint& trial, const TrialResult&) { ++trials[trial.group]; });
  EXPECT_LT(trials[0], trials[1]) << "the slow block's ways differ less";
}

TEST_F(StudySession, StoreOfAnotherStudyIsRefusedAndLeftAlone) {
  run(study(), "results.db", 1);
  const std::string before = content(folder_ / "results.db");
  for (const auto& [from, to, named] :
       {std::tuple("way < 0.2", "way < 0.3", "success"), std::tuple("0.8", "0.9", "vary"),
        std::tuple("duration = 0.3", "duration = 0.4", "set"), std::tuple("trials = 40", "trials = 41", "trials")}) {
    std::string text = kMonteCarlo;
    text.replace(text.find(from), std::string(from).size(), to);
    try {
      run(study(text), "results.db", 1);
      ADD_FAILURE() << "accepted " << to;
    } catch (const StoreError& error) {
      EXPECT_TRUE(error.refused());
      EXPECT_THAT(error.what(), HasSubstr(std::string("the ") + named + " differs"));
    }
  }
  EXPECT_EQ(content(folder_ / "results.db"), before);
}

TEST_F(StudySession, OtherFilesAndVersionsAreRefused) {
  const Study s = study();
  const TrialRunner runner(s);
  const auto refused = [&](const std::filesystem::path& path, const std::string& version) {
    try {
      Store::create_or_resume(path, header_of(s, runner, version));
    } catch (const StoreError& error) {
      return error.refused();
    }
    return false;
  };
  EXPECT_TRUE(refused(file("notes.txt",
                           "these are my notes, and longer than a database header of 100 bytes would be, "
                           "so that nobody takes them for one"),
                      "test"));
  EXPECT_THAT(content(folder_ / "notes.txt"), HasSubstr("my notes"));
  run(s, "results.db", 1);
  EXPECT_TRUE(refused(folder_ / "results.db", "another"));
  const auto held = Store::create_or_resume(folder_ / "results.db", header_of(s, runner, "test"));
  EXPECT_TRUE(refused(folder_ / "results.db", "test")) << "two processes at a time";
}

TEST_F(StudySession, SummaryCountsAndClusters) {
  const Study s = study(
      "scene = \"scene.toml\"\ntrials = 10\nsuccess = \"way < 0.2 && speed < 0.1\"\n"
      "[set]\nduration = 0.3\n[vary]\nv = { list = [0.5, 2, 9] }\n");
  run(s, "results.db", 2);
  const StudySummary summary = summarise(*Store::open(folder_ / "results.db"));
  EXPECT_EQ(summary.done, 30);
  EXPECT_EQ(summary.total, 30);
  // The slowest stops after 0.025, the others go further than 0.2.
  EXPECT_EQ(summary.success.value, 10.0 / 30);
  EXPECT_LT(summary.success.low, 1.0 / 3);
  ASSERT_EQ(summary.failures.size(), 1U);
  EXPECT_EQ(summary.failures[0].cause, "not: way < 0.2");
  EXPECT_EQ(summary.failures[0].count, 20);
  EXPECT_EQ(summary.failures[0].parameters[0].least(), 2);
  EXPECT_EQ(without_numbers("x1 at 3.5e-7 and .5 of A_2 (12)"), "x1 at # and # of A_2 (#)");
}

}  // namespace
}  // namespace stickslip::study
