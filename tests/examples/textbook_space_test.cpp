// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Problems of mechanics textbooks in space.
#include "tests/support/textbook.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace stickslip::testing {
namespace {

// A disc and a ball on a slope roll when mu >= I / (1 + I) tan a (I in units of m r^2), else they slip.
TEST(Textbook, RoundBodiesRollOrSlipDownASlope) {
  const double angle = 35 * std::numbers::pi / 180;
  struct Shape {
    const char* text;
    double inertia;
  };
  for (const Shape& shape :
       {Shape{"{ sphere = 0.1 }", 0.4}, Shape{"{ ellipsoid = [0.1, 0.3, 0.1] }", 0.4},
        Shape{"{ superellipsoid = { semi_axes = [0.1, 0.1, 0.1] } }", 0.4},
        Shape{"{ cylinder = { radius = 0.1, length = 0.3 }, orientation = { axis = [1, 0, 0], angle = '90 deg' } }",
              0.5}}) {
    for (const double share : {0.9, 1.1}) {
      const double mu = share * shape.inertia / (1 + shape.inertia) * std::tan(angle);
      const double rolls = kG * std::sin(angle) / (1 + shape.inertia);
      const double a = share > 1 ? rolls : kG * (std::sin(angle) - mu * std::cos(angle));
      const double spin = share > 1 ? rolls / 0.1 : mu * kG * std::cos(angle) / (shape.inertia * 0.1);
      const std::string slope = R"scene(
dimension = 3
gravity = ["9.81 * sin(35 deg)", 0, "-9.81 * cos(35 deg)"]
duration = 0.5
[parameters]
mu = 0
[[body]]
name = "slope"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "body"
density = 100
shape = )scene" + std::string(shape.text) +
                                R"scene(
position = [0, 0, 0.1]
[[contact]]
between = ["body", "slope"]
friction = "mu"
[observe]
x = "body.x"
spin = "body.wy"
)scene";
      expect_truth(slope, {{"x", a / 8, 2, 1e-10}, {"spin", spin / 2, 1e-6, 1e-9}}, {{"mu", digits(mu)}});
    }
  }
}

// A ball that rolls on a turntable (rate W) runs in a circle with the rate 2/7 W, whatever its radius and mass.
TEST(Textbook, BallOnATurntableRunsInACircle) {
  const double rate = 2.0 / 7 * 2, T = 1, s = std::sin(rate * T) / rate, c = (1 - std::cos(rate * T)) / rate;
  const std::string table = R"scene(
dimension = 3
gravity = [0, 0, -9.81]
duration = 1
[[body]]
name = "table"
shape = { half-space = { normal = [0, 0, 1] } }
motion = { angular_velocity = [0, 0, 2] }
[[body]]
name = "ball"
mass = 0.3
shape = { sphere = 0.05 }
position = [0.2, -0.1, 0.05]
velocity = [0.3, 0.1, 0]
angular_velocity = [6, 2, 1]
[[contact]]
between = ["ball", "table"]
friction = 0.8
[observe]
x = "ball.x"
y = "ball.y"
)scene";
  expect_truth(table, {{"x", 0.2 + 0.3 * s - 0.1 * c, 1, 1e-9}, {"y", -0.1 + 0.3 * c + 0.1 * s, 1, 1e-9}});
}

// A particle slides off a smooth sphere where 3 cos phi = 2 cos phi0; time by quadrature, phi0 = 0.2, R = 1.
TEST(Textbook, ParticleLeavesTheSphere) {
  const std::string sphere = R"scene(
dimension = 3
gravity = [0, 0, -9.81]
duration = 0.75
[[body]]
name = "globe"
shape = { sphere = 1 }
fixed = true
[[body]]
name = "bead"
mass = 1
shape = "particle"
position = ["sin(0.2)", 0, "cos(0.2)"]
[observe]
parted = "first_time(t > 0.01 && !touching(bead, globe))"
)scene";
  expect_truth(sphere, {{"parted", 0.688677865, 3, 5e-6}});
}

// dL/dt = c x F for radius 0.1, thickness 0.02, tilt 0.9 and precession 8). Its height stays.
TEST(Textbook, CoinRollsInASteadyCircle) {
  const double tilt = 0.9, Omega = 8, r = 0.1, half = 0.01, spin = -9.13184587189839;
  const double cx = r * std::cos(tilt) - half * std::sin(tilt), cz = -r * std::sin(tilt) - half * std::cos(tilt);
  const double wx = spin * std::sin(tilt), wz = Omega + spin * std::cos(tilt);
  const double vy = wx * cz - wz * cx;  // -(w x c)_y
  const std::string coin = R"scene(
dimension = 3
gravity = [0, 0, -9.81]
duration = 0.5
[parameters]
height = 0
vy = 0
wx = 0
wz = 0
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "coin"
mass = 1
shape = { cylinder = { radius = 0.1, length = 0.02 } }
position = [0, 0, "height"]
orientation = { axis = [0, 1, 0], angle = 0.9 }
velocity = [0, "vy", 0]
angular_velocity = ["wx", 0, "wz"]
[[contact]]
between = ["coin", "floor"]
friction = 3
[observe]
x = "coin.x"
y = "coin.y"
z = "coin.z"
)scene";
  const double R = vy / Omega, turned = Omega * 0.5;
  expect_truth(
      coin, {{"x", R * (std::cos(turned) - 1), 40, 1e-5}, {"y", R * std::sin(turned), 40, 1e-5}, {"z", -cz, 10, 1e-5}},
      {{"height", digits(-cz)}, {"vy", digits(vy)}, {"wx", digits(wx)}, {"wz", digits(wz)}});
}

// Kilograms, metres and seconds, or anything else: a box that falls on its corner and tumbles ends in the same place.
TEST(Textbook, UnitsDoNotMatter) {
  const std::string box = R"scene(
dimension = 3
gravity = [0, 0, "-9.81 * L / T^2"]
duration = "0.8 * T"
[parameters]
L = 1
M = 1
T = 1
[method]
step = "1e-3 * T"
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "box"
mass = "2 * M"
shape = { box = ["0.2 * L", "0.3 * L", "0.1 * L"] }
position = [0, 0, "0.4 * L"]
orientation = { axis = [1, 1, 0.3], angle = 0.5 }
velocity = ["L / T", "0.3 * L / T", 0]
angular_velocity = ["2 / T", "1 / T", "-3 / T"]
[[contact]]
between = ["*", "*"]
friction = 0.3
[observe]
x = "box.x / L"
y = "box.y / L"
)scene";
  for (const char* stepper : {"stewart-trinkle", "anitescu-potra", "second-order"}) {
    const auto ended = [&](Settings units) {
      units.push_back({"method.stepper", stepper});
      return ExampleRun(scene::parse_scene(box, "units.toml", units));
    };
    const ExampleRun si = ended({});
    for (const Settings& units :
         {Settings{{"L", "1e3"}, {"M", "1e-3"}}, Settings{{"L", "1e6"}, {"M", "1e12"}, {"T", "1e6"}},
          Settings{{"L", "1e-6"}, {"M", "1e-9"}, {"T", "1e-3"}}}) {
      const ExampleRun other = ended(units);
      EXPECT_NEAR(other["x"], si["x"], 1e-7) << stepper;
      EXPECT_NEAR(other["y"], si["y"], 1e-7) << stepper;
    }
  }
}

}  // namespace
}  // namespace stickslip::testing
