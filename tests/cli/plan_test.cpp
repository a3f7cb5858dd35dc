// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip plan: the files that it writes, what it prints, and its exit codes.
#include "tests/support/command.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace stickslip::testing {
namespace {

using ::testing::HasSubstr;

class PlanCommand : public CommandTest {
 protected:
  static std::string plan(const std::string& example) {
    return std::string("'") + tests::kSourceFolder + "/examples/" + example + "/plan.toml'";
  }
};

TEST_F(PlanCommand, WritesASceneThatRunReplays) {
  const CommandOutcome planned = run("plan " + plan("plan-ball") + " --json");
  ASSERT_EQ(planned.code, 0) << planned.err;
  const auto json = nlohmann::json::parse(planned.out);
  EXPECT_EQ(json["status"], "solved");
  EXPECT_NEAR(json["unknowns"]["vx"], 1.544679596, 1e-6);
  EXPECT_NEAR(json["unknowns"]["vy"], 0.4174456165, 1e-6);
  EXPECT_EQ(json["modes"].size(), 2U);
  EXPECT_EQ(json["modes"][0]["mode"], "slide");
  EXPECT_GT(json["seconds"], 0);
  for (const char* residual : {"dynamics", "complementarity", "conditions", "replay"})
    EXPECT_LE(json["residuals"][residual], 1e-8) << residual;
  EXPECT_TRUE(std::filesystem::exists(path("plan-ball-plan.h5")));
  EXPECT_THAT(content("plan-ball-plan.html"), HasSubstr("<html"));

  const CommandOutcome replay = run("run plan-ball-plan.toml --json --no-record");
  ASSERT_EQ(replay.code, 0) << replay.err;
  const auto end = nlohmann::json::parse(replay.out)["observe"];
  EXPECT_NEAR(end["x"], 1, 1e-8);
  EXPECT_NEAR(end["y"], -0.1, 1e-8);
}

// With a million steps, a search would take longer than the test may.
TEST_F(PlanCommand, RefusesAToleranceBeforeTheSearch) {
  const CommandOutcome refused = run("plan " + plan("plan-ball") + " --set steps=1000000 --set method.tolerance=1e-6");
  EXPECT_EQ(refused.code, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("plan needs a given step, but the scene has a tolerance"));
}

TEST_F(PlanCommand, OnePageShowsAllSolutionsAndReportMakesItAgain) {
  const CommandOutcome planned = run("plan " + plan("plan-impact") + " --json");
  ASSERT_EQ(planned.code, 0) << planned.err;
  const auto json = nlohmann::json::parse(planned.out);
  ASSERT_EQ(json["solutions"].size(), 2U);
  EXPECT_EQ(json["solutions"][0]["page"], json["solutions"][1]["page"]);
  const std::string page = content("plan-impact-plan.html");
  for (const char* part : {R"("number":1)", R"("number":2)", R"("residuals":{)", R"("wanted":0.4)"})
    EXPECT_THAT(page, HasSubstr(part));
  ASSERT_EQ(run("report plan-impact-plan.h5 plan-impact-plan-2.h5 -o again.html").code, 0);
  EXPECT_EQ(content("again.html"), page);
}

TEST_F(PlanCommand, RecordsTheClosestAttemptOfWhatIsNotFound) {
  const std::string scene = std::string(tests::kSourceFolder) + "/examples/plan-ball/scene.toml";
  write("high.toml", "scene = \"" + scene + "\"\nsteps = 20\nconditions = [\"ball.x == 1\", \"ball.z == 1\"]\n" +
                         "[unknown.vx]\nstart = \"ball.vx\"\n[unknown.vy]\nstart = \"ball.vy\"\n");
  const CommandOutcome planned = run("plan high.toml -o out.toml");
  EXPECT_EQ(planned.code, 1);
  EXPECT_THAT(planned.out, HasSubstr("out-closest.html"));
  EXPECT_FALSE(std::filesystem::exists(path("out.toml"))) << "no solution";
  EXPECT_THAT(content("out-closest.html"), HasSubstr(R"("status":"not-found")"));
}

TEST_F(PlanCommand, TargetsComeFromTheCommandLine) {
  const CommandOutcome planned = run("plan " + plan("plan-ball") +
                                     " --set target_x=0.5 --set target_y=0.2 --set steps=50 -o there.toml --no-record");
  ASSERT_EQ(planned.code, 0) << planned.err;
  EXPECT_THAT(planned.out, HasSubstr("found"));
  const auto end = nlohmann::json::parse(run("run there.toml --json --no-record").out)["observe"];
  EXPECT_NEAR(end["x"], 0.5, 1e-8);
  EXPECT_NEAR(end["y"], 0.2, 1e-8);
}

TEST_F(PlanCommand, SaysWhatIsWrong) {
  write("scene.toml", "dimension = 2\nduration = 1\n[[body]]\nname = \"a\"\nshape = { disc = 1 }\nmass = 1\n");
  write("plan.toml",
        "scene = \"scene.toml\"\nconditions = [\"a.x == 1\", \"a.y == 1\"]\n[unknown.v]\nstart = \"a.vx\"\n");
  const CommandOutcome refused = run("plan plan.toml");
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.error_lines(), 1) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("plan.toml:2:14: too many conditions"));
}

TEST_F(PlanCommand, NotFoundIsNotAnError) {
  write("scene.toml", "dimension = 2\nduration = 1\n[[body]]\nname = \"a\"\nshape = { disc = 1 }\nmass = 1\n");
  write("plan.toml",
        "scene = \"scene.toml\"\nconditions = [\"a.x == 5\"]\n[unknown.v]\nstart = \"a.vx\"\nmin = -1\nmax = 1\n");
  const CommandOutcome missed = run("plan plan.toml --json");
  EXPECT_EQ(missed.code, 1);
  const auto json = nlohmann::json::parse(missed.out);
  EXPECT_EQ(json["status"], "not-found");
  EXPECT_NEAR(json["violation"], 4, 1e-9);
  EXPECT_EQ(json["violated"], "a.x == 5");
  EXPECT_NEAR(json["closest"]["v"], 1, 1e-12);
}

}  // namespace
}  // namespace stickslip::testing
