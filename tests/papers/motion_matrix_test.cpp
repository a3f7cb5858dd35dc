// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Every rigid stepper with every motion model, in the plane, on supports and in space: a block that a force pulls over
// a floor, against friction and a damper.
//
//     dynamic                      m v' = F - mu m g - c v,   v = V (1 - exp(-c t / m)),   V = (F - mu m g) / c
//     quasi-static, first-order    v = V at once
//
// What a stepper does not know it refuses, in one line that says what to take instead.
#include "tests/support/example_run.h"

#include <fmt/format.h>
#include <cmath>
#include <tuple>

namespace stickslip::testing {
namespace {

constexpr double kMass = 0.5, kForce = 2, kDamping = 1.5, kFriction = 0.2, kGravity = 9.81, kTime = 0.4;
constexpr double kSpeed = (kForce - kFriction * kMass * kGravity) / kDamping;

std::string block(const std::string& dimension) {
  const bool supports = dimension == "2.5", space = dimension == "3";
  const std::string body = supports ? "shape = { box = [0.2, 0.1] }\nsupport = { spread = 20, friction = 0.2 }"
                           : space  ? "shape = { box = [0.2, 0.1, 0.04] }\nposition = [0, 0, 0.02]"
                                    : "shape = { box = [0.2, 0.04] }\nposition = [0, 0.02]";
  const std::string floor =
      supports ? ""
               : fmt::format(R"([[body]]
name = "floor"
fixed = true
shape = {{ {} }}
[[contact]]
between = ["block", "floor"]
friction = 0.2
)",
                             space ? "half-space = { normal = [0, 0, 1] }" : "half-plane = { normal = [0, 1] }");
  return fmt::format(R"(
dimension = {}
gravity = {}
duration = 0.4
[method]
step = 1e-3
[[body]]
name = "block"
mass = 0.5
linear_damping = 1.5
angular_damping = 0.01
force = {}
{}
{}
[observe]
x = "block.x"
v = "block.vx"
angle = "{}"
)",
                     dimension, dimension == "2" ? "[0, -9.81]" : "[0, 0, -9.81]", space ? "[2, 0, 0]" : "[2, 0]", body,
                     floor, space ? "block.wy" : "block.angle");
}

class MotionMatrix : public ::testing::TestWithParam<std::tuple<std::string, std::string, std::string>> {};

TEST_P(MotionMatrix, PulledBlockReachesItsSpeedOrIsRefused) {
  const auto& [stepper, motion, dimension] = GetParam();
  const Settings settings = {{"method.stepper", stepper}, {"method.motion", motion}};
  if (stepper == "second-order" && motion != "dynamic") {
    try {
      (void)scene::parse_scene(block(dimension), "test.toml", settings);
      FAIL() << "not refused";
    } catch (const std::exception& error) {
      const std::string line = error.what();
      EXPECT_NE(line.find("only dynamic motion"), std::string::npos) << line;
      EXPECT_NE(line.find("stewart-trinkle"), std::string::npos) << line;
    }
    return;
  }
  const ExampleRun end(scene::parse_scene(block(dimension), "test.toml", settings));
  const double decay = std::exp(-kDamping * kTime / kMass);
  const bool dynamic = motion == "dynamic";
  const double v = dynamic ? kSpeed * (1 - decay) : kSpeed;
  const double x = dynamic ? kSpeed * (kTime - kMass / kDamping * (1 - decay)) : kSpeed * kTime;
  // Without inertia nothing depends on the step; dynamic motion at first order: h c / m = 3e-3 of the values.
  const double tolerance = !dynamic ? 1e-8 : stepper == "second-order" ? 2e-5 : 3e-3;
  EXPECT_NEAR(end["v"], v, tolerance);
  EXPECT_NEAR(end["x"], x, tolerance);
  EXPECT_NEAR(end["angle"], 0, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(All, MotionMatrix,
                         ::testing::Combine(::testing::Values("stewart-trinkle", "anitescu-potra", "implicit",
                                                              "second-order"),
                                            ::testing::Values("dynamic", "quasi-static", "first-order"),
                                            ::testing::Values("2", "2.5", "3")));

}  // namespace
}  // namespace stickslip::testing
