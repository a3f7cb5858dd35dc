// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Fully implicit geometry where contacts are redundant and closest points jump: flat boxes, rims over edges, any units.
#include "tests/support/example_run.h"

#include <fmt/format.h>
#include <cmath>

namespace stickslip::testing {
namespace {

ExampleRun run(const std::string& text, const Settings& settings) {
  return ExampleRun(scene::parse_scene(text, "test.toml", settings));
}

constexpr const char* kFloor = R"TOML(
dimension = 3
gravity = [0, 0, -9.81]
[[body]]
name = "floor"
fixed = true
shape = { half-space = { normal = [0, 0, 1] } }
[[contact]]
between = ["*", "*"]
)TOML";

// A disc lies flat on a box and slides over its edge, while both are pushed: the edge crosses the rim in two places,
// and the closest points jump between them with the slightest tilt.
TEST(ImplicitGeometry, DiscSlidesOverTheEdgeOfABox) {
  const std::string text = std::string(kFloor) + R"TOML(
friction = 0.27
[[body]]
name = "box"
mass = 2.1
shape = { box = [0.74, 0.59, 0.14] }
position = [-0.03, 0.04, 0.07]
[[body]]
name = "disc"
mass = 0.65
shape = { cylinder = { radius = 0.35, length = 0.08 } }
position = [-0.02, -0.02, 0.18]
velocity = [-0.7, 0.5, 0]
force = ["-2.6 * sin(4.3 * t + 0.34) + 1.5", "-1.1 * sin(8.2 * t + 1.3) - 2.9", 0]
[observe]
x = "disc.x"
)TOML";
  double before = 0;
  for (const char* step : {"1e-3", "5e-4", "2.5e-4"}) {
    const ExampleRun end = run(text, {{"method.stepper", "implicit"}, {"method.step", step}, {"duration", "0.2"}});
    if (before != 0) {
      EXPECT_NEAR(end["x"], before, 1e-3) << step;
    }
    before = end["x"];
  }
}

// How four corners share the weight is open, and with friction every way turns the box a little differently. The way
// must not depend on rounding: errors of first order in the step, nothing else.
TEST(ImplicitGeometry, FlatBoxUnderASpinningBallConverges) {
  const std::string text = std::string(kFloor) + R"TOML(
friction = 0.2015
[[body]]
name = "box"
mass = 2.6643
shape = { box = [0.9918, 0.7934, 0.1324] }
position = [-0.0470, -0.0042, 0.0662]
velocity = [-0.2632, 0.6826, 0]
force = ["1.5371 * sin(6.7302 * t + 0.9675) + 1.0956", "3.1678 * sin(9.5428 * t + 5.8027) + 0.5479", 0]
[[body]]
name = "ball"
mass = 2.4984
shape = { sphere = 0.0814 }
position = [0.0312, 0.0135, 0.2138]
velocity = [0.5641, -0.0280, 0]
force = ["2.8123 * sin(8.6416 * t + 1.4517) + 0.5253", "1.2491 * sin(3.2312 * t + 5.6147) + 1.8333", 0]
angular_velocity = [-7.095, -5.602, -9.957]
[observe]
x = "box.x"
y = "box.y"
)TOML";
  for (const char* step : {"2e-4", "1e-4"}) {
    const ExampleRun end = run(text, {{"method.stepper", "implicit"}, {"method.step", step}, {"duration", "0.3"}});
    EXPECT_NEAR(end["x"], -0.0485788, 1e-5) << step;
  }
}

// The same fall of a box, with lengths, masses and times in other units.
TEST(ImplicitGeometry, UnitsDoNotMatter) {
  struct Units {
    double L, M, T;
  };
  for (const Units& unit : {Units{1, 1, 1}, Units{1e-3, 1e3, 1}, Units{1e-6, 1e-9, 1e-3}, Units{1e-2, 1e-3, 1},
                            Units{1e3, 1e6, 60}, Units{1e-9, 1e-15, 1e-6}}) {
    const double L = 1 / unit.L, T = 1 / unit.T, v = L / T;
    const ExampleRun end = run(fmt::format(R"TOML(
dimension = 3
gravity = [0, 0, {}]
duration = {}
[method]
step = {}
[[body]]
name = "floor"
fixed = true
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
[[body]]
name = "box"
mass = {}
shape = {{ box = [{}, {}, {}] }}
position = [0, 0, {}]
orientation = {{ axis = [1, 1, 0.3], angle = 0.5 }}
velocity = [{}, {}, 0]
angular_velocity = [{}, {}, {}]
[[contact]]
between = ["box", "floor"]
friction = 0.3
[observe]
x = "box.x / {}"
y = "box.y / {}"
)TOML",
                                           -9.81 * v / T, 1.2 * T, 1e-3 * T, 2 / unit.M, 0.2 * L, 0.3 * L, 0.1 * L,
                                           0.4 * L, v, 0.3 * v, 2 / T, 1 / T, -3 / T, L, L),
                               {{"method.stepper", "implicit"}});
    EXPECT_NEAR(end["x"], 0.39510004, 1e-7) << unit.L;
    EXPECT_NEAR(end["y"], 0.24831030, 1e-7) << unit.L;
  }
}

}  // namespace
}  // namespace stickslip::testing
