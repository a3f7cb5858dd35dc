// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Files as users lose them: outputs that are inputs, outputs that belong to somebody else, two writers, full disks,
// damaged recordings, checkpoints and stores.
#include "tests/support/command.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <random>
#include <thread>
#include <vector>

namespace stickslip::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kScene = R"(
include = ["base.toml"]
duration = 0.05
[[body]]
name = "box"
mass = 1
shape = { svg = { file = "box.svg" } }
position = [0, 0.1]
velocity = ["v", 0]
[[contact]]
between = ["*", "*"]
friction = 0.5
[observe]
x = "box.x"
)";
constexpr const char* kBase = R"(
dimension = 2
gravity = [0, -9.81]
[method]
step = 1e-3
[parameters]
v = { value = 1, unit = "m/s" }
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
)";
constexpr const char* kBox = "<svg><path d=\"M -0.1 -0.1 H 0.1 V 0.1 H -0.1 Z\"/></svg>";
constexpr const char* kStudy =
    "scene = \"s.toml\"\ntrials = 4\nobjective = \"x\"\n[vary]\nv = { uniform = [0.5, 1.5] }\n";
constexpr const char* kOptimise =
    "scene = \"s.toml\"\nobjective = \"(x - 0.02)^2\"\n[optimise]\nevaluations = 3\n[optimise.design]\nv = { min = "
    "0.5, "
    "max = 1.5 }\n";
constexpr const char* kPlan =
    "scene = \"s.toml\"\nsteps = 20\nconditions = [\"box.x == 0.02\"]\n[unknown.v]\nguess = 1\n";

// Of the processor: what hangs is ended, what waits for a busy machine is not.
constexpr const char* kSoon = "ulimit -t 5; ";

class Files : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("s.toml", kScene);
    write("base.toml", kBase);
    write("box.svg", kBox);
    write("study.toml", kStudy);
    write("optimise.toml", kOptimise);
    write("plan.toml", kPlan);
  }

  // The command refuses, and the file is what it was.
  void expect_untouched(const std::string& file, const std::string& command, const std::string& word) {
    const std::string before = content(file);
    ASSERT_FALSE(before.empty()) << file;
    const CommandOutcome outcome = run(command);
    EXPECT_EQ(outcome.code, 2) << command << ": " << outcome.out;
    EXPECT_EQ(outcome.error_lines(), 1) << command << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(word)) << command;
    EXPECT_EQ(content(file), before) << command;
  }

  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().filename() != "out" && entry.path().filename() != "err")
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  void flip(const std::string& file, std::size_t bit, const std::string& original) const {
    std::string copy = original;
    copy[bit / 8] = static_cast<char>(copy[bit / 8] ^ (1 << (bit % 8)));
    std::ofstream(folder_ / file, std::ios::binary | std::ios::trunc) << copy;
  }
};

TEST_F(Files, AnInputIsNeverWrittenOver) {
  fs::create_symlink("s.toml", path("soft.toml"));
  fs::create_hard_link(path("s.toml"), path("hard.toml"));
  const auto before = files();
  for (const char* output : {"s.toml", "./s.toml", "soft.toml", "hard.toml", "base.toml", "box.svg"})
    for (const char* option : {"-o ", "--no-record --checkpoint ", "--force -o "})
      expect_untouched(output, std::string("run s.toml ") + option + output, "is an input");
  for (const char* output : {"s.toml", "soft.toml", "base.toml", "box.svg"}) {
    const char* figure = std::string_view(output).ends_with(".svg") ? "is an input" : "a figure's name ends in";
    expect_untouched(output, std::string("converge s.toml --levels 2 --plot ") + output, figure);
    expect_untouched(output, std::string("compare s.toml --force --plot ") + output, figure);
    expect_untouched(output, std::string("optimise optimise.toml -o ") + output, "is an input");
    expect_untouched(output, std::string("optimise optimise.toml --log ") + output, "is an input");
    expect_untouched(output, std::string("plan plan.toml -o ") + output, "is an input");
    expect_untouched(output, std::string("study study.toml --store ") + output, "is an input");
  }
  expect_untouched("optimise.toml", "optimise optimise.toml -o optimise.toml", "is an input");
  expect_untouched("plan.toml", "plan plan.toml -o plan.toml --force", "is an input");
  expect_untouched("study.toml", "study study.toml --store study.toml", "is an input");
  EXPECT_EQ(files(), before) << "something was left behind";
}

