// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Problems of mechanics textbooks in the plane.
#include "tests/support/textbook.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace stickslip::testing {
namespace {

const std::string kPlane = R"scene(
dimension = 2
gravity = [0, -9.81]
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
)scene";

// duration and the like must stand above the first table.
std::string planar(const std::string& top, const std::string& rest) {
  return top + kPlane + rest;
}

// A uniform ladder slides down a smooth wall, phi from the vertical: phi'^2 = 3 g / L (cos phi0 - cos phi); it leaves
// the wall where cos phi = 2/3 cos phi0. Time by quadrature: phi0 = 0.3, L = 2.
TEST(Textbook, LadderLeavesTheWallAtTwoThirdsOfItsHeight) {
  const std::string ladder = planar("duration = 0.7", R"scene(
[[body]]
name = "wall"
shape = { half-plane = { normal = [1, 0] } }
fixed = true
[[body]]
name = "ladder"
mass = 3
inertia = 1
shape = { points = [[0, -1], [0, 1]] }
position = ["sin(0.3)", "cos(0.3)"]
angle = 0.3
[observe]
parted = "first_time(t > 0 && !touching(ladder, wall))"
)scene");
  expect_truth(ladder, {{"parted", 0.6505625541, 5, 2e-6}});  // second order: 2 h^2
}

// ... and does not slide at all with friction mu at the floor and nu at the wall when tan(angle) is at least
// (1 - mu nu) / (2 mu).
TEST(Textbook, LadderHoldsUpToTheAngleOfFriction) {
  const std::string ladder = planar("duration = 0.2", R"scene(
[parameters]
more = 0
a = "atan((1 - 0.3 * 0.2) / (2 * 0.3)) + more"
[[body]]
name = "wall"
shape = { half-plane = { normal = [1, 0] } }
fixed = true
[[body]]
name = "ladder"
mass = 3
inertia = 1
shape = { points = [[-1, 0], [1, 0]] }
position = ["cos(a)", "sin(a)"]
angle = "pi - a"
[[contact]]
between = ["ladder", "floor"]
friction = 0.3
[[contact]]
between = ["ladder", "wall"]
friction = 0.2
[observe]
turned = "max_over_time(abs(ladder.wz)) > 1e-7"
)scene");
  expect_truth(ladder, {{"turned", 0, 0, 0}}, {{"more", "1e-4"}});
  expect_truth(ladder, {{"turned", 1, 0, 0}}, {{"more", "-1e-4"}});
}

// Block (m) on a wedge (M) of angle a, no friction: the wedge recedes with m g sin a cos a / (M + m sin^2 a).
TEST(Textbook, WedgeRecedesUnderTheBlock) {
  const double a = std::numbers::pi / 6, s = std::sin(a), c = std::cos(a), recede = kG * s * c / (4 + s * s);
  const double down = 5 * kG * s / (4 + s * s);  // of the block along the slope, seen from the wedge
  const std::string wedge = planar("duration = 0.5", R"scene(
[parameters]
a = "30 deg"
[[body]]
name = "wedge"
mass = 4
shape = { polygon = [[0, 0], ["1.5 / tan(a)", 0], [0, 1.5]] }
[[body]]
name = "block"
mass = 1
shape = { box = [0.2, 0.1] }
position = ["0.3 * cos(a) + 0.05 * sin(a)", "1.5 - 0.3 * sin(a) + 0.05 * cos(a)"]
angle = "-a"
[observe]
wedge_x = "wedge.x - initial(wedge.x)"
block_x = "block.x - initial(block.x)"
block_y = "block.y - initial(block.y)"
)scene");
  expect_truth(wedge, {{"wedge_x", -recede / 8, 1, 1e-12},
                       {"block_x", (down * c - recede) / 8, 2, 1e-12},
                       {"block_y", -down * s / 8, 1, 1e-12}});
}

// A tall box is pushed at its centre, slowly more and more: it holds up to mu_s m g although its rear corner, alone,
// could not bear half of the force; then it slides with mu_k.
TEST(Textbook, BoxOnTwoCornersHoldsUpToStaticFriction) {
  const std::string box = planar("duration = 1", R"scene(
[parameters]
push = 4.8
[[body]]
name = "box"
mass = 1
shape = { box = [0.3, 0.5] }
position = [0, 0.25]
force = ["push * min(2 * t, 1)", 0]
[[contact]]
between = ["box", "floor"]
friction = { static = 0.5, kinetic = 0.3 }
[observe]
x = "box.x"
slips = "first_time(box.vx > 1e-9)"
)scene");
  expect_truth(box, {{"x", 0, 1e-10, 1e-13}});
  expect_truth(box, {{"slips", 0.5 * 0.5 * kG / 5, 3, 3e-3}}, {{"push", "5"}});
}

// Pulled at the lowest of three boxes: the uppermost slips, the two below stay together.
TEST(Textbook, StackOfThreeSlipsWhereFrictionIsExhausted) {
  const double together = (20 - 0.1 * 6 * kG - 0.2 * kG) / 5;
  const std::string stack = planar("duration = 0.5", R"scene(
[[body]]
name = "low"
mass = 3
shape = { box = [2, 0.1] }
position = [0, 0.05]
force = [20, 0]
[[body]]
name = "mid"
mass = 2
shape = { box = [1, 0.1] }
position = [0, 0.15]
[[body]]
name = "top"
mass = 1
shape = { box = [0.4, 0.1] }
position = [0, 0.25]
[[contact]]
between = ["low", "floor"]
friction = 0.1
[[contact]]
between = ["mid", "low"]
friction = 0.3
[[contact]]
between = ["top", "mid"]
friction = 0.2
[observe]
top = "top.x"
mid = "mid.x"
low = "low.x"
)scene");
  expect_truth(stack,
               {{"top", 0.2 * kG / 8, 1, 1e-12}, {"mid", together / 8, 1, 1e-12}, {"low", together / 8, 1, 1e-12}});
}

