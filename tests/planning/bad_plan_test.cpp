// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Plans that cannot be right are refused with the place and the reason; plans without a solution are said to be not
// found, with the best violation.
#include "stickslip/planning/plan_keys.h"
#include "tests/planning/plan_files.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

namespace stickslip::planning {
namespace {

using ::testing::HasSubstr;

class BadPlan : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / (std::string("stickslip_plan_") + info->name());
    std::filesystem::create_directories(folder_);
    std::filesystem::copy_file(std::filesystem::path(tests::kSourceFolder) / "examples/plan-ball/scene.toml",
                               folder_ / "scene.toml", std::filesystem::copy_options::overwrite_existing);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Plan load(const std::string& text) {
    std::ofstream(folder_ / "plan.toml") << "scene = \"scene.toml\"\n" << text;
    return load_plan(folder_ / "plan.toml");
  }
  std::string error_of(const std::string& text) {
    try {
      static_cast<void>(load(text));
    } catch (const scene::SceneError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
};

constexpr const char* kVx = "[unknown.vx]\nstart = \"ball.vx\"\n";
constexpr const char* kVy = "[unknown.vy]\nstart = \"ball.vy\"\n";

TEST_F(BadPlan, TooManyConditions) {
  const std::string error = error_of(std::string("conditions = [\"ball.x == 1\", \"ball.y == 0\"]\n") + kVx);
  EXPECT_THAT(error, HasSubstr("plan.toml:2:"));
  EXPECT_THAT(error, HasSubstr("too many conditions: 2 equations for 1 unknown (vx)"));
}

TEST_F(BadPlan, TooFewConditions) {
  const std::string text = std::string("conditions = [\"ball.x == 1\"]\n") + kVx + kVy;
  EXPECT_THAT(error_of(text), HasSubstr("too few conditions: 1 equation for 2 unknowns (vx, vy)"));
  EXPECT_EQ(solve(load("closest = true\n" + text)).status, PlanResult::Status::Solved);
}

TEST_F(BadPlan, NamesThatDoNotExist) {
  EXPECT_THAT(error_of(std::string("conditions = [\"bal.x == 1\"]\n") + kVx), HasSubstr("plan.toml:2:16"));
  EXPECT_THAT(error_of("conditions = [\"ball.x == 1\"]\n[unknown.v]\n"), HasSubstr("the scene has no parameter 'v'"));
  EXPECT_THAT(error_of("conditions = [\"ball.x == 1\"]\n[unknown.v]\nstart = \"bell.vx\"\n"),
              HasSubstr("the scene has no body 'bell'"));
  EXPECT_THAT(error_of("conditions = [\"ball.x == 1\"]\n[unknown.v]\nstart = \"ball.v\"\n"),
              HasSubstr("known are x, y, z, vx"));
  EXPECT_THAT(error_of("condition = [\"ball.x == 1\"]\n[unknown.v]\nstart = \"ball.vx\"\n"), HasSubstr("conditions"));
  EXPECT_THAT(error_of(std::string("conditions = [\"ball.x\"]\n") + kVx), HasSubstr("neither ==, <= nor >="));
}

TEST_F(BadPlan, PathsOfNobody) {
  const std::string plan = std::string("conditions = [\"ball.x == 1\"]\n") + kVx;
  EXPECT_THAT(error_of(plan + "[path.bell]\nx = \"t\"\n"), HasSubstr("'path': the scene has no body 'bell'"));
  EXPECT_THAT(error_of(plan + "[path.ball]\nangle = \"t\"\n"), HasSubstr("'ball' has no coordinate 'angle'"));
  EXPECT_THAT(error_of(plan + "[path]\nball = 1\n"), HasSubstr("a table for each body"));
}

TEST_F(BadPlan, BoundsThatExcludeEverything) {
  EXPECT_THAT(error_of(std::string("conditions = [\"ball.x == 1\"]\n") + kVx + "min = 2\nmax = 1\n"),
              HasSubstr("no number lies between min = 2 and max = 1"));
  EXPECT_THAT(error_of(std::string("conditions = [\"ball.x == 1\"]\n") + kVx + "min = 2\nguess = 1\n"),
              HasSubstr("lies outside"));
}

// With at most 0.1 m/s the ball, which starts with spin, cannot get to x = 5.
TEST_F(BadPlan, UnreachableTargetsAreNotFoundAndSaidHowFarOff) {
  const PlanResult result =
      solve(load(std::string("conditions = [\"ball.x == 5\"]\nstarts = 3\n") + kVx + "min = -0.1\nmax = 0.1\n"));
  EXPECT_EQ(result.status, PlanResult::Status::NotFound);
  EXPECT_EQ(result.starts, 9) << "three each by shooting, by multiple shooting, of the whole trajectory";
  EXPECT_EQ(result.violated, "ball.x == 5");
  EXPECT_GT(result.violation, 4);
  EXPECT_NEAR(result.closest[0], 0.1, 1e-12) << "the bound that stands in the way";
}

TEST_F(BadPlan, ContradictoryConditions) {
  const auto with = [](const std::string& list) { return "closest = true\nconditions = [" + list + "]\n" + kVx; };
  EXPECT_THAT(error_of(with("\"ball.x <= 0\", \"ball.x >= 1\"")),
              HasSubstr("no value of ball.x satisfies both \"ball.x >= 1\" and \"ball.x <= 0\""));
  EXPECT_THAT(error_of(with("\"ball.x == 2\", \"1 >= ball.x\"")), HasSubstr("no value of ball.x satisfies both"));
  EXPECT_EQ(error_of(with("\"ball.x <= 1\", \"ball.x >= 1\"")), "");
  EXPECT_EQ(error_of(with("\"ball.x <= 0\", \"ball.x >= vx\"")), "") << "an unknown is no bound";
}

// Contradictions that the text does not show: the search ends halfway.
TEST_F(BadPlan, HiddenContradictionsAreNotFound) {
  const PlanResult result =
      solve(load(std::string("closest = true\nconditions = [\"ball.x <= 0\", \"2 * ball.x >= 2\"]\n") + kVx));
  EXPECT_EQ(result.status, PlanResult::Status::NotFound);
  EXPECT_GT(result.violation, 0.1);
}

TEST_F(BadPlan, WithoutInfluenceIsSaid) {
  const PlanResult result =
      solve(load(std::string("starts = 1\nmethod = \"shooting\"\nconditions = [\"ball.z == 1\"]\n") + kVx));
  EXPECT_EQ(result.status, PlanResult::Status::NotFound);
  EXPECT_EQ(result.note, "no unknown changes \"ball.z == 1\" there");
}

// docs/planning.md holds the tables of keys as the code declares them.
TEST(PlanKeys, AreDocumented) {
  std::ostringstream text;
  text << std::ifstream(std::filesystem::path(tests::kSourceFolder) / "docs/planning.md").rdbuf();
  EXPECT_THAT(text.str(), HasSubstr(plan_reference())) << "docs/planning.md: paste the output of plan_reference()";
}

}  // namespace
}  // namespace stickslip::planning
