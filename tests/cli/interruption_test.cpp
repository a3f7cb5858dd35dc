// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Ctrl-C in long work: what was done is kept, and said.
#include "tests/study/study_files.h"
#include "tests/support/command.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace stickslip::study {
namespace {

using testing::CommandOutcome;
using ::testing::HasSubstr;

class Interruption : public testing::CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("scene.toml", kSlidingBlock);
  }

  // Runs the command and sends one SIGINT as soon as `begun` says that it is at work. (One: a second Ctrl-C ends the
  // command at once, and timeout(1) sends two, to the command and to its group.)
  [[nodiscard]] CommandOutcome interrupt(const std::string& arguments, const std::function<bool()>& begun) const {
    const pid_t child = fork();
    if (child == 0) {
      const std::string command = "cd '" + folder_.string() + "' && exec '" + tests::kCommand + "' " + arguments +
                                  " >'" + path("out") + "' 2>'" + path("err") + "'";
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    int state = 0;
    bool sent = false;
    while (waitpid(child, &state, sent ? 0 : WNOHANG) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (!begun()) continue;
      kill(child, SIGINT);
      sent = true;
    }
    EXPECT_TRUE(sent) << "the command ended before it was interrupted";
    return {code_of(state), content("out"), content("err")};
  }
};

// Both have hours of work in small pieces before them.
TEST_F(Interruption, StudyKeepsItsTrialsAndGoesOn) {
  write("study.toml",
        "scene = \"scene.toml\"\ntrials = 1000000\nobjective = \"way\"\n[set]\n\"method.step\" = 1e-4\n"
        "[vary]\nmu = { uniform = [0.2, 0.8] }\n");
  const CommandOutcome outcome = interrupt("study study.toml --store s.db --quiet", [&] {
    // The first trials are in the store: SQLite's log of it has grown beyond the tables of an empty one.
    std::error_code none;
    const auto size = std::filesystem::file_size(path("s.db-wal"), none);
    return !none && size > 200000;
  });
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("of 1000000 trials are done and kept; run the same command again"));
  const CommandOutcome status = run("study status --store s.db");
  EXPECT_EQ(status.code, 0) << status.err;
}

TEST_F(Interruption, OptimiseWritesItsBestDesign) {
  write("study.toml",
        "scene = \"scene.toml\"\nobjective = \"abs(way - 0.1)\"\n[set]\n\"method.step\" = 1e-5\n"
        "[optimise]\nevaluations = 1000000\ntolerance = 1e-15\nmethod = \"nelder-mead\"\n[optimise.design]\n"
        "mu = { start = 0.7, min = 0.2, max = 0.8 }\n");  // far from the best: the objective has a scale
  const CommandOutcome outcome = interrupt("optimise study.toml -o best.toml --log log.csv --quiet", [&] {
    const std::string log = content("log.csv");
    return std::count(log.begin(), log.end(), '\n') > 3;
  });
  EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("best "));
  EXPECT_THAT(content("best.toml"), HasSubstr("(optimised)"));
  EXPECT_EQ(run("check best.toml").code, 0);
}

}  // namespace
}  // namespace stickslip::study
