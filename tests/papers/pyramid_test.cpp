// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Friction pyramids with a given orientation (the box friction of Song, Kumar and Pang 2005, Figure 3) and the solvers
// of their steps by name.
#include "tests/support/example_run.h"

#include <gmock/gmock.h>

#include <cmath>

namespace stickslip::testing {
namespace {

using ::testing::HasSubstr;

const std::string kBox = "papers/001/box.toml";

// |f_x| <= mu N and |f_y| <= mu N: each component of the slip falls by 3.5 mu g on its own. The numbers of implicit
// Euler with the paper's step are those of 100 steps worked out component by component; their digits end at 1e-7.
TEST(BoxFriction, ImplicitEulerEndsWhereItsRecurrenceEnds) {
  const ExampleRun run(kBox);
  EXPECT_NEAR(run.at("x"), 0.5090257, 1e-7);
  EXPECT_NEAR(run.at("y"), -0.0876789, 1e-7);
  EXPECT_NEAR(run.at("t_x"), 0.30, 1e-9);  // as the paper prints them
  EXPECT_NEAR(run.at("t_y"), 0.37, 1e-9);
}

// Exact: 2 / (3.5 mu g) and 2.5 / (3.5 mu g); the grid of steps rounds times up by at most a step.
TEST(BoxFriction, RollsAlongEachAxisAtItsOwnInstant) {
  const double h = 1e-4;
  const ExampleRun run(kBox, {{"method.step", "1e-4"}});
  EXPECT_NEAR(run.at("t_x"), 2.0 / (3.5 * 0.2 * 9.8), h + 1e-9);
  EXPECT_NEAR(run.at("t_y"), 2.5 / (3.5 * 0.2 * 9.8), h + 1e-9);
  EXPECT_NEAR(run.at("x"), 0.511870054, 10 * h);  // first order: its error at h = 0.01 is 2.8e-3
  EXPECT_NEAR(run.at("y"), -0.084131612, 10 * h);
}

// A pyramid of four sides repeats itself after a quarter of a turn.
TEST(BoxFriction, AQuarterOfATurnChangesNothing) {
  const ExampleRun run(kBox), turned(kBox, {{"method.pyramid_angle", "-pi / 4"}});
  EXPECT_NEAR(run.at("x"), turned.at("x"), 1e-12);
  EXPECT_NEAR(run.at("y"), turned.at("y"), 1e-12);
}

// Corners along the axes, sqrt(2) mu N from the middle: another law.
TEST(BoxFriction, AnEighthOfATurnIsAnotherLaw) {
  const ExampleRun run(kBox), turned(kBox, {{"method.pyramid_angle", "0"}});
  EXPECT_GT(std::fabs(run.at("x") - turned.at("x")), 1e-3);
}

// Supports of a 2.5D body and many contacts go through another form of the problem than a few spatial contacts.
TEST(Pyramid, ManySidesInAnyOrientationAreTheCone) {
  const ExampleRun cone("slide-to-rest", {{"duration", "0.1"}});
  for (const char* angle : {"0", "0.3"}) {
    const ExampleRun pyramid("slide-to-rest", {{"method.friction", "pyramid"},
                                               {"method.directions", "128"},
                                               {"method.pyramid_angle", angle},
                                               {"duration", "0.1"}});
    EXPECT_NEAR(pyramid.at("x"), cone.at("x"), 1e-3 * std::fabs(cone.at("x"))) << angle;  // (pi / 128)^2 is 6e-4
  }
}

// In the plane the pyramid is Coulomb's law, and Lemke's method solves the step's LCP alone.
TEST(NamedSolver, LemkeStepsThePegAsTheConeSolversDo) {
  const Settings lemke = {{"method.friction", "pyramid"}, {"method.solver", "lemke"}};
  const ExampleRun ours("peg", {{"method.stepper", "stewart-trinkle"}});
  Settings all = lemke;
  all.push_back({"method.stepper", "stewart-trinkle"});
  const ExampleRun theirs("peg", all);
  EXPECT_NEAR(ours.at("x"), theirs.at("x"), 1e-9);
  EXPECT_NEAR(ours.at("angle"), theirs.at("angle"), 1e-9);
}

TEST(NamedSolver, BelongsToOneFormOfFriction) {
  const auto refusal = [](const Settings& settings) {
    try {
      (void)load_example("ball", settings);
    } catch (const scene::SceneError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal({{"method.solver", "lemke"}}), HasSubstr("set friction = \"pyramid\""));
  EXPECT_THAT(refusal({{"method.friction", "pyramid"}, {"method.solver", "gauss-seidel"}}), HasSubstr("lemke"));
  EXPECT_EQ(refusal({{"method.friction", "pyramid"}, {"method.solver", "lemke"}}), "");
}

}  // namespace
}  // namespace stickslip::testing
