// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Every verb explains itself: what it does, examples of its own, exit codes.
#include "tests/support/command.h"

#include <gmock/gmock.h>

namespace stickslip {
namespace {

using ::testing::HasSubstr;

class HelpCommand : public testing::CommandTest {};

TEST_F(HelpCommand, EveryVerbTeaches) {
  const std::string global = run("--help").out;
  for (const std::string verb :
       {"run", "check", "report", "plot", "compare", "converge", "live", "export", "study", "study status",
        "study export", "study map", "study show", "optimise", "plan", "sensitivity", "solve", "list", "completion"}) {
    const testing::CommandOutcome help = run(verb + " --help");
    EXPECT_EQ(help.code, 0) << verb;
    const std::size_t examples = help.out.find("Examples:");
    ASSERT_NE(examples, std::string::npos) << verb;
    EXPECT_THAT(help.out.substr(examples), HasSubstr("stickslip " + verb)) << "examples of its own";
    EXPECT_THAT(help.out, HasSubstr("Exit codes:")) << verb;
    EXPECT_EQ(help.out.find("Exit codes: 0 done and certified, 1 something was not solved"), std::string::npos)
        << verb << " shows the help of the whole command";
  }
}

TEST_F(HelpCommand, SlipsOfTheFingerGetTheNearestWord) {
  const auto says = [&](const std::string& words, const std::string& expected) {
    const testing::CommandOutcome outcome = run(words);
    EXPECT_EQ(outcome.code, 2) << words;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(expected)) << words;
  };
  says("rnu " + example("box"), "did you mean 'run'?");
  says("", "a verb is missing; known are run, check");
  says("study staus x.db", "did you mean 'status'?");
  says("run nowhere.toml", "stickslip: nowhere.toml: cannot be opened: No such file or directory");
  says("run " + example("box") + " --ouput x.h5", "did you mean '--output'?");
  says("run " + example("box") + " --stpe 1e-3", "did you mean '--set method.step=...'?");
  says("study " + example("box"), "this is a scene, not a study");
  const std::string folder = std::string("'") + tests::kSourceFolder + "/examples/box/";
  says("run " + folder + "study.toml'", "this is a study, not a scene");
  says("check " + folder + "plan.toml'", "this is a plan, not a scene");
  says("plan " + folder + "study.toml'", "this is a study, not a plan");
  write("shape.toml", "dimension = 2\nduration = 1\n[[body]]\nname = \"a\"\nmass = 1\nshape = { dics = 1 }\n");
  says("check shape.toml", "did you mean 'disc'?");
  write("none.toml", "dimension = 2\nduration = 1\n[[body]]\nname = \"a\"\nmass = 1\nshape = { wheel = 1 }\n");
  says("check none.toml", "known are");
}

// Each script is taken by its shell where that is installed, and offers verbs and options.
TEST_F(HelpCommand, CompletionKnowsVerbsAndOptions) {
  for (const std::string shell : {"bash", "zsh", "fish", "man"}) {
    const testing::CommandOutcome script = run("completion " + shell);
    EXPECT_EQ(script.code, 0);
    EXPECT_THAT(script.out, HasSubstr("sensitivity")) << shell;
    EXPECT_THAT(script.out, HasSubstr(shell == "man" ? "checkpoint\\-every" : "checkpoint-every")) << shell;
    write("script." + shell, script.out);
  }
  const std::string ask =
      "source script.bash; COMP_WORDS=(stickslip ru); COMP_CWORD=1; _stickslip; echo \"${COMPREPLY[@]}\";"
      "COMP_WORDS=(stickslip run --checkpoint-e); COMP_CWORD=2; _stickslip; echo \"${COMPREPLY[@]}\"";
  const auto answer = [&](const std::string& command) {
    EXPECT_EQ(std::system(("cd '" + folder_.string() + "' && " + command + " > answer").c_str()), 0);
    return content("answer");
  };
  const auto installed = [](const std::string& shell) {
    return std::system(("command -v " + shell + " >/dev/null").c_str()) == 0;
  };
  EXPECT_EQ(answer("bash -c '" + ask + "'"), "run\n--checkpoint-every\n");
  if (installed("fish")) {
    const auto offers = [&](const std::string& line) {
      return answer("fish --no-config -c 'source script.fish; complete -C \"" + line + "\"'");
    };
    EXPECT_EQ(offers("stickslip ru"), "run\tSimulate a scene\n");
    EXPECT_THAT(offers("stickslip run --checkpoint-e"), HasSubstr("--checkpoint-every\t"));
    EXPECT_THAT(offers("stickslip study sta"), HasSubstr("status\t"));
    EXPECT_THAT(offers("stickslip study status --js"), HasSubstr("--json\t"));
    EXPECT_EQ(offers("stickslip solve --checkpoint-e"), "") << "an option of another verb";
  }
  if (installed("zsh")) {
    // What the script hands to zsh's own functions.
    const auto hands = [&](const std::string& words, int current) {
      return answer("zsh -fc '_arguments() { print -rl -- \"$@\" }; _describe() { print -rl -- \"${(@P)2}\" }; words=(" +
                    words + "); CURRENT=" + std::to_string(current) + "; source ./script.zsh'");
    };
    EXPECT_THAT(hands("stickslip ru", 2), HasSubstr("run:Simulate a scene\n"));
    EXPECT_THAT(hands("stickslip run --c", 3), HasSubstr("*--checkpoint-every=[Seconds"));
    EXPECT_THAT(hands("stickslip study sta", 3), HasSubstr("status:"));
    EXPECT_THAT(hands("stickslip study status --j", 4), HasSubstr("*--json["));
    EXPECT_THAT(hands("stickslip study status --j", 4), ::testing::Not(HasSubstr("--compare-naive")));
  }
  if (installed("man"))
    EXPECT_EQ(answer("LC_ALL=C.UTF-8 man --warnings -l script.man 2>&1 >/dev/null"), "") << "groff complains";
}

}  // namespace
}  // namespace stickslip
