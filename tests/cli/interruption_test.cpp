// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Ctrl-C in long work: what was done is kept, and said.
#include "tests/study/study_files.h"
#include "tests/support/command.h"

#include <gmock/gmock.h>

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
};

// Seconds of work in small pieces: far more than the second after which Ctrl-C comes.
TEST_F(Interruption, StudyKeepsItsTrialsAndGoesOn) {
  write("study.toml",
        "scene = \"scene.toml\"\ntrials = 1000000\nobjective = \"way\"\n[set]\n\"method.step\" = 1e-4\n"
        "[vary]\nmu = { uniform = [0.2, 0.8] }\n");
  const CommandOutcome outcome = run("study study.toml --store s.db --quiet", "timeout --preserve-status -s INT 1 ");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("of 1000000 trials are done and kept; the same command goes on"));
  const CommandOutcome status = run("study status --store s.db");
  EXPECT_EQ(status.code, 0) << status.err;
}

TEST_F(Interruption, OptimiseWritesItsBestDesign) {
  write("study.toml",
        "scene = \"scene.toml\"\nobjective = \"abs(way - 0.1)\"\n[set]\n\"method.step\" = 1e-5\n"
        "[optimise]\nevaluations = 1000000\ntolerance = 1e-15\nmethod = \"nelder-mead\"\n[optimise.design]\n"
        "mu = { start = 0.7, min = 0.2, max = 0.8 }\n");  // far from the best: the objective has a scale
  const CommandOutcome outcome = run("optimise study.toml -o best.toml --quiet", "timeout --preserve-status -s INT 1 ");
  EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("best "));
  EXPECT_THAT(content("best.toml"), HasSubstr("(optimised)"));
  EXPECT_EQ(run("check best.toml").code, 0);
}

}  // namespace
}  // namespace stickslip::study
