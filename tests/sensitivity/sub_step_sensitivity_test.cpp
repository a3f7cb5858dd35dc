// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of second-order runs against closed forms, and against Richardson-extrapolated central differences of
// whole runs, which share nothing with them but the stepper: 200 random scenes with events. Both agree to 1e-6 of the
// largest derivative of an observable, or to what the differences know of themselves, where the runs beside have the
// same events; where there is a tie, the run says so.
#include "tests/sensitivity/random_scenes.h"
#include "tests/support/paths.h"

#include <filesystem>

namespace stickslip::sensitivity {
namespace {

scene::Document example(const std::string& name) {
  return scene::read_document(std::filesystem::path(tests::kSourceFolder) / "examples" / name / "scene.toml");
}

std::size_t place_of(const scene::Scene& scene, const std::string& observable) {
  std::size_t j = 0;
  while (scene.observables[j].name != observable) ++j;
  return j;
}

// A ball that slides until t_roll = 2 |s| / (7 mu g) and then rolls, s = (vx - r wy, vy + r wx) the slip:
//     x(T) = vx T - 2/7 s_x (T - t_roll / 2),    d x / d mu = -s_x t_roll / (7 mu)
TEST(SubStepSensitivity, BallThatSlidesAndRollsInClosedForm) {
  const scene::Document document = example("ball");
  const ParameterDirections unknowns(document, {}, std::vector<std::string>{"mu", "vx", "ball.vx"});
  ASSERT_EQ(unknowns.scene().method.stepper, "second-order");
  const ObservableDerivatives d = differentiate(unknowns);
  ASSERT_TRUE(d.finished) << d.reason;
  const double sx = 2, sy = 2.5, s = std::hypot(sx, sy), mu = 0.2, g = 9.8, t_roll = 2 * s / (7 * mu * g);
  const std::size_t x = place_of(unknowns.scene(), "x");
  EXPECT_NEAR(d.value(x, 0), -sx * t_roll / (7 * mu), 1e-7) << "-0.666714; rounding of 1000 steps over 1e-6";
  const double by_vx = 1 - 2.0 / 7 * (1 - t_roll / 2) + sx / 7 * t_roll * sx / (s * s);
  EXPECT_NEAR(d.value(x, 1), by_vx, 1e-7);
  EXPECT_NEAR(d.value(x, 2), by_vx, 1e-7);
  const std::size_t t = place_of(unknowns.scene(), "t_roll");
  EXPECT_NEAR(d.value(t, 0), -t_roll / mu, 1e-5) << "the instant is found to 1e-6 of the slip in its sub-step";
  EXPECT_NEAR(d.value(t, 1), t_roll * sx / (s * s), 1e-5);
}

constexpr const char* kBall = R"toml(
dimension = 3
gravity = [0, 0, -9.8]
duration = 0.7
[parameters]
vx = 1
vz = -1
wy = 10
mu = 0.2
e = 0.5
height = 0.3
radius = 0.05
[method]
step = 5e-3
stepper = "second-order"
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "ball"
mass = 0.2
shape = { sphere = "radius" }
position = [0, 0, "radius + height"]
velocity = ["vx", 0.3, "vz"]
angular_velocity = [3, "wy", 1]
[[contact]]
between = ["ball", "floor"]
friction = "mu"
restitution = "e"
[observe]
x = "ball.x"
y = "ball.y"
z = "ball.z"
vx = "ball.vx"
)toml";

constexpr const char* kShaken = R"toml(
dimension = 2
gravity = [0, -9.8]
duration = 0.31
[parameters]
ax = 2e-3
ay = 5e-4
phase = 0.7
mu = 0.3
v0 = 0.05
[method]
step = 1e-3
stepper = "second-order"
[[body]]
name = "plate"
shape = { half-plane = { normal = [0, 1] } }
[body.motion]
position = ["ax * sin(100 * t)", "ay * sin(100 * t + phase)"]
[[body]]
name = "particle"
shape = "particle"
mass = 1
frame = "plate"
position = [0, 0]
velocity = ["v0", 0]
[[contact]]
between = ["particle", "plate"]
friction = "mu"
[observe]
x = "particle.x"
y = "particle.y"
v = "particle.vx"
)toml";

constexpr const char* kDisc = R"toml(
dimension = 2
gravity = ["9.8 * slope", -9.8]
duration = 0.9
[parameters]
slope = 0.1
v0 = -0.5
w0 = 5
mu = 0.2
radius = 0.1
mass = 1
[method]
step = 5e-3
stepper = "second-order"
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "disc"
mass = "mass"
shape = { disc = "radius" }
position = [0, "radius"]
velocity = ["v0", 0]
angular_velocity = "w0"
[[contact]]
between = ["disc", "floor"]
friction = "mu"
[observe]
x = "disc.x"
angle = "disc.angle"
w = "disc.wz"
)toml";

constexpr const char* kBlock = R"toml(
dimension = 2
gravity = ["9.8 * slope", -9.8]
duration = 0.5
[parameters]
slope = 0.1
v0 = 1
mu = 0.3
mass = 2
[method]
step = 5e-3
stepper = "second-order"
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "block"
mass = "mass"
shape = { box = [0.2, 0.1] }
position = [0, 0.05]
velocity = ["v0", 0]
[[contact]]
between = ["block", "floor"]
friction = "mu"
[observe]
x = "block.x"
v = "block.vx"
)toml";

