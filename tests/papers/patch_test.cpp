// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Song-Pang-Kumar beyond one spring per contact: patches of elements, the smoothed cone, steps from the rate of the
// gap.
#include "tests/support/example_run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <cmath>

namespace stickslip::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBall = R"(
dimension = 3
gravity = [0, 0, -9.8]
duration = 0.2
[parameters]
mu = 0.3
vx = 0
wz = 0
height = 0
[method]
stepper = "song-pang-kumar"
step = 1e-4
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "ball"
mass = 0.2
shape = { sphere = 0.05 }
position = [0, 0, "0.05 + height"]
velocity = ["vx", 0, 0]
angular_velocity = [0, 0, "wz"]
[[contact]]
between = ["ball", "floor"]
friction = "mu"
stiffness = 5e4
damping = 100
PATCH
[observe]
x = "ball.x"
z = "ball.z"
vx = "ball.vx"
wz = "ball.wz"
)";

std::string with(const std::string& patch) {
  std::string text = kBall;
  return text.replace(text.find("PATCH"), 5, patch);
}

ExampleRun run(const std::string& patch, const Settings& settings = {}) {
  return ExampleRun(scene::parse_scene(with(patch), "test.toml", settings));
}

TEST(Patch, OneElementIsTheLumpedContact) {
  const Settings shot = {{"vx", "0.5"}, {"height", "0.02"}};
  const ExampleRun lumped = run("", shot), patch = run("patch = { elements = 1, size = 0.01 }", shot);
  for (const char* name : {"x", "z", "vx", "wz"}) EXPECT_NEAR(patch.at(name), lumped.at(name), 1e-12) << name;
}

// Nothing turns: all elements do the same, and the foundation is as stiff as the lumped contact.
TEST(Patch, PressedEvenlyItIsTheLumpedContact) {
  const Settings drop = {{"height", "0.02"}};
  const double z = run("", drop).at("z");
  EXPECT_NEAR(run("patch = { elements = 3, size = 0.01 }", drop).at("z"), z, 1e-9);
  EXPECT_NEAR(run("patch = { elements = 3, size = 0.01, coupling = 0.7 }", drop).at("z"), z, 1e-9);
}

// A ball that spins about the normal. Every element slides on its circle: torque mu N times the mean distance. A lumped
// contact does not resist at all.
TEST(Patch, SpinningBallIsBrakedByThePatch) {
  const double size = 0.01, mu = 0.3, I = 0.4 * 0.2 * 0.05 * 0.05, w0 = 20;
  double mean = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) mean += std::hypot(size * (i - 1.5) / 4, size * (j - 1.5) / 4) / 16;
  const double braking = mu * 0.2 * 9.8 * mean / I;
  const Settings spin = {{"wz", "20"}, {"height", "-3.92e-5"}};  // where the spring bears the weight
  EXPECT_NEAR(run("patch = { elements = 4, size = 0.01 }", spin).at("wz"), w0 - braking * 0.2,
              5e-3 * braking * 0.2);  // the tangential springs load first
  EXPECT_EQ(run("", spin).at("wz"), w0);
}

TEST(Patch, MatricesThatAreWrittenOutGiveTheFoundation) {
  // Two by two, k = 5e4 / 4 each, coupled by 0.5 with the two neighbours.
  const std::string own = "2.5e4", side = "-6250";
  const std::string K =
      fmt::format("[[{0}, {1}, {1}, 0], [{1}, {0}, 0, {1}], [{1}, 0, {0}, {1}], [0, {1}, {1}, {0}]]", own, side);
  const Settings shot = {{"vx", "0.5"}, {"wz", "10"}, {"height", "0.01"}};
  const ExampleRun foundation = run("patch = { elements = 2, size = 0.01, coupling = 0.5 }", shot);
  const ExampleRun matrices = run("patch = { elements = 2, size = 0.01, coupling = 0.5, stiffness = { normal = " + K +
                                      ", tangential = " + K + " } }",
                                  shot);
  for (const char* name : {"x", "z", "vx", "wz"}) EXPECT_NEAR(matrices.at(name), foundation.at(name), 1e-9) << name;
}