// Spring k, mass m, Coulomb friction: each half swing loses 2 mu m g / k; it rests at the first turning point within
// mu m g / k. 1 -> 0.9019 ... -> 0.019 with k = 60, m = 1.5, mu = 0.2.
TEST(Textbook, SpringWithDryFrictionRestsWhereTheHalfSwingsEnd) {
  const std::string spring = planar("duration = 5.5", R"scene(
[[body]]
name = "block"
mass = 1.5
shape = { box = [0.4, 0.1] }
position = [1, 0.05]
force = ["-60 * block.x", 0]
[[contact]]
between = ["block", "floor"]
friction = 0.2
[observe]
x = "block.x"
sticks = "sticking(block, floor)"
)scene");
  expect_truth(spring, {{"x", 0.019, 60, 1e-6}, {"sticks", 1, 0, 0}});
}

// Two discs meet obliquely with friction and restitution, the first spinning: normal impulse (1 + e) m u_n, tangential
// one that stops the slip or mu times the normal one. Central: the three laws of impact agree.
TEST(Textbook, DiscsCollideObliquely) {
  const double m1 = 1, m2 = 2.5, r1 = 0.1, r2 = 0.15, e = 0.7, v = 3, w = 5, c = std::cos(0.5), s = std::sin(0.5);
  const double u_n = v * c, u_t = -v * s + w * r1;  // of the point of contact
  const double normal = (1 + e) * u_n / (1 / m1 + 1 / m2);
  for (const double mu : {0.02, 0.8}) {
    const double stop = u_t / (3 / m1 + 3 / m2);
    const double tangential = std::copysign(std::min(std::fabs(stop), mu * normal), stop);
    const std::string discs = R"scene(
dimension = 2
duration = 0.2
[parameters]
mu = 0
[[body]]
name = "a"
mass = 1
shape = { disc = 0.1 }
position = [-0.37, 0]
velocity = [3, 0]
angular_velocity = 5
[[body]]
name = "b"
mass = 2.5
shape = { disc = 0.15 }
position = ["0.25 * cos(0.5)", "0.25 * sin(0.5)"]
[[contact]]
between = ["a", "b"]
friction = "mu"
restitution = 0.7
[observe]
vx = "a.vx"
vy = "a.vy"
wa = "a.wz"
wb = "b.wz"
)scene";
    expect_truth(discs,
                 {{"vx", v - (normal * c - tangential * s) / m1, 40, 1e-9},
                  {"vy", -(normal * s + tangential * c) / m1, 40, 1e-9},
                  {"wa", w - 2 * tangential / (m1 * r1), 100, 1e-9},
                  {"wb", -2 * tangential / (m2 * r2), 100, 1e-9}},
                 {{"mu", digits(mu)}});
  }
}

// A disc as thin as a coin rolls on its rim in a steady circle; tilt, precession and spin balance (the numbers solve
// A ball meets a vibrating plate: v+ = v_plate - e (v- - v_plate) at the root of 0.3 - g t^2 / 2 = 0.02 sin 20 t.
TEST(Textbook, BallBouncesOffAMovingPlate) {
  double t = 0.25;
  for (int k = 0; k < 50; ++k)
    t -= (0.3 - kG / 2 * t * t - 0.02 * std::sin(20 * t)) / (-kG * t - 0.4 * std::cos(20 * t));
  const double plate = 0.4 * std::cos(20 * t), after = plate + 0.6 * (kG * t + plate);
  const std::string plate_and_ball = R"scene(
dimension = 2
gravity = [0, -9.81]
duration = 0.3
[[body]]
name = "plate"
shape = { half-plane = { normal = [0, 1] } }
motion = { position = [0, "0.02 * sin(20 * t)"] }
[[body]]
name = "ball"
mass = 1
shape = { disc = 0.1 }
position = [0, 0.4]
[[contact]]
between = ["*", "*"]
restitution = 0.6
[observe]
y = "ball.y"
vy = "ball.vy"
)scene";
  const double rest = 0.3 - t;
  expect_truth(plate_and_ball, {{"y", 0.1 + 0.02 * std::sin(20 * t) + after * rest - kG / 2 * rest * rest, 10, 1e-10},
                                {"vy", after - kG * rest, 100, 1e-9}});
}

// A rod without weight whose end reaches the floor just when a step ends: Newton's law, p = (1 + e) v / (1/m + x^2/I).
TEST(Textbook, ImpactThatFallsOnTheEndOfAStepKeepsItsRestitution) {
  const std::string rod = R"scene(
dimension = 2
duration = 0.05
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "rod"
mass = 1
inertia = "1 / 12"
shape = { points = [[-0.5, 0], [0.5, 0]] }
position = [0, "0.02 + 0.5 * sin(0.6)"]
angle = 0.6
velocity = [0, -2]
[[contact]]
between = ["*", "*"]
restitution = 0.7
[observe]
vy = "rod.vy"
touched = "first_time(touching(rod, floor))"
)scene";
  const double x = 0.5 * std::cos(0.6), vy = -2 + 1.7 * 2 / (1 + 12 * x * x);
  // Velocities change in the impact alone: exact. The instant is found to rounding of the gap.
  expect_truth(rod, {{"vy", vy, 1e-7, 1e-10}, {"touched", 0.01, 1e-6, 1e-9}});
}

}  // namespace
}  // namespace stickslip::testing