TEST_F(Files, ARecordingOrAStoreIsNotWrittenOverByWhatReadsIt) {
  ASSERT_EQ(run("run s.toml -o x.h5").code, 0);
  fs::create_symlink("x.h5", path("soft.h5"));
  for (const char* command : {"export x.h5 -o x.h5", "export soft.h5 -o x.h5", "report x.h5 -o x.h5 --force",
                              "report x.h5 -o soft.h5", "report x.h5 --svg -o x.h5"})
    expect_untouched("x.h5", command, "is an input");
  ASSERT_EQ(run("study study.toml --store x.db").code, 0);
  for (const char* command : {"study export x.db -o x.db", "report x.db -o x.db", "study show x.db 1 -o x.db"})
    expect_untouched("x.db", command, "is an input");
  expect_untouched("x.db", "study map x.db -o x.db --force", "a figure's name ends in .svg, .png or .pdf");
  fs::rename(path("x.db"), path("x.svg"));  // a name is no proof
  expect_untouched("x.svg", "study map x.svg -o x.svg --force", "is an input");
}

TEST_F(Files, WhatAnotherProgramWroteNeedsForce) {
  ASSERT_EQ(run("run s.toml -o x.h5").code, 0);
  const std::vector<std::pair<std::string, std::string>> commands = {
      {"run s.toml -o ", "mine"},
      {"run s.toml --no-record --checkpoint ", "mine"},
      {"export x.h5 -o ", "mine"},
      {"report x.h5 -o ", "mine"},
      {"report x.h5 --svg -o ", "mine"},
      {"report x.h5 --png -o ", "mine"},
      {"converge s.toml --levels 2 --plot ", "mine.svg"},
      {"optimise optimise.toml -o ", "mine"},
  };
  for (const auto& [command, file] : commands) {
    write(file, "the work of a week\n");
    expect_untouched(file, command + file, "--force");
    EXPECT_EQ(run(command + file + " --force").code, 0) << command;
    EXPECT_NE(content(file), "the work of a week\n") << command;
    // What the command wrote itself it may write again.
    const CommandOutcome again = run(command + file);
    EXPECT_EQ(again.code, 0) << command << again.err;
    write(file, "");
    EXPECT_EQ(run(command + file).code, 0) << "an empty file is nobody's work: " << command;
  }
  expect_untouched("x.h5", "run s.toml --no-record --checkpoint x.h5", "--force");
  EXPECT_EQ(run("run s.toml -o same --checkpoint same").code, 2);
  EXPECT_FALSE(fs::exists(path("same")));
}

TEST_F(Files, TenRunsIntoOneOutputLeaveOneGoodRecording) {
  std::vector<int> codes(10, -1);
  {
    std::vector<std::jthread> runs;
    for (std::size_t k = 0; k < codes.size(); ++k)
      runs.emplace_back([&, k] {
        const std::string command = "cd '" + folder_.string() + "' && '" + tests::kCommand +
                                    "' run s.toml -o x.h5 --set duration=0.5 >/dev/null 2>err" + std::to_string(k);
        const int state = std::system(command.c_str());
        codes[k] = code_of(state);
      });
  }
  int good = 0;
  for (std::size_t k = 0; k < codes.size(); ++k) {
    good += codes[k] == 0 ? 1 : 0;
    if (codes[k] == 0) continue;
    EXPECT_EQ(codes[k], 2);
    EXPECT_THAT(content("err" + std::to_string(k)), HasSubstr("another process is writing it"));
  }
  EXPECT_GE(good, 1);
  const CommandOutcome csv = run("export x.h5");
  EXPECT_EQ(csv.code, 0) << csv.err;
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 502) << "a line of names and 501 frames";
}

// ulimit -f counts blocks of 1024 bytes; the signal that it sends must not end the command.
TEST_F(Files, AFullDiskIsSaidAndNothingFalseIsReadBack) {
  ASSERT_EQ(run("run s.toml -o whole.h5 --set duration=2").code, 0);
  const std::string whole = run("export whole.h5").out;
  for (const int blocks : {20, 100, 300, 500}) {
    const std::string limit = "ulimit -f " + std::to_string(blocks) + "; ";
    const CommandOutcome outcome = run("run s.toml -o x.h5 --set duration=2", limit);
    // With 20 blocks the recording cannot be begun, and nothing is run.
    EXPECT_EQ(outcome.code, blocks == 20 ? 2 : 1) << blocks << " blocks: " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("is the disk full?")) << blocks;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
    const CommandOutcome csv = run("export x.h5");
    if (csv.code == 0) {
      EXPECT_EQ(csv.out, whole.substr(0, csv.out.size())) << blocks;
      EXPECT_LT(csv.out.size(), whole.size());
      // Flushed after 64, 128, 256, ... frames. The first flush makes room for 512 of the tables, about 400 blocks.
      EXPECT_GE(std::count(csv.out.begin(), csv.out.end(), '\n') - 1, blocks == 500 ? 256 : 0);
    }
    fs::remove(path("x.h5"));
  }
  // Pages and tables are there whole or not at all.
  for (const char* command : {"report whole.h5 -o page", "export whole.h5 -o page"}) {
    const CommandOutcome outcome = run(command, "ulimit -f 50; ");
    EXPECT_EQ(outcome.code, 1) << command << outcome.err;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
    EXPECT_FALSE(fs::exists(path("page"))) << command;
  }
}

