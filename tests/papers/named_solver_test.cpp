// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The solver of a step's contact problem by name: cones and pyramids have their own.
#include "tests/support/example_run.h"

#include <gmock/gmock.h>

#include <cmath>

namespace stickslip::testing {
namespace {

using ::testing::HasSubstr;

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
