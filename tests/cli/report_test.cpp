// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip report: pages and pictures of recordings and studies.
#include "tests/support/command.h"

#include <gmock/gmock.h>

namespace {

using stickslip::testing::CommandOutcome;
using stickslip::testing::CommandTest;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Report : public CommandTest {
 protected:
  void record() const { ASSERT_EQ(run("run " + example("ball") + " -o ball.h5 --set duration=0.2").code, 0); }
};

TEST_F(Report, OnePageBesideTheRecording) {
  record();
  const CommandOutcome outcome = run("report ball.h5");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("page: ball.html"));
  EXPECT_THAT(content("ball.html"), HasSubstr(R"("kind":"run")"));
}

TEST_F(Report, ALinkGoesOnPointingWhereItDid) {
  namespace fs = std::filesystem;
  record();
  write("page.html", "old");
  fs::create_symlink("page.html", folder_ / "link.html");
  EXPECT_EQ(run("report ball.h5 -o link.html --force").code, 0);
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.html"));
  EXPECT_THAT(content("page.html"), HasSubstr(R"("kind":"run")"));
  // A device stays one: through a link, since whoever may replace it would.
  if (!fs::exists("/dev/full")) return;
  fs::create_symlink("/dev/full", folder_ / "full.html");
  EXPECT_EQ(run("report ball.h5 -o full.html").code, 1);
  EXPECT_TRUE(fs::is_symlink(folder_ / "full.html"));
  EXPECT_FALSE(fs::is_regular_file("/dev/full"));
}

TEST_F(Report, PicturesAsSvgAndPng) {
  record();
  EXPECT_EQ(run("report ball.h5 --svg").code, 0);
  EXPECT_THAT(content("ball.svg"), HasSubstr("</svg>"));
  EXPECT_EQ(run("report ball.h5 --png --at 0.1 --no-charts -o one.png").code, 0);
  EXPECT_THAT(content("one.png"), StartsWith("\x89PNG"));
  EXPECT_EQ(run("report ball.h5 ball.h5 --png").code, 2) << "a picture shows one run";
}

TEST_F(Report, AFailedRunIsNotCalledFinished) {
  ASSERT_EQ(
      run("run " + example("peg") + " -o bad.h5 --set method.certificate=1e-300 --set method.certificate_at_worst=0")
          .code,
      1);
  ASSERT_EQ(run("report bad.h5").code, 0);
  EXPECT_THAT(content("bad.html"), HasSubstr(R"("end":"failed at t = )"));
  record();
  ASSERT_EQ(run("report ball.h5").code, 0);
  EXPECT_THAT(content("ball.html"), HasSubstr(R"("end":"finished")"));
}

TEST_F(Report, TimesOfPicturesAreTimesOfTheRecording) {
  record();
  EXPECT_EQ(run("report ball.h5 --svg --at 0 --at 0.2").code, 0);
  for (const char* arguments : {"report ball.h5 --png --at nan", "report ball.h5 --png --at 0.3",
                                "report ball.h5 --svg --at=-0.1", "report ball.h5 --at 0.1"}) {
    const CommandOutcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ball.png"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ball.html"));
}

TEST_F(Report, APageOfAStudy) {
  write("scene.toml", content(std::string(stickslip::tests::kSourceFolder) + "/examples/ball/scene.toml"));
  write("study.toml",
        "scene = \"scene.toml\"\ntrials = 3\nobjective = \"x\"\n[set]\nduration = 0.05\n[vary]\nmu = { uniform = [0.1, "
        "0.2] }\n");
  ASSERT_EQ(run("study study.toml --store results.db --quiet").code, 0);
  const CommandOutcome outcome = run("report results.db");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(content("results.html"), HasSubstr(R"("kind":"study")"));
  EXPECT_EQ(run("report results.db --svg").code, 2);
  EXPECT_EQ(run("report results.db results.db").code, 2);
  std::filesystem::remove(folder_ / "study.toml");
  EXPECT_EQ(run("report results.db").code, 0) << "a moved study file costs the maps only";
}

TEST_F(Report, WhatIsNoRecordingIsBadInputInOneLine) {
  write("text.h5", "this is no recording");
  for (const char* arguments : {"report text.h5", "report missing.h5", "report text.h5 --study x.toml"}) {
    const CommandOutcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "text.html"));
}

}  // namespace
