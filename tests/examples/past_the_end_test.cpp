// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What flies past the end of a face does not meet the plane of that face (stepping/touch_place.h). A thin paddle turns
// at constant speed and hits a disc or ball at rest, once. Event-driven: with D the distance of the ball from the axis,
//
//     sin(angle between ball and face at the impact) = (b + r) / D,    s = sqrt(D^2 - (b + r)^2) along the face
//     speed after it: (1 + e) w s, along the normal of the face
//
// and nothing afterwards, as long as a ball that flies straight stays off a turning rectangle: sampled here, without the
// code of the simulator. The plane of the face catches up with most of these balls.
#include "tests/support/example_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace stickslip::testing {
namespace {

struct Paddle {
  double half_length, half_width, radius, x, y, w, e, duration;
  double speed = 0;  // of the ball at the end
};

// Does the ball, sent off by the paddle, stay off it for the rest of the time? Does the line of the face reach it?
bool is_hit_once(Paddle& p) {
  constexpr int kSamples = 20000;
  const double distance = std::hypot(p.x, p.y), reach = p.half_width + p.radius;
  if (!(distance > reach)) return false;
  const double s = std::sqrt(distance * distance - reach * reach);
  const double angle = std::atan2(p.y, p.x) - std::asin(reach / distance), begin = angle / p.w;
  if (s > p.half_length - 1e-3 || !(begin > 0.01 / p.w) || begin > 0.8 * p.duration) return false;
  p.speed = (1 + p.e) * p.w * s;
  const double vx = -p.speed * std::sin(angle), vy = p.speed * std::cos(angle);
  bool line_catches_up = false;
  for (int k = kSamples / 100; k <= kSamples; ++k) {
    const double t = (p.duration - begin) * k / kSamples, turn = p.w * (begin + t);
    const double x = p.x + vx * t, y = p.y + vy * t;
    const double along = std::fabs(std::cos(turn) * x + std::sin(turn) * y),
                 up = std::cos(turn) * y - std::sin(turn) * x;
    const double off = std::hypot(std::max(0.0, along - p.half_length), std::max(0.0, std::fabs(up) - p.half_width));
    if (off < 1.01 * p.radius) return false;
    line_catches_up |= up < p.radius;
  }
  return line_catches_up;
}

Paddle random_paddle(std::mt19937& random) {
  const auto between = [&](double a, double b) { return std::uniform_real_distribution(a, b)(random); };
  for (;;) {
    Paddle p{};
    p.half_length = between(0.3, 1.2);
    p.half_width = between(0.002, 0.02);
    p.radius = between(0.01, 0.05);
    p.x = between(0.2, 1) * p.half_length;
    p.y = between(0.1, 0.6) * p.half_length;
    p.w = between(2, 40);
    p.e = between(0.2, 1);
    p.duration = 2.8 / p.w;
    if (is_hit_once(p)) return p;
  }
}

void expect_one_impact(const Paddle& p, int dimension, const char* stepper, const char* step) {
  const bool plane = dimension == 2;
  const std::string text = fmt::format(
      R"(
dimension = {}
duration = {:.17g}
[[body]]
name = "paddle"
shape = {{ box = [{:.17g}, {:.17g}{}] }}
motion = {{ {}angle = "{:.17g} * t" }}
[[body]]
name = "b"
mass = 0.2
shape = {{ {} = {:.17g} }}
position = [{:.17g}, {:.17g}{}]
[[contact]]
between = ["*", "*"]
restitution = {:.17g}
[observe]
v = "b.speed"
)",
      dimension, p.duration, 2 * p.half_length, 2 * p.half_width, plane ? "" : ", 0.4",
      plane ? "" : "axis = [0, 0, 1], ", p.w, plane ? "disc" : "sphere", p.radius, p.x, p.y, plane ? "" : ", 0", p.e);
  SCOPED_TRACE(fmt::format("{} {}\n{}", stepper, step, text));
  const ExampleRun run(scene::parse_scene(text, "paddle.toml", with(stepper, step)));
  EXPECT_NEAR(run["v"], p.speed, 1e-6 * p.speed);
}

TEST(PastTheEnd, RandomPaddlesHitDiscsOnce) {
  std::mt19937 random(71);
  for (int k = 0; k < 60; ++k) {
    const Paddle paddle = random_paddle(random);
    for (const char* step : {"1e-2", "2.3e-3"}) expect_one_impact(paddle, 2, "second-order", step);
  }
}

TEST(PastTheEnd, RandomPaddlesHitBallsOnce) {
  std::mt19937 random(72);
  for (int k = 0; k < 30; ++k) expect_one_impact(random_paddle(random), 3, "second-order", "5e-3");
}

// What leaves past the end of one face may meet the same body elsewhere: a particle slides off a table and lands on the
// step below, whose height and its own speed are all that is left.
TEST(PastTheEnd, ParticleThatLeftATableLandsOnTheStepBelow) {
  for (const char* step : {"5e-2", "1e-2", "1e-3"}) {
    const ExampleRun run(scene::parse_scene(R"(
dimension = 2
gravity = [0, -9.81]
duration = 0.6
[[body]]
name = "table"
fixed = true
shapes = [{ box = [2, 0.1], offset = [-1, -0.05] }, { box = [4, 0.1], offset = [2, -0.35] }]
[[body]]
name = "b"
mass = 1
shape = "particle"
position = [-0.0503, 0]
velocity = [1, 0]
[[contact]]
between = ["*", "*"]
[observe]
y = "b.y"
vx = "b.vx"
)",
                                            "steps.toml", with("second-order", step)));
    EXPECT_NEAR(run["y"], -0.3, 1e-9) << step;
    EXPECT_NEAR(run["vx"], 1, 1e-9) << step;
  }
}

}  // namespace
}  // namespace stickslip::testing
