// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip study and optimise as their users meet them: refused, exported, shown. (Killed: study_kill_test.cpp.)
#include "tests/study/study_files.h"
#include "tests/support/command.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace stickslip::study {
namespace {

using testing::CommandOutcome;
using ::testing::HasSubstr;

class StudyCommand : public testing::CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("scene.toml", kSlidingBlock);
  }

  std::string table(const std::string& store) const {
    const CommandOutcome outcome = run("study export " + store);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  }
};

constexpr const char* kStudy = R"(
title = "Block on uncertain ground"
scene = "scene.toml"
trials = 300
success = "way < 0.15"
objective = "way"
[vary]
mu = { uniform = [0.2, 0.8] }
v = { normal = [1, 0.1] }
)";

TEST_F(StudyCommand, StatusAndJsonTellTheSame) {
  write("study.toml", kStudy);
  const CommandOutcome outcome = run("study study.toml --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  auto json = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(json.contains("method"));
  EXPECT_EQ(json["design_checks"].size(), 3);
  json.erase("method");                             // how the runs were stepped is not part of what a store holds,
  json["design_checks"] = nlohmann::json::array();  // nor are runs that were made again
  EXPECT_EQ(json["done"], 300);
  EXPECT_EQ(json["status"]["finished"], 300);
  EXPECT_LT(json["success"]["low"], json["success"]["value"]);
  EXPECT_EQ(json["failures"][0]["cause"], "not: way < 0.15");
  const std::string store = folder_.filename().string() + "-study.db";
  const CommandOutcome status = run("study status '" + store + "' --json");
  EXPECT_EQ(nlohmann::json::parse(status.out), json);
  EXPECT_THAT(run("study status --store '" + store + "'").out, HasSubstr("300 of 300 trials"));
}

TEST_F(StudyCommand, ShowRunsATrialAgainWithTheSameBits) {
  write("study.toml", kStudy);
  ASSERT_EQ(run("study study.toml --store results.db").code, 0);
  const CommandOutcome shown = run("study show results.db 17 -o trial.h5");
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "trial.h5"));
  EXPECT_EQ(run("study show results.db 300").code, 2);
}

TEST_F(StudyCommand, MapNeedsTwoGrids) {
  write("grid.toml",
        "scene = \"scene.toml\"\ntrials = 2\nsuccess = \"way < 0.15\"\n[set]\nduration = 0.1\n"
        "[vary]\nv = { grid = [0.5, 1.5, 3] }\nmu = { grid = [0.2, 0.8, 4] }\n");
  ASSERT_EQ(run("study grid.toml --store grid.db").code, 0);
  ASSERT_EQ(run("study map grid.db -o map.svg").code, 0);
  const std::string svg = content("map.svg");
  EXPECT_THAT(svg, HasSubstr("<svg"));
  std::size_t cells = 0;
  for (std::size_t at = 0; (at = svg.find("<title>", at)) != std::string::npos; ++at) ++cells;
  EXPECT_EQ(cells, 2U * 12U) << "value and width of the interval of each cell";
  EXPECT_THAT(svg, HasSubstr("v = 1.5, mu = 0.8"));
  write("study.toml", kStudy);
  ASSERT_EQ(run("study study.toml --store results.db").code, 0);
  EXPECT_EQ(run("study map results.db -o other.svg").code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "other.svg"));
}

TEST_F(StudyCommand, MistakesAreOneLineAndExitCode2) {
  write("study.toml", kStudy);
  ASSERT_EQ(run("study study.toml --store results.db").code, 0);
  write("other.toml", std::string(kStudy) + "x = { list = [1] }\n");
  write("never.toml", "scene = \"scene.toml\"\nobjective = \"0 / 0\"\n");
  write("notes.txt", "hello");
  for (const auto& [arguments, text] :
       {std::pair("study missing.toml", "missing.toml"), std::pair("study other.toml", "other.toml:10:1"),
        std::pair("study status missing.db", "no store"), std::pair("study status notes.txt", "notes.txt"),
        std::pair("study study.toml --store notes.txt", "notes.txt"), std::pair("study", "which study"),
        std::pair("study never.toml --store never.db", "never.toml:2:"),
        std::pair("optimise study.toml", "no [optimise]")}) {
    const CommandOutcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(text));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_EQ(content("notes.txt"), "hello");
}

// A limit on the size of files stands for a full disk.
TEST_F(StudyCommand, FullDiskKeepsFinishedTrials) {
  std::string text = kStudy;
  text.replace(text.find("trials = 300"), 12, "trials = 3000");
  write("study.toml", text + "[set]\nduration = 0.05\n");
  const CommandOutcome full = run("study study.toml --store results.db", "trap '' XFSZ; ulimit -f 200; ");
  EXPECT_EQ(full.code, 1) << full.err;
  EXPECT_THAT(full.err, HasSubstr("finished trials are kept"));
  const std::string kept = table("results.db");
  EXPECT_GT(std::count(kept.begin(), kept.end(), '\n'), 10);
  ASSERT_EQ(run("study study.toml --store results.db").code, 0);
  ASSERT_EQ(run("study study.toml --store whole.db").code, 0);
  EXPECT_EQ(table("results.db"), table("whole.db"));
}

// A disc between a wall and one that closes in: where it is squeezed, no step has a solution.
TEST_F(StudyCommand, UncertifiedTrialsAreCountedAndExitCode1) {
  write("press.toml", R"(
dimension = 2
duration = 0.1
[parameters]
speed = { value = 0, min = 0 }
[method]
step = 0.01
[[body]]
name = "wall"
shape = { half-plane = { normal = [1, 0] } }
fixed = true
[[body]]
name = "press"
shape = { half-plane = { normal = [-1, 0] } }
position = [1.01, 0]
motion = { velocity = ["-speed", 0] }
[[body]]
name = "disc"
mass = 1
shape = { disc = 0.5 }
position = [0.5, 0]
[observe]
x = "disc.x"
)");
  write("study.toml", "scene = \"press.toml\"\nsuccess = \"x > 0\"\n[vary]\nspeed = { list = [0, 0.05, 1] }\n");
  const CommandOutcome outcome = run("study study.toml --store results.db");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("1 of 3 trials have a step that no solver certified"));
  EXPECT_THAT(outcome.out, HasSubstr("2 finished, 1 uncertified"));
  EXPECT_THAT(outcome.out, HasSubstr("rate 0.6667"));
}

TEST_F(StudyCommand, OptimiseWritesTheBestDesignAsAScene) {
  write("study.toml",
        "scene = \"scene.toml\"\nobjective = \"(way - 0.3)^2\"\n[optimise]\nevaluations = 60\n"
        "[optimise.design]\nv = { start = 0.6, min = 0.1, max = 4 }\n");
  const CommandOutcome outcome = run("optimise study.toml -o best.toml --log log.csv --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_NEAR(json["design"]["v"], 1.732, 0.03);
  const std::string log = content("log.csv");
  EXPECT_THAT(log, ::testing::StartsWith("evaluation,start,v,objective_0,objective\n1,0,0.6,"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), json["evaluations"].get<int>() + 1);
  EXPECT_EQ(run("check best.toml").code, 0);
}

}  // namespace
}  // namespace stickslip::study