// Block-diagonal, the matrix over all directions is the two apart.
TEST(Patch, MatricesOfAllDirectionsWithoutCouplingAreTheTwoApart) {
  const Settings shot = {{"vx", "0.5"}, {"wz", "10"}, {"height", "0.01"}};
  const auto diagonal = [](int n, double k) {
    std::string rows;
    for (int i = 0; i < n; ++i) {
      rows += i == 0 ? "[" : ", [";
      for (int j = 0; j < n; ++j) rows += fmt::format("{}{}", j == 0 ? "" : ", ", i == j ? k : 0.0);
      rows += "]";
    }
    return "[" + rows + "]";
  };
  const ExampleRun apart = run("patch = { elements = 2, size = 0.01 }", shot);
  const ExampleRun all = run("patch = { elements = 2, size = 0.01, stiffness = { all = " + diagonal(12, 5e4 / 4) +
                                 " }, damping = { all = " + diagonal(12, 25) + " } }",
                             shot);
  for (const char* name : {"x", "z", "vx", "wz"}) EXPECT_NEAR(all.at(name), apart.at(name), 1e-9) << name;
}

// A particle set on fibres that lean. It comes to rest without shear force, and sticks all the way:
//     delta = K^-1 (m g, 0)     sinks by c m g / (a c - b^2), and moves sideways by b m g / (a c - b^2).
// Either order of the bodies turns normal and tangent alike: the same side.
constexpr const char* kFibres = R"toml(
dimension = 2
gravity = [0, -10]
duration = 1
[parameters]
a = 2000
b = 600
c = 1000
[method]
stepper = "song-pang-kumar"
step = 1e-3
FIRST
SECOND
[[contact]]
between = ["particle", "floor"]
friction = 2
[contact.patch]
elements = 1
size = 0.01
stiffness = { all = [["a", "b"], ["b", "c"]] }
damping = { all = [["a / 20", "b / 20"], ["b / 20", "c / 20"]] }
[observe]
x = "particle.x"
y = "particle.y"
sticks = "sticking(particle, floor)"
)toml";

TEST(Patch, LeaningFibresAnswerAPressWithASidewaysStep) {
  const std::string floor = "[[body]]\nname = \"floor\"\nshape = { half-plane = { normal = [0, 1] } }\nfixed = true";
  const std::string particle = "[[body]]\nname = \"particle\"\nshape = \"particle\"\nmass = 0.5";
  double side = 0;
  for (const bool floor_first : {true, false})
    for (const char* b : {"600", "-600", "0"}) {
      std::string text = kFibres;
      text.replace(text.find("FIRST"), 5, floor_first ? floor : particle);
      text.replace(text.find("SECOND"), 6, floor_first ? particle : floor);
      const ExampleRun rest(scene::parse_scene(text, "fibres.toml", Settings{{"b", b}}));
      const double lean = std::stod(b), load = 0.5 * 10, determinant = 2000.0 * 1000 - lean * lean;
      EXPECT_NEAR(rest["y"], -1000 * load / determinant, 1e-8) << b;
      EXPECT_NEAR(std::fabs(rest["x"]), std::fabs(lean) * load / determinant, 1e-8) << b;
      EXPECT_EQ(rest["sticks"], 1) << b;
      if (side == 0) side = rest["x"] / lean;
      if (lean != 0) {
        EXPECT_GT(side * lean * rest["x"], 0) << b << (floor_first ? ", floor first" : ", particle first");
      }
    }
}

