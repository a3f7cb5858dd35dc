// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of Runge-Kutta runs against a closed form, and against differences of whole runs of random scenes with
// compliant contacts. Their steps are so short that the error estimate chooses no length: the number of trials that it
// takes for one changes by whole numbers, and runs by the error that a part is allowed.
#include "tests/sensitivity/random_scenes.h"

#include <cmath>
#include <numbers>

namespace stickslip::sensitivity {
namespace {

// A particle that falls onto a spring without damping and leaves it again: with w^2 = k/m, while it touches
//     z = -g/w^2 (1 - cos w t) - v/w sin w t
// it leaves with the speed v = sqrt(2 g H) that it came with, after t_c = 2 (pi - atan(v w / g)) / w. So
//     vz(T) = v - g (T - t_f - t_c),     t_f = sqrt(2 H / g)
TEST(FlowSensitivity, SpringInClosedForm) {
  const scene::Document document = scene::parse_document(R"toml(
dimension = 3
gravity = [0, 0, -9.8]
duration = 0.4
[parameters]
k = 5e3
H = 0.2
[method]
step = 1e-3
stepper = "runge-kutta"
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "particle"
shape = "particle"
mass = 0.5
position = [0, 0, "H"]
[[contact]]
between = ["particle", "floor"]
stiffness = "k"
[observe]
vz = "particle.vz"
)toml",
                                                         "spring.toml");
  const ParameterDirections unknowns(document, {}, std::vector<std::string>{"k", "H"});
  const ObservableDerivatives d = differentiate(unknowns);
  ASSERT_TRUE(d.finished) << d.reason;
  const double g = 9.8, m = 0.5, T = 0.4;
  const auto speed = [&](double k, double H) {
    const double w = std::sqrt(k / m), v = std::sqrt(2 * g * H);
    return v - g * (T - std::sqrt(2 * H / g) - 2 * (std::numbers::pi - std::atan(v * w / g)) / w);
  };
  EXPECT_NEAR(d.values[0], speed(5e3, 0.2), 1e-7);
  const double by_k = (speed(5e3 + 5, 0.2) - speed(5e3 - 5, 0.2)) / 10,
               by_H = (speed(5e3, 0.2 + 2e-4) - speed(5e3, 0.2 - 2e-4)) / 4e-4;
  EXPECT_NEAR(d.value(0, 0) * 5e3, by_k * 5e3, 2e-6) << "of " << by_k * 5e3;
  EXPECT_NEAR(d.value(0, 1) * 0.2, by_H * 0.2, 2e-6) << "of " << by_H * 0.2;
}

constexpr const char* kBall = R"toml(
dimension = 3
gravity = [0, 0, -9.8]
duration = 0.5
[parameters]
vx = 0.5
wy = 20
height = 0.1
mu = 0.2
k = 5e4
c = 14
mass = 0.2
radius = 0.05
[method]
step = 1e-4
stepper = "runge-kutta"
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "ball"
mass = "mass"
shape = { sphere = "radius" }
position = [0, 0, "radius + height"]
velocity = ["vx", 0.3, 0]
angular_velocity = [3, "wy", 1]
[[contact]]
between = ["ball", "floor"]
friction = "mu"
stiffness = "k"
damping = "c"
[observe]
x = "ball.x"
y = "ball.y"
z = "ball.z"
wy = "ball.wy"
)toml";

constexpr const char* kBlock = R"toml(
dimension = 2
gravity = [0, -9.8]
duration = 0.2
[parameters]
ax = 2e-3
ay = 2e-4
phase = 0.7
mu = 0.3
k = 2e4
c = 60
v0 = 0.2
tilt = 0.005
[method]
step = 1e-4
stepper = "runge-kutta"
[[body]]
name = "plate"
shape = { half-plane = { normal = [0, 1] } }
[body.motion]
position = ["ax * sin(100 * t)", "ay * sin(60 * t + phase)"]
[[body]]
name = "block"
mass = 2
shape = { box = [0.2, 0.1] }
position = [0, 0.0515]
angle = "tilt"
velocity = ["v0", 0]
[[contact]]
between = ["block", "plate"]
friction = "mu"
stiffness = "k"
damping = "c"
[observe]
x = "block.x"
y = "block.y"
angle = "block.angle"
)toml";

// A tilted peg between the walls of a hole, pushed down: its corners touch the walls, slide and stick.
constexpr const char* kPeg = R"toml(
dimension = 2
gravity = [0, -9.8]
duration = 0.25
[parameters]
tilt = 0.05
x0 = 0.001
vy = -0.2
w0 = 0.5
mu = 0.3
k = 2e4
c = 30
[method]
step = 1e-3
stepper = "runge-kutta"
[[body]]
name = "left"
shape = { half-plane = { normal = [1, 0], offset = -0.055 } }
fixed = true
[[body]]
name = "right"
shape = { half-plane = { normal = [-1, 0], offset = -0.055 } }
fixed = true
[[body]]
name = "peg"
mass = 1
shape = { box = [0.1, 0.2] }
position = ["x0", 0]
angle = "tilt"
velocity = [0, "vy"]
angular_velocity = "w0"
[[contact]]
between = ["peg", "left"]
friction = "mu"
stiffness = "k"
damping = "c"
[[contact]]
between = ["peg", "right"]
friction = "mu"
stiffness = "k"
damping = "c"
[observe]
x = "peg.x"
y = "peg.y"
angle = "peg.angle"
)toml";

