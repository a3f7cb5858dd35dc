// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip run as its users meet it: the summary for programs, bad scenes, kills, checkpoints, threads.
#include "tests/support/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <vector>

namespace stickslip::testing {
namespace {

using ::testing::HasSubstr;

class Run : public CommandTest {};

constexpr const char* kScene = R"(
dimension = 2
gravity = [0, -9.81]
duration = 0.1
[method]
step = 1e-3
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "box"
mass = 1
shape = { box = [0.2, 0.2] }
position = [0, 0.1]
[[contact]]
between = ["*", "*"]
friction = 0.5
)";

std::string changed(const std::string& from, const std::string& to) {
  std::string text = kScene;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(Run, FindsTheStepForATolerance) {
  const std::string ball = std::string(tests::kSourceFolder) + "/examples/ball/scene.toml";
  const auto outcome = run("run '" + ball +
                           "' --json --no-record --set method.stepper=stewart-trinkle --set method.step=1e-2 "
                           "--set method.tolerance=1e-4");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_LE(json["error"]["estimate"].get<double>(), 1e-4);
  EXPECT_LT(json["method"]["step"].get<double>(), 1e-3);
  EXPECT_NEAR(json["observe"]["x"].get<double>(), 0.561914290659, 3e-4);
}

// Each of the two corners of the box bears half of its weight; their friction is open up to mu of that.
TEST_F(Run, TellsForcesTheirRangesAndTheirBalance) {
  write("scene.toml", kScene);
  const auto outcome = run("run scene.toml --json --no-record --forces");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto forces = nlohmann::json::parse(outcome.out)["forces"];
  ASSERT_EQ(forces["contacts"].size(), 2U);
  for (const auto& contact : forces["contacts"]) {
    EXPECT_FALSE(contact["unique"].get<bool>());
    EXPECT_NEAR(contact["normal_range"][0].get<double>(), 0.5 * 9.81, 1e-9);
    EXPECT_NEAR(contact["normal_range"][1].get<double>(), 0.5 * 9.81, 1e-9);
    EXPECT_NEAR(contact["tangents"][0]["range"][0].get<double>(), -0.25 * 9.81, 1e-9);
    EXPECT_NEAR(contact["tangents"][0]["range"][1].get<double>(), 0.25 * 9.81, 1e-9);
  }
  EXPECT_NEAR(forces["pairs"][0]["normal_range"][1].get<double>(), 9.81, 1e-9);
  EXPECT_LE(forces["balance"]["at_rest"]["worst_defect"].get<double>(), 1e-12);
  const auto page = run("run scene.toml --no-record --forces");
  EXPECT_THAT(page.out, HasSubstr("unique"));
  EXPECT_THAT(page.out, HasSubstr("-2.4525 to 2.4525"));
  EXPECT_THAT(page.out, HasSubstr("balance at rest"));
}

TEST_F(Run, SaysWhenAToleranceIsOutOfReach) {
  const std::string ball = std::string(tests::kSourceFolder) + "/examples/ball/scene.toml";
  const auto outcome = run("run '" + ball +
                           "' --no-record --set method.stepper=stewart-trinkle --set method.step=0.1 "
                           "--set method.tolerance=1e-12");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("out of reach"));
}

// No step reaches a certificate below rounding: the run comes to its end, and nobody can take it for certified.
TEST_F(Run, StepsAtWorstAreNotCertified) {
  const CommandOutcome outcome =
      run("run " + example("stack") + " --json --no-record --set duration=0.02 --set method.certificate=1e-300");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto summary = nlohmann::json::parse(outcome.out);
  EXPECT_GT(summary["steps_at_worst"], 0);
  EXPECT_GT(summary["worst_residual"], 1e-300);
  EXPECT_EQ(summary["certified"], false);
  EXPECT_EQ(summary["certified_at_worst"], true);
  EXPECT_EQ(summary["end"], "finished");
}

TEST_F(Run, JsonHasTheAgreedKeys) {
  const CommandOutcome outcome = run("run " + example("ball") + " --json --no-record --set duration=0.1");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto summary = nlohmann::json::parse(outcome.out);
  for (const char* key : {"scene", "time", "steps", "certified", "worst_residual", "wall_seconds", "observe", "bodies"})
    EXPECT_TRUE(summary.contains(key)) << key;
  EXPECT_EQ(summary["certified"], true);
  EXPECT_EQ(summary["certified_at_worst"], true);
  EXPECT_EQ(summary["steps"], 100);
  EXPECT_TRUE(summary["observe"].contains("slip_speed"));
  EXPECT_TRUE(summary["bodies"].contains("ball"));
}

struct BadScene {
  const char *from, *to, *message;
};

TEST_F(Run, EveryBadSceneEndsWithCodeTwoAndOneLineAndNoFile) {
  const std::vector<BadScene> scenes = {
      {"mass = 1", "mas = 1", "bad.toml:13:1: unknown key 'mas'"},
      {"mass = 1", "mass = [1]", "bad.toml:13:8: "},
      {"mass = 1", "", "has no mass"},
      {"mass = 1", "mass = 0", "must be positive"},
      {"mass = 1", "mass = -1", "must be positive"},
      {"mass = 1", "mass = \"0/0\"", "not a number"},
      {"mass = 1", "mass = = 1", "bad.toml:13:8: "},
      {"box = [0.2, 0.2]", "polygon = [[0,0],[1,1],[1,0],[0,1]]", "crosses itself"},
      {"step = 1e-3", "step = 0", "must be positive"},
      {"fixed = true", "motion = { velocity = [\"sqrt(0.05 - t)\", 0] }", "not a number (nan) at t = 0.05"},
      {"position = [0, 0.1]", "position = [0, 0.05]", "floor and box by 0.05"},
      {"\"*\", \"*\"", "\"bxo\", \"*\"", "did you mean 'box'"},
  };
  for (const BadScene& scene : scenes) {
    write("bad.toml", changed(scene.from, scene.to));
    for (const char* verb : {"run", "check"}) {
      const CommandOutcome outcome = run(std::string(verb) + " bad.toml");
      EXPECT_EQ(outcome.code, 2) << scene.to;
      EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
      EXPECT_THAT(outcome.err, HasSubstr(scene.message));
    }
    EXPECT_FALSE(std::filesystem::exists(path("bad.h5"))) << scene.to;
  }
}

TEST_F(Run, AnOpenMeshIsRefused) {
  write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
  write("bad.toml", "dimension = 3\nduration = 1\n[[body]]\nname = \"m\"\nmass = 1\nshape = { mesh = \"open.obj\" }\n");
  const CommandOutcome outcome = run("run bad.toml");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("bad.toml:6:18: "));
  EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
}