std::string rejection(const std::string& text, const Settings& settings = {}) {
  try {
    (void)scene::parse_scene(text, "test.toml", settings);
  } catch (const scene::SceneError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Patch, BadMatricesOfAllDirectionsAreRejected) {
  EXPECT_THAT(rejection(with("patch = { elements = 1, size = 0.01, stiffness = { all = [[1, 0], [0, 1]] } }")),
              HasSubstr("3 rows of 3 numbers, one for each direction of each element"));
  EXPECT_THAT(
      rejection(with("patch = { elements = 1, size = 0.01, stiffness = { all = [[1, 2, 0], [2, 1, 0], [0, 0, 1]] } }")),
      HasSubstr("not positive definite"));
  EXPECT_THAT(
      rejection(with("patch = { elements = 1, size = 0.01, damping = { all = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] } }")),
      HasSubstr("'all' in one of stiffness and damping only"));
  EXPECT_THAT(
      rejection(with("patch = { elements = 1, size = 0.01, stiffness = { all = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "
                     "normal = [[1]], tangential = [[1]] } }")),
      HasSubstr("leave one of them out"));
}

TEST(Patch, BadMatricesAreRejected) {
  const auto stiffness = [](const std::string& rows) {
    return with("patch = { elements = 2, size = 0.01, stiffness = { normal = " + rows + ", tangential = " + rows +
                " } }");
  };
  EXPECT_THAT(rejection(stiffness("[[1, 2, 0, 0], [2, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]")),
              HasSubstr("not positive definite (its least eigenvalue is -1)"));
  EXPECT_THAT(rejection(stiffness("[[2, 1, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2]]")),
              HasSubstr("not symmetric"));
  EXPECT_THAT(rejection(stiffness("[[1, 0], [0, 1]]")), HasSubstr("4 rows of 4 numbers"));
  std::string soft = with("patch = { elements = 2, size = 0.01 }");
  soft.replace(soft.find("stiffness = 5e4\ndamping = 100\n"), 30, "");
  EXPECT_THAT(rejection(soft), HasSubstr("has no stiffness"));
}

// Block that slides: the disc of friction has the radius sqrt(mu N (mu N + 2 gamma)).
TEST(SmoothedCone, FrictionIsThatOfThePaper) {
  const char* const block = R"(
dimension = 2
gravity = [0, -9.8]
duration = 0.1
[parameters]
mu = 0.3
[method]
stepper = "song-pang-kumar"
step = 1e-3
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "particle"
mass = 0.5
shape = "particle"
velocity = [2, 0]
[[contact]]
between = ["particle", "floor"]
friction = "mu"
[observe]
vx = "particle.vx"
)";
  const double limit = 0.3 * 0.5 * 9.8;
  for (const double gamma : {0.0, 1e-8, 0.1, 2.0}) {
    const double friction = std::sqrt(limit * (limit + 2 * gamma));
    const Settings smooth = {{"method.gamma", fmt::format("{}", gamma)}};
    const ExampleRun end(scene::parse_scene(block, "test.toml", smooth));
    EXPECT_NEAR(end.at("vx"), 2 - friction / 0.5 * 0.1, 1e-9) << gamma;
  }
  EXPECT_THAT(rejection(block, {{"method.gamma", "1e-8"}, {"method.stepper", "implicit"}}), HasSubstr("gamma"));
}

TEST(SmoothedCone, SmallGammaChangesLittle) {
  const double exact = ExampleRun("bounce", {{"method.stepper", "song-pang-kumar"}}).at("x");
  EXPECT_NEAR(ExampleRun("bounce", {{"method.gamma", "1e-8"}}).at("x"), exact, 1e-7);
}

// Divided steps are short where the ball touches; fixed ones of about the same error are short everywhere.
TEST(GapStep, DividedStepsResolveImpactsOnly) {
  const double truth = .368392538;  // x of the ball of Song, Trinkle, Kumar and Pang 2004, damping 14.142
  const auto end = [](const char* step, const char* gap_step) {
    return ExampleRun("bounce",
                      {{"method.stepper", "song-pang-kumar"}, {"method.step", step}, {"method.gap_step", gap_step}});
  };
  const ExampleRun coarse = end("1e-3", "2e-5"), fine = end("1e-3", "1e-5"), fixed = end("2e-5", "0");
  const double e_coarse = std::fabs(coarse.at("x") - truth), e_fine = std::fabs(fine.at("x") - truth);
  EXPECT_LT(e_fine, 0.7 * e_coarse);
  EXPECT_LT(e_fine, 1.5 * std::fabs(fixed.at("x") - truth));
  EXPECT_LT(fine.simulation().counters().sub_steps, fixed.simulation().counters().steps / 5);
}

TEST(Compliance, RigidAndCompliantContactsInOneScene) {
  const char* const two = R"(
dimension = 2
gravity = [0, -9.8]
duration = 1
[method]
stepper = "song-pang-kumar"
step = 1e-4
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "soft"
mass = 1
shape = { disc = 0.1 }
position = [0, 0.1]
[[body]]
name = "hard"
mass = 1
shape = { disc = 0.1 }
position = [1, 0.2]
[[contact]]
between = ["soft", "floor"]
stiffness = 1e3
damping = 60
[[contact]]
between = ["hard", "floor"]
restitution = 0.5
[observe]
soft = "soft.y"
hard = "hard.y"
)";
  const ExampleRun end(scene::parse_scene(two, "test.toml", {}));
  EXPECT_NEAR(end.at("soft"), 0.1 - 9.8 / 1e3, 1e-9);
  EXPECT_NEAR(end.at("hard"), 0.1, 1e-9);
  EXPECT_GT(end.simulation().counters().events, 3);
}

}  // namespace
}  // namespace stickslip::testing