TEST_F(Files, EveryFlippedBitOfACheckpointIsRefused) {
  ASSERT_EQ(run("run s.toml --no-record --checkpoint c.ckpt --set duration=0.02").code, 0);
  const std::string original = content("c.ckpt");
  std::mt19937_64 random(1);
  for (int k = 0; k < 200; ++k) {
    const std::size_t bit = random() % (8 * original.size());
    flip("d.ckpt", bit, original);
    const CommandOutcome outcome = run("run s.toml --no-record --resume d.ckpt --set duration=0.02");
    ASSERT_EQ(outcome.code, 2) << "bit " << bit << ": " << outcome.out;
    ASSERT_EQ(outcome.error_lines(), 1);
  }
  EXPECT_EQ(run("run s.toml --no-record --resume c.ckpt --checkpoint c.ckpt --set duration=0.02").code, 0)
      << "the whole one, saved again in its place";
}

// One changed byte crashed the command, one flipped bit was taken for another state.
TEST_F(Files, TheCheckpointsThatShowedDefectsAreRefused) {
  const std::string folder = std::string(tests::kSourceFolder) + "/tests/defects/";
  for (const char* file : {"segv-checkpoint.ckpt", "flipped-accepted.ckpt"}) {
    const CommandOutcome outcome =
        run("run '" + folder + "segv-checkpoint-scene.toml' --no-record --resume '" + folder + file + "'");
    EXPECT_EQ(outcome.code, 2) << file;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
  }
}

TEST_F(Files, AFlippedBitOfARecordingIsRefusedAtOnce) {
  ASSERT_EQ(run("run s.toml -o x.h5").code, 0);
  const std::string original = content("x.h5");
  std::mt19937_64 random(2);
  for (int k = 0; k < 60; ++k) {
    const std::size_t bit = k < 30 ? random() % 8192 : random() % (8 * original.size());
    flip("y.h5", bit, original);
    for (const char* verb : {"export", "report"}) {
      const CommandOutcome outcome = run(std::string(verb) + " y.h5 -o page", kSoon);
      ASSERT_EQ(outcome.code, 2) << verb << ", bit " << bit;
      ASSERT_EQ(outcome.error_lines(), 1) << outcome.err;
    }
  }
  EXPECT_FALSE(fs::exists(path("page")));
}

TEST_F(Files, AFlippedBitOfAStoreIsRefusedOrHarmless) {
  ASSERT_EQ(run("study study.toml --store x.db").code, 0);
  const std::string original = content("x.db"), expected = run("study export x.db --cost").out;
  ASSERT_GT(expected.size(), 100U);
  std::mt19937_64 random(3);
  int refused = 0;
  for (int k = 0; k < 200; ++k) {
    const std::size_t bit = random() % (8 * original.size());
    flip("y.db", bit, original);
    const CommandOutcome outcome = run("study export y.db --cost", kSoon);
    if (outcome.code == 0) {
      ASSERT_EQ(outcome.out, expected) << "bit " << bit;
    } else {
      ++refused;
      ASSERT_EQ(outcome.code, 2) << "bit " << bit << outcome.err;
      ASSERT_EQ(outcome.error_lines(), 1) << outcome.err;
    }
    for (const char* beside : {"y.db-wal", "y.db-shm", "y.db-journal"}) fs::remove(path(beside));
  }
  EXPECT_GT(refused, 20);
  // No cells on the first page: the list of tables is empty. It is not a new store, and nothing is written over it.
  std::string headless = original;
  headless[103] = headless[104] = '\0';
  write("y.db", headless);
  for (const char* command : {"study export y.db", "study study.toml --store y.db"}) {
    const CommandOutcome outcome = run(command, kSoon);
    EXPECT_EQ(outcome.code, 2) << command << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr("damaged")) << command;
    EXPECT_EQ(content("y.db"), headless) << command;
  }
}

// A recording of 270 MB within 200 MB of memory for data: export and report read it in pieces.
TEST_F(Files, ALargeRecordingIsReadInPiecesSlow) {
  const std::string many =
      "dimension = 2\nduration = 60\n[method]\nstep = 1e-3\n[[body]]\nname = \"b\"\ncount = 40\nmass = 1\n"
      "shape = { disc = 0.1 }\nposition = [\"i\", 0]\n";
  write("many.toml", many);
  const CommandOutcome made = run("run many.toml -o many.h5");
  ASSERT_EQ(made.code, 0) << made.err;
  ASSERT_GT(fs::file_size(path("many.h5")), 250U << 20);
  for (const char* command : {"export many.h5 -o many.csv", "report many.h5 -o many.html"}) {
    const CommandOutcome outcome = run(command, "ulimit -d 200000; ");
    EXPECT_EQ(outcome.code, 0) << command << ": " << outcome.err;
  }
}

}  // namespace
}  // namespace stickslip::testing
