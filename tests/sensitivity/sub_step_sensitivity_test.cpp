// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of second-order runs against closed forms, and against Richardson-extrapolated central differences of
// whole runs, which share nothing with them but the stepper: 200 random scenes with events. Both agree to 1e-6 of the
// largest derivative of an observable, or to what the differences know of themselves, where the runs beside have the
// same events; where there is a tie, the run says so.
#include "stickslip/runs/run.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/sensitivity/scene_sensitivity.h"
#include "tests/support/paths.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <random>

namespace stickslip::sensitivity {
namespace {

using Settings = std::vector<scene::Override>;

scene::Document example(const std::string& name) {
  return scene::read_document(std::filesystem::path(tests::kSourceFolder) / "examples" / name / "scene.toml");
}

struct Outcome {
  std::vector<double> values;
  std::vector<stepping::Event> events;
  std::int64_t solves = 0, sub_steps = 0;
};

// A run with one more trial somewhere is a little elsewhere: the end of a run is smooth in between only.
bool same_events(const Outcome& a, const Outcome& b) {
  if (a.solves != b.solves || a.sub_steps != b.sub_steps) return false;
  return std::ranges::equal(a.events, b.events, [](const stepping::Event& x, const stepping::Event& y) {
    return x.contact == y.contact && x.from == y.from && x.to == y.to;
  });
}

Outcome outcome_of(const scene::Scene& scene) {
  Outcome outcome;
  simulation::Simulation run(scene.model, scene.method);
  EXPECT_TRUE(run.run_until(scene.duration, [&](const simulation::Simulation& now) {
    const auto events = now.last_report().events;
    outcome.events.insert(outcome.events.end(), events.begin(), events.end());
    return true;
  })) << runs::failure_of(run);
  outcome.solves = run.counters().solves;
  outcome.sub_steps = run.counters().sub_steps;
  for (const scene::Observable& one : scene.observables) {
    expression::EvaluationContext context;
    context.time = run.time();
    context.model = &scene.model;
    context.state = &run.state();
    outcome.values.push_back(one.expression.evaluate(context));
  }
  return outcome;
}

struct Difference {
  std::vector<double> values, errors;  // of each observable
  bool same_events = true;
};

// (4 D(s/2) - D(s)) / 3 with its error: a third of their distance, and rounding.
Difference richardson(const scene::Document& document, const Settings& settings, const std::string& parameter,
                      double value, double step, const Outcome& here) {
  Difference result;
  const auto central = [&](double s) {
    std::vector<Outcome> sides;
    for (const double x : {value - s, value + s}) {
      Settings all = settings;
      all.push_back({parameter, fmt::format("{}", x)});
      sides.push_back(outcome_of(scene::make_scene(document, all)));
      result.same_events &= same_events(sides.back(), here);
    }
    std::vector<double> slopes;
    for (std::size_t j = 0; j < here.values.size(); ++j)
      slopes.push_back((sides[1].values[j] - sides[0].values[j]) / (2 * s));
    return slopes;
  };
  const std::vector<double> wide = central(step), narrow = central(0.5 * step);
  for (std::size_t j = 0; j < wide.size(); ++j) {
    result.values.push_back((4 * narrow[j] - wide[j]) / 3);
    result.errors.push_back(std::abs(narrow[j] - wide[j]) / 3 + 1e-13 * std::abs(here.values[j]) / step);
  }
  return result;
}

double value_of(const scene::Scene& scene, const std::string& name) {
  return scene::parameter_named(scene, name).value;
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

struct Family {
  const char* name;
  const char* text;
  std::vector<std::string> parameters;
  std::vector<std::pair<double, double>> ranges;  // of each parameter
  double step;  // of the differences, relative: short where runs jump between trials, long where instants have noise
};

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

struct Tally {
  int compared = 0, with_events = 0, refused = 0, other_events = 0;
  double worst = 0;
  std::map<std::string, int> reasons;
};

void compare(const Family& family, std::mt19937_64& random, Tally& tally) {
  const scene::Document document = scene::parse_document(family.text, "random.toml");
  Settings settings;
  for (std::size_t i = 0; i < family.parameters.size(); ++i) {
    std::uniform_real_distribution<double> between(family.ranges[i].first, family.ranges[i].second);
    settings.push_back({family.parameters[i], fmt::format("{:.6g}", between(random))});
  }
  const ParameterDirections unknowns(document, settings, family.parameters);
  const ObservableDerivatives d = differentiate(unknowns);
  if (!d.finished) {
    ++tally.refused;
    ++tally.reasons[d.reason];
    return;
  }
  const Outcome here = outcome_of(unknowns.scene());
  std::vector<Difference> differences;
  std::vector<double> largest(here.values.size(), 0.0);
  for (const std::string& name : family.parameters) {
    const double value = value_of(unknowns.scene(), name);
    differences.push_back(richardson(document, settings, name, value, family.step * std::abs(value), here));
    for (std::size_t j = 0; j < largest.size(); ++j)
      if (std::isfinite(differences.back().values[j]))
        largest[j] = std::max(largest[j], std::abs(value * differences.back().values[j]));
  }
  std::string text;
  for (const scene::Override& one : settings) text += fmt::format(" --set {}={}", one.name, one.value);
  bool any = false;
  for (std::size_t i = 0; i < family.parameters.size(); ++i) {
    if (!differences[i].same_events) {
      ++tally.other_events;
      continue;
    }
    any = true;
    const double value = std::abs(value_of(unknowns.scene(), family.parameters[i]));
    for (std::size_t j = 0; j < largest.size(); ++j) {
      const double distance = std::abs(d.value(j, i) - differences[i].values[j]) * value;
      const double known = 3 * differences[i].errors[j] * value;
      if (largest[j] > 0 && known < 1e-6 * largest[j]) tally.worst = std::max(tally.worst, distance / largest[j]);
      EXPECT_LE(distance, 1e-6 * largest[j] + known)
          << family.name << ": d " << unknowns.scene().observables[j].name << " / d " << family.parameters[i] << " = "
          << d.value(j, i) << ", by differences " << differences[i].values[j] << " +- " << differences[i].errors[j]
          << text;
    }
  }
  tally.compared += any ? 1 : 0;
  tally.with_events += any && !here.events.empty() ? 1 : 0;
}

TEST(SubStepSensitivity, RandomScenesAgainstDifferencesOfRunsSlow) {
  Tally all;
  for (const Family& family : families()) {
    std::mt19937_64 random(7);
    Tally tally;
    for (int k = 0; k < 50; ++k) compare(family, random, tally);
    fmt::print(
        "{:38} compared {} (with events {}), refused {}, worst distance {:.1e}, parameters with other events {}\n",
        family.name, tally.compared, tally.with_events, tally.refused, tally.worst, tally.other_events);
    for (const auto& [reason, count] : tally.reasons) fmt::print("    {} {}\n", count, reason);
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