// A box that tumbles onto a soft floor in space.
constexpr const char* kTumbling = R"toml(
dimension = 3
gravity = [0, 0, "-g"]
duration = 0.25
[parameters]
g = 9.8
wx = 2
wy = -3
vx = 0.5
mu = 0.3
k = 2e4
c = 30
[method]
step = 1e-4
stepper = "runge-kutta"
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "box"
mass = 0.5
shape = { box = [0.2, 0.14, 0.1] }
position = [0, 0, 0.16]
velocity = ["vx", 0.2, -0.5]
angular_velocity = ["wx", "wy", 1]
[[contact]]
between = ["box", "floor"]
friction = "mu"
stiffness = "k"
damping = "c"
[observe]
x = "box.x"
y = "box.y"
z = "box.z"
)toml";

// Two soft discs that collide above a soft table that is moved up and down.
constexpr const char* kSoftDiscs = R"toml(
dimension = 2
gravity = [0, -9.8]
duration = 0.4
[parameters]
va = 1
vb = 0.8
wa = 5
mu = 0.3
k = 3e4
c = 20
lift = 1e-2
omega = 30
m = 0.6
[method]
step = 1e-4
stepper = "runge-kutta"
[[body]]
name = "table"
shape = { half-plane = { normal = [0, 1] } }
[body.motion]
position = [0, "lift * sin(omega * t)"]
[[body]]
name = "a"
mass = "m"
shape = { disc = 0.1 }
position = [-0.2, 0.2]
velocity = ["va", 0]
angular_velocity = "wa"
[[body]]
name = "b"
mass = 1
shape = { disc = 0.12 }
position = [0.2, 0.22]
velocity = ["-vb", 0]
[[contact]]
between = ["*", "*"]
friction = "mu"
stiffness = "k"
damping = "c"
[observe]
ax = "a.x"
ay = "a.y"
bx = "b.x"
bw = "b.wz"
)toml";

// A ball on a soft plate that tilts.
constexpr const char* kTilting = R"toml(
dimension = 3
gravity = [0, 0, -9.8]
duration = 0.25
[parameters]
tilt = 0.2
omega = 20
ax = 3e-3
mu = 0.2
k = 2e4
c = 30
vy = 0.3
radius = 0.05
[method]
step = 1e-3
stepper = "runge-kutta"
[[body]]
name = "plate"
shape = { half-space = { normal = [0, 0, 1] } }
[body.motion]
position = ["ax * sin(60 * t)", 0, 0]
angular_velocity = ["tilt * cos(omega * t)", "0.5 * tilt * sin(30 * t)", 0]
[[body]]
name = "ball"
shape = { sphere = "radius" }
mass = 0.2
position = [0, 0, "radius + 1e-3"]
velocity = [0.1, "vy", 0]
angular_velocity = [0, 2, 5]
[[contact]]
between = ["ball", "plate"]
friction = "mu"
stiffness = "k"
damping = "c"
[observe]
x = "ball.x"
y = "ball.y"
z = "ball.z"
wx = "ball.wx"
)toml";

TEST(FlowSensitivity, RandomScenesAgainstDifferencesOfRunsSlow) {
  const std::vector<Family> families{
      {"ball that bounces on a soft floor",
       kBall,
       {"vx", "wy", "height", "mu", "k", "c", "mass", "radius"},
       {{0.2, 2}, {-40, 40}, {0.05, 0.3}, {0.1, 0.5}, {2e4, 1e5}, {5, 40}, {0.1, 0.4}, {0.03, 0.08}},
       1e-5},
      {"block on a soft plate that is shaken",
       kBlock,
       {"ax", "ay", "phase", "mu", "k", "c", "v0", "tilt"},
       {{5e-4, 4e-3}, {5e-5, 5e-4}, {0.1, 3}, {0.1, 0.6}, {1e4, 4e4}, {30, 100}, {-0.4, 0.4}, {2e-3, 8e-3}},
       1e-5},
      {"peg in a hole with soft walls",
       kPeg,
       {"tilt", "x0", "vy", "w0", "mu", "k", "c"},
       {{-0.03, 0.03}, {-1e-3, 1e-3}, {-0.4, 0}, {-1, 1}, {0.05, 0.4}, {1e4, 4e4}, {10, 60}},
       1e-5},
      {"box that tumbles onto a soft floor",
       kTumbling,
       {"g", "wx", "wy", "vx", "mu", "k", "c"},
       {{8, 11}, {-6, 6}, {-6, 6}, {-1, 1}, {0.1, 0.5}, {1e4, 4e4}, {10, 60}},
       1e-5},
      {"two soft discs over a table that moves",
       kSoftDiscs,
       {"va", "vb", "wa", "mu", "k", "c", "lift", "omega", "m"},
       {{0.5, 2}, {0.5, 2}, {-10, 10}, {0.1, 0.5}, {1e4, 6e4}, {5, 40}, {2e-3, 2e-2}, {10, 40}, {0.4, 2}},
       1e-5},
      {"ball on a soft plate that tilts",
       kTilting,
       {"tilt", "omega", "ax", "mu", "k", "c", "vy", "radius"},
       {{0.1, 0.6}, {10, 30}, {1e-3, 6e-3}, {0.1, 0.5}, {1e4, 4e4}, {10, 60}, {-0.5, 0.5}, {0.03, 0.08}},
       1e-5}};
  int compared = 0, with_events = 0;
  for (const Family& family : families) {
    const Tally tally = compare_family(family, 40);
    compared += tally.compared;
    with_events += tally.with_events;
  }
  EXPECT_GE(compared, 200) << "of 240; the others end at a tie, or differ in their events beside the run";
  EXPECT_GE(with_events, 180);
}

}  // namespace
}  // namespace stickslip::sensitivity