TEST_F(Run, OutputThatCannotBeWrittenIsFoundBeforeTheRun) {
  write("plain", "");
  for (const char* output : {"-o none/out.h5", "-o plain/out.h5", "-o .", "--no-record --checkpoint none/run.ckpt",
                             "--no-record --checkpoint ."}) {
    const CommandOutcome outcome = run("run " + example("ball") + " --set duration=1e9 " + output);
    EXPECT_EQ(outcome.code, 2) << output;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
    EXPECT_NE(outcome.err.find("cannot write"), std::string::npos) << outcome.err;
  }
  write("kept.ckpt", "as it was");
  EXPECT_EQ(run("run " + example("ball") + " -o none/out.h5 --checkpoint kept.ckpt").code, 2);
  EXPECT_EQ(content("kept.ckpt"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(path("kept.ckpt.part")));
}

TEST_F(Run, OverlapIsResolvedWhenAllowed) {
  write("deep.toml", changed("position = [0, 0.1]", "position = [0, 0.05]"));
  EXPECT_EQ(run("run deep.toml --no-record --allow-overlap").code, 0);
}

// What comes up during the run ends it with code 1 and keeps what was recorded.
TEST_F(Run, AForceThatEndsKeepsTheRecordingUpToThere) {
  write("nan.toml", changed("position = [0, 0.1]", "position = [0, 0.1]\nforce = [\"sqrt(0.05 - t)\", 0]"));
  const CommandOutcome outcome = run("run nan.toml -o nan.h5");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("nan.toml:16:10: 'force' of body 'box' is not a number"));
  const CommandOutcome table = run("export nan.h5");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_GE(std::count(table.out.begin(), table.out.end(), '\n'), 50);
}

TEST_F(Run, OutputThatCannotBeWrittenIsRefused) {
  write("good.toml", kScene);
  for (const char* output : {"/dev/full", "missing/folder/x.h5", "/"}) {
    const CommandOutcome outcome = run(std::string("run good.toml -o ") + output);
    EXPECT_EQ(outcome.code, 2) << output;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
  }
}

// Killed at some moment: what was flushed reads back.
TEST_F(Run, AKilledRunLeavesARecordingThatReads) {
  for (const int delay_ms : {150, 370}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const std::string scene = std::string(tests::kSourceFolder) + "/examples/plate-particle/scene.toml";
      if (std::freopen("/dev/null", "w", stdout) == nullptr) std::_Exit(1);
      ::execl(tests::kCommand, tests::kCommand, "run", scene.c_str(), "--set", "duration=1000", "--json", "-o",
              path("killed.h5").c_str(), static_cast<char*>(nullptr));
      std::_Exit(1);
    }
    // From when there is something to read on: a busy machine may let the run wait at its beginning.
    for (int k = 0; k < 1000 && run("export killed.h5 -o begun.csv").code != 0; ++k) ::usleep(10'000);
    ::usleep(static_cast<useconds_t>(1000 * delay_ms));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const CommandOutcome table = run("export killed.h5 -o killed.csv");
    EXPECT_EQ(table.code, 0) << table.err;
    std::filesystem::remove(path("killed.h5"));
  }
}

