// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Reflex corners (Berard et al. 2007, reference 17): "all gaps to all faces >= 0" would close a hole and push a part
// out of an inside corner. Which gaps count depends on where the part is.
#include "tests/support/example_run.h"

#include <fmt/format.h>

namespace stickslip::testing {
namespace {

const std::vector<std::string> kSteppers = {"stewart-trinkle", "anitescu-potra", "implicit", "second-order"};

const char* const kHole = R"(
dimension = 2
duration = 1
gravity = [0, -9.8]
[parameters]
clearance = 0.02
x0 = 0
tilt = 0
[[body]]
name = "block"
fixed = true
shape = { polygon = [
  [-3, -2], [3, -2], [3, 0], ["0.5 + clearance", 0], ["0.5 + clearance", -1.5],
  ["-0.5 - clearance", -1.5], ["-0.5 - clearance", 0], [-3, 0]] }
[[body]]
name = "peg"
mass = 1
shape = { box = [1, 1.2] }
position = ["x0", 0.7]
angle = "tilt"
[[contact]]
between = ["block", "peg"]
friction = 0.2
[observe]
x = "peg.x"
y = "peg.y"
angle = "peg.angle"
)";

TEST(Hole, PegFallsInAndRestsOnItsGround) {
  for (const std::string& stepper : kSteppers)
    for (const auto& [clearance, x0] : {std::pair{0.02, 0.0}, {0.02, 0.019}, {1e-3, 0.0}, {1e-3, 9.5e-4}}) {
      const Settings settings = {
          {"method.stepper", stepper}, {"clearance", fmt::format("{}", clearance)}, {"x0", fmt::format("{}", x0)}};
      const ExampleRun end(scene::parse_scene(kHole, "test.toml", settings));
      EXPECT_NEAR(end.at("y"), -0.9, 1e-12) << stepper << ", clearance " << clearance;
      EXPECT_NEAR(end.at("x"), x0, 1e-12) << stepper << ", clearance " << clearance;
    }
}

TEST(Hole, TiltedPegFindsItsWayIn) {
  for (const std::string& stepper : kSteppers) {
    const ExampleRun end(
        scene::parse_scene(kHole, "test.toml", Settings{{"method.stepper", stepper}, {"tilt", "0.02"}}));
    EXPECT_NEAR(end.at("y"), -0.9, 1e-9) << stepper;
    EXPECT_NEAR(end.at("angle"), 0, 1e-9) << stepper;
    EXPECT_LE(std::fabs(end.at("x")), 0.02 + 1e-9) << stepper;
  }
}

// Slides down and to the right into the corner between floor and wall, and stays there.
TEST(InsideCorner, PartComesToRestInIt) {
  const char* const text = R"(
dimension = 2
duration = 3
gravity = [3, -9.8]
[[body]]
name = "block"
fixed = true
shape = { polygon = [[-3, -1], [2, -1], [2, 3], [1, 3], [1, 0], [-3, 0]] }
[[body]]
name = "part"
mass = 1
shape = { box = [0.4, 0.3] }
position = [0.2, 0.5]
angle = 0.3
[[contact]]
between = ["block", "part"]
friction = 0.2
[observe]
x = "part.x"
y = "part.y"
)";
  for (const std::string& stepper : kSteppers) {
    const ExampleRun end(scene::parse_scene(text, "test.toml", Settings{{"method.stepper", stepper}}));
    EXPECT_NEAR(end.at("x"), 0.8, 1e-9) << stepper;
    EXPECT_NEAR(end.at("y"), 0.15, 1e-9) << stepper;
  }
}

}  // namespace
}  // namespace stickslip::testing
