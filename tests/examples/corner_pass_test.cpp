// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A block slides without friction off the end of a table, tips over its corner and falls. Nothing takes energy: when the
// block's trailing corner slides over the corner of the table, the two part without an impulse
// (stepping/corner_pass.h). Taken for a touch-down of that corner it would lose 3.4 % of the energy and turn half as
// fast again, at every step.
#include "tests/support/example_run.h"

#include <fmt/format.h>

#include <random>

namespace stickslip::testing {
namespace {

scene::Scene table(const char* stepper, const char* step, const std::string& surface = {}) {
  return scene::parse_scene(R"(
dimension = 2
gravity = [0, -9.81]
duration = 0.9
[[body]]
name = "table"
fixed = true
shape = { chain = [[-4, 0], [0, 0], [0, -9], [-4, -9]] }
[[body]]
name = "block"
mass = 1
shape = { box = [1, 0.2] }
position = [-0.6, 0.1]
velocity = [1.5, 0]
[[contact]]
between = ["block", "table"]
friction = 0
)" + surface + R"(
[observe]
energy = "0.5 * (block.vx^2 + block.vy^2) + 0.5 * 1.04 / 12 * block.wz^2 + 9.81 * block.y"
turn = "block.wz"
)",
                            "table.toml",
                            std::vector<scene::Override>{{"method.stepper", stepper}, {"method.step", step}});
}

// The same block, 0.6 wide, in space: it bears on the table by two pairs of edges.
scene::Scene table_in_space() {
  return scene::parse_scene(R"(
dimension = 3
gravity = [0, 0, -9.81]
duration = 0.9
[method]
stepper = "second-order"
step = 1e-3
[[body]]
name = "table"
fixed = true
shape = { box = [4, 4, 1] }
position = [-2, 0, -0.5]
[[body]]
name = "block"
mass = 1
shape = { box = [1, 0.6, 0.2] }
position = [-0.6, 0, 0.1]
velocity = [1.5, 0, 0]
[[contact]]
between = ["block", "table"]
friction = 0
[observe]
energy = "0.5 * (block.vx^2 + block.vy^2 + block.vz^2) + 0.5 * 1.04 / 12 * block.wy^2 + 9.81 * block.z"
turn = "block.wy"
)",
                            "table.toml");
}

constexpr double kEnergy = 0.5 * 1.5 * 1.5 + 9.81 * 0.1;  // of the start

TEST(CornerPass, BlockThatSlidesOffATableKeepsItsEnergy) {
  const ExampleRun coarse(table("second-order", "1e-3")), fine(table("second-order", "1e-4"));
  EXPECT_NEAR(coarse["energy"], kEnergy, 1e-5 * kEnergy);
  EXPECT_NEAR(fine["energy"], kEnergy, 1e-6 * kEnergy);
  EXPECT_NEAR(coarse["turn"], fine["turn"], 1e-3);
}

TEST(CornerPass, LikewiseInSpace) {
  const ExampleRun plane(table("second-order", "1e-3")), space(table_in_space());
  EXPECT_NEAR(space["energy"], kEnergy, 1e-5 * kEnergy);
  EXPECT_NEAR(space["turn"], -plane["turn"], 1e-4);
}

// First-order steps lose what their order says, and come to the same motion.
TEST(CornerPass, FirstOrderStepsComeToTheSameMotion) {
  const ExampleRun exact(table("second-order", "1e-4"));
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar"})
    for (const char* step : {"1e-3", "1e-4", "2e-5"}) {
      const ExampleRun run(table(stepper, step));
      const double h = run.scene().method.step;
      EXPECT_NEAR(run["energy"], kEnergy, 40 * h * kEnergy) << stepper << " " << step;
      EXPECT_NEAR(run["turn"], exact["turn"], 400 * h) << stepper << " " << step;
    }
}

// On stiff surfaces: the stiffer, the closer to rigid ones. What stays in springs and dampers is below 1e-4 of the energy.
TEST(CornerPass, StiffSurfacesPartLikeRigidOnes) {
  const ExampleRun exact(table("second-order", "1e-4"));
  for (const char* step : {"2e-3", "1e-3", "1e-4"}) {
    const ExampleRun run(table("runge-kutta", step, "stiffness = 1e6\ndamping = 100"));
    EXPECT_NEAR(run["energy"], kEnergy, 1e-4 * kEnergy) << step;
    EXPECT_NEAR(run["turn"], exact["turn"], 2e-3) << step;
  }
}

// Blocks of random size and speed, whose energy is known in closed form.
TEST(CornerPass, RandomBlocksKeepTheirEnergy) {
  std::mt19937 random(5);
  const auto between = [&](double a, double b) { return std::uniform_real_distribution(a, b)(random); };
  for (int k = 0; k < 12; ++k) {
    const double height = between(0.05, 0.4), speed = between(0.8, 2.5);
    const std::string size = fmt::format("[1, {:.17g}]", height);
    const double energy = 0.5 * speed * speed + 9.81 * 0.5 * height;
    for (const char* stepper : {"second-order", "stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar"}) {
      const ExampleRun run(scene::parse_scene(fmt::format(R"scene(
dimension = 2
gravity = [0, -9.81]
duration = {:.17g}
[[body]]
name = "table"
fixed = true
shape = {{ box = [4, 9] }}
position = [-2, -4.5]
[[body]]
name = "block"
mass = 1
shape = {{ box = {} }}
position = [-0.6, {:.17g}]
velocity = [{:.17g}, 0]
[[contact]]
between = ["block", "table"]
friction = 0
[observe]
energy = "kinetic_energy() + potential_energy()"
)scene",
                                                          1.35 / speed, size, 0.5 * height, speed),
                                              "table.toml", with(stepper, "2e-4")));
      const double relative = std::string_view(stepper) == "second-order" ? 1e-6 : 40 * 2e-4;
      EXPECT_NEAR(run["energy"], energy, relative * energy) << stepper << " height " << height << " speed " << speed;
    }
  }
}

}  // namespace
}  // namespace stickslip::testing