// The JSON summary without what differs between runs by nature: who rests is found out again after a resumption, so that
// more problems are solved.
std::string end_of(const CommandOutcome& outcome) {
  auto summary = nlohmann::json::parse(outcome.out);
  for (const char* key : {"wall_seconds", "steps", "worst_residual", "worst_time", "solves"}) summary.erase(key);
  if (summary.contains("method")) summary["method"].erase("threads");
  return summary.dump();
}

TEST_F(Run, ResumingGivesTheSameBitsAsNeverStopping) {
  for (const char* stepper : {"stewart-trinkle", "second-order"}) {
    const std::string scene = "run " + example("meter-stick") + " --json --no-record --set method.stepper=" + stepper;
    const CommandOutcome whole = run(scene + " --set duration=2");
    ASSERT_EQ(whole.code, 0) << whole.err;
    ASSERT_EQ(run(scene + " --set duration=1.25 --checkpoint half.ckpt").code, 0);
    const CommandOutcome resumed = run(scene + " --set duration=2 --resume half.ckpt");
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(end_of(whole), end_of(resumed)) << stepper;
  }
}

// A run goes on only as the run that it was: any change of what decides its steps is refused and named.
TEST_F(Run, ResumingNoticesEveryChangedOption) {
  write("scene.toml", changed("duration = 0.1", "duration = 0.02"));
  const std::string scene = "run scene.toml --no-record --set method.stepper=stewart-trinkle ";
  ASSERT_EQ(run(scene + "--checkpoint run.ckpt").code, 0);
  const std::vector<std::pair<std::string, std::string>> options = {
      {"stepper", "implicit"},  {"friction", "pyramid"}, {"directions", "12"}, {"impacts", "back-up"},
      {"step", "1.0000001e-3"}, {"tolerance", "10"},     {"solver", "newton"}, {"certificate", "1e-8"}};
  for (const auto& [name, value] : options) {
    const CommandOutcome other = run(scene + "--resume run.ckpt --set method." + name + "=" + value);
    EXPECT_EQ(other.code, 2) << name;
    EXPECT_THAT(other.err, HasSubstr("method." + name + " differs"));
  }
  EXPECT_EQ(run(scene + "--resume run.ckpt --set method.threads=2 --set duration=0.03").code, 0);

  const std::string compliant = scene + "--set method.stepper=song-pang-kumar ";
  ASSERT_EQ(run(compliant + "--checkpoint soft.ckpt").code, 0);
  for (const std::string name : {"gap_step", "gamma"}) {
    const CommandOutcome other = run(compliant + "--resume soft.ckpt --set method." + name + "=1e-4");
    EXPECT_EQ(other.code, 2) << name;
    EXPECT_THAT(other.err, HasSubstr("method." + name + " differs"));
  }
}

TEST_F(Run, ResumingNoticesChangedFilesThatTheSceneReads) {
  write("base.toml", kScene);
  write("tray.toml",
        "include = [\"base.toml\"]\nduration = 0.02\n[[body]]\nname = \"tray\"\nmass = 1\nposition = [1, 2]\n"
        "shape = { svg = { file = \"tray.svg\" } }\n");
  const std::string svg = "<svg><path d=\"M0 0 L1 0 L1 1 Z\"/></svg>";
  write("tray.svg", svg);
  const std::string resume = "run tray.toml --no-record --set duration=0.03 --resume run.ckpt";
  const CommandOutcome first = run("run tray.toml --no-record --checkpoint run.ckpt");
  ASSERT_EQ(first.code, 0) << first.err;
  ASSERT_EQ(run(resume).code, 0);

  write("tray.svg", "<svg><path d=\"M0 0 L1 0 L1 2 Z\"/></svg>");
  CommandOutcome other = run(resume);
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("a shape, mass or contact law differs"));

  write("tray.svg", svg);
  write("base.toml", changed("gravity = [0, -9.81]", "gravity = [0, -9.80]"));
  other = run(resume);
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("the included file base.toml differs"));
}

TEST_F(Run, AnyNumberOfThreadsGivesTheSameBits) {
  const std::string scene = "run " + example("pile") + " --json --no-record --set n=60 --set duration=0.25";
  const CommandOutcome one = run(scene + " --threads 1"), four = run(scene + " --threads 4");
  ASSERT_EQ(one.code, 0) << one.err;
  ASSERT_EQ(four.code, 0) << four.err;
  EXPECT_EQ(end_of(one), end_of(four));
}

}  // namespace
}  // namespace stickslip::testing
