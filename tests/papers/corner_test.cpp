// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A particle beside a corner that sticks out (Egan, Berard and Trinkle 2003): its free space is not convex. There is no
// gravity and no friction: the paths are straight lines, and their ends known to rounding, however long the step is.
#include "tests/support/example_run.h"

namespace stickslip::testing {
namespace {

const std::string kCorner = "papers/002/corner.toml";

TEST(ReflexCorner, AParticleThatPassesItFliesStraightOnAtEveryStep) {
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "implicit", "second-order"})
    for (const char* step : {"0.8", "0.4", "0.3", "0.1", "0.01"})
      for (const char* offset : {"1e-3", "0.2"}) {
        const ExampleRun run(kCorner, {{"method.stepper", stepper}, {"method.step", step}, {"offset", offset}});
        EXPECT_NEAR(run["x"], 1 + std::stod(offset), 1e-12) << stepper << ", step " << step;
        EXPECT_NEAR(run["y"], -1, 1e-12) << stepper << ", step " << step << ", offset " << offset;
      }
}

// A millimetre to the other side it lands, without bouncing, and leaves the edge level. Steppers that do not locate the
// impact land it with what is left of its fall in the step, and it keeps this where the step ends beyond the edge.
TEST(ReflexCorner, AParticleThatMeetsTheBlockLeavesItsEdgeLevel) {
  for (const char* stepper : {"anitescu-potra", "second-order"})
    for (const char* step : {"0.8", "0.4", "0.3", "0.1", "0.01"}) {
      const ExampleRun run(kCorner, {{"method.stepper", stepper}, {"method.step", step}, {"offset", "-1e-3"}});
      EXPECT_NEAR(run["x"], 0.999, 1e-12) << stepper << ", step " << step;
      EXPECT_NEAR(run["y"], 0, 1e-12) << stepper << ", step " << step;
    }
}

// The same past the edge of a box in space, along both of the edge's directions.
TEST(ReflexCorner, AParticleFliesPastTheEdgeOfABox) {
  for (const char* stepper : {"stewart-trinkle", "second-order"})
    for (const double offset : {1e-3, 0.2}) {
      const std::string text = fmt::format(R"(
dimension = 3
duration = 2
[method]
stepper = "{}"
step = 0.8
[[body]]
name = "block"
shape = {{ box = [2, 2, 2] }}
position = [-1, 0, -1]
fixed = true
[[body]]
name = "particle"
shape = "particle"
mass = 1
position = [{}, 0.1, 1]
velocity = [1, 0.2, -1]
[observe]
y = "particle.y"
z = "particle.z"
)",
                                           stepper, -1 + offset);
      const ExampleRun run(scene::parse_scene(text, "corner.toml"));
      EXPECT_NEAR(run["y"], 0.5, 1e-12) << stepper;
      EXPECT_NEAR(run["z"], -1, 1e-12) << stepper << ", " << offset;
    }
}

}  // namespace
}  // namespace stickslip::testing