// Slip begins and ends in all directions of the plate, several times in each of its periods.
constexpr const char* kPlate = R"toml(
dimension = 3
gravity = [0, 0, -980.665]
duration = 0.13
[parameters]
A1 = 3
A2 = -4
A3 = 8
A4 = 100
A6 = 100
C1 = 1
C4 = 0.5
mu = 0.3
x0 = 4
[method]
step = 2e-4
stepper = "second-order"
[[body]]
name = "plate"
shape = { half-space = { normal = [0, 0, 1] } }
[body.motion]
symmetric = true
acceleration = ["100 * A1 * sin(66*pi * t + C1)", "100 * A2 * sin(66*pi * t)", "-100 * A3 * cos(66*pi * t)"]
angular_acceleration = ["A4 * sin(66*pi * t + C4)", 0, "A6 * sin(66*pi * t)"]
[[body]]
name = "particle"
shape = "particle"
mass = 1
frame = "plate"
position = ["x0", 0, 0]
[[contact]]
between = ["particle", "plate"]
friction = "mu"
[observe]
x = "particle.x"
y = "particle.y"
vx = "particle.vx"
)toml";

constexpr const char* kBallOnPlate = R"toml(
dimension = 3
gravity = [0, 0, -9.8]
duration = 0.31
[parameters]
ax = 2e-3
az = 5e-4
phase = 0.7
tilt = 2
mu = 0.2
vy = 0.3
radius = 0.05
[method]
step = 1e-3
stepper = "second-order"
[[body]]
name = "plate"
shape = { half-space = { normal = [0, 0, 1] } }
[body.motion]
position = ["ax * sin(100 * t)", 0, "az * sin(100 * t + phase)"]
angular_velocity = ["tilt * 0.05 * cos(60 * t)", 0, 0]
[[body]]
name = "ball"
shape = { sphere = "radius" }
mass = 0.2
position = [0, 0, "radius + az * sin(phase)"]
velocity = [0, "vy", "100 * az * cos(phase)"]
angular_velocity = [0, 0, 2]
[[contact]]
between = ["ball", "plate"]
friction = "mu"
[observe]
x = "ball.x"
y = "ball.y"
wy = "ball.wy"
)toml";

const std::vector<Family>& families() {
  static const std::vector<Family> list{
      {"ball that bounces, slides and rolls",
       kBall,
       {"vx", "vz", "wy", "mu", "e", "height", "radius"},
       {{0.2, 2}, {-2, 0}, {-40, 40}, {0.1, 0.6}, {0.1, 0.8}, {0.05, 0.5}, {0.03, 0.1}},
       5e-4},
      {"particle on a shaken plate",
       kShaken,
       {"ax", "ay", "phase", "mu", "v0"},
       {{2e-4, 4e-3}, {1e-4, 1.5e-3}, {0.1, 3}, {0.1, 0.6}, {-0.3, 0.3}},
       5e-5},
      {"disc on a slope",
       kDisc,
       {"slope", "v0", "w0", "mu", "radius", "mass"},
       {{0.02, 0.5}, {-1, 1}, {-20, 20}, {0.05, 0.5}, {0.05, 0.2}, {0.5, 2}},
       1e-3},
      {"block on a slope", kBlock, {"slope", "v0", "mu", "mass"}, {{0.02, 0.5}, {0.2, 2}, {0.05, 0.8}, {0.5, 2}}, 1e-3},
      {"particle on a plate that vibrates in space",
       kPlate,
       {"A1", "A2", "A3", "A4", "A6", "C1", "C4", "mu", "x0"},
       {{-6, 6}, {-6, 6}, {4, 9}, {-150, 150}, {-200, 200}, {0.1, 6}, {0.1, 6}, {0.1, 0.5}, {2, 6}},
       1e-5},
      {"ball on a plate that vibrates in space",
       kBallOnPlate,
       {"ax", "az", "phase", "tilt", "mu", "vy", "radius"},
       {{2e-4, 4e-3}, {1e-5, 5e-4}, {0.1, 3}, {0.1, 3}, {0.05, 0.4}, {-0.3, 0.3}, {0.03, 0.1}},
       1e-5}};
  return list;
}

TEST(SubStepSensitivity, RandomScenesAgainstDifferencesOfRunsSlow) {
  Tally all;
  for (const Family& family : families()) {
    const Tally tally = compare_family(family, 50);
    all.compared += tally.compared;
    all.with_events += tally.with_events;
  }
  EXPECT_GE(all.compared, 160) << "of 200; the others end at a tie, or differ in their events beside the run";
  EXPECT_GE(all.with_events, 120);
}

std::string reason_of(const std::string& text, const Settings& settings) {
  const ParameterDirections unknowns(scene::parse_document(text, "tie.toml"), settings, std::vector<std::string>{"mu"});
  const ObservableDerivatives d = differentiate(unknowns);
  EXPECT_FALSE(d.finished);
  return d.reason;
}

// With slope = mu the block just holds: it slides for a little less friction, and does not for more.
TEST(SubStepSensitivity, TiesAreTold) {
  const std::string at_the_limit = reason_of(kBlock, {{"slope", "0.3"}, {"mu", "0.3"}, {"v0", "0"}});
  EXPECT_TRUE(at_the_limit.starts_with("tie: ")) << at_the_limit;
  std::string falling = kBlock;
  falling.replace(falling.find("[0, 0.05]"), 9, "[0, 0.10]");
  const std::string flat = reason_of(falling, {{"slope", "0"}});
  EXPECT_EQ(flat, "tie: several contacts meet at one instant");
}

}  // namespace
}  // namespace stickslip::sensitivity
