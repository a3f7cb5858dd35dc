// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of second-order runs against closed forms, and against Richardson-extrapolated central differences of
// whole runs, which share nothing with them but the stepper: 600 random scenes. Both agree to 1e-6 of the
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

// Two discs that collide in the air, and then with the floor.
constexpr const char* kDiscs = R"toml(
dimension = 2
gravity = [0, -9.8]
duration = 0.6
[parameters]
va = 1
vb = 1
wa = 5
ha = 0.4
mu = 0.3
e = 0.6
mass = 0.7
[method]
step = 5e-3
stepper = "second-order"
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "a"
mass = "mass"
shape = { disc = 0.1 }
position = [-0.3, "ha"]
velocity = ["va", 0.5]
angular_velocity = "wa"
[[body]]
name = "b"
mass = 1
shape = { disc = 0.12 }
position = [0.3, 0.42]
velocity = ["-vb", 0.3]
[[contact]]
between = ["*", "*"]
friction = "mu"
restitution = "e"
impact = "newton"
[observe]
ax = "a.x"
ay = "a.y"
bx = "b.x"
bw = "b.angle"
)toml";

// A part falls on the rounded end of a protrusion and turns about it.
constexpr const char* kProtrusion = R"toml(
dimension = 2
gravity = [0, -9.8]
duration = 0.3
[parameters]
px = -0.03
py = 0
mu = 0.3
[method]
step = 2e-4
stepper = "second-order"
[[body]]
name = "part"
mass = 0.1
shape = { box = [0.12, 0.03] }
position = [0, 0.1]
[[body]]
name = "protrusion"
shape = { disc = 0.02 }
position = ["px", "py"]
fixed = true
[[contact]]
between = ["part", "protrusion"]
friction = "mu"
[observe]
x = "part.x"
y = "part.y"
angle = "part.angle"
)toml";

// A ball that slides into another one at rest.
constexpr const char* kPool = R"toml(
dimension = 3
gravity = [0, 0, -9.8]
duration = 0.5
[parameters]
vx = 1
offset = 0.01
wy = 10
mu = 0.2
mb = 0.1
e = 0.8
[method]
step = 2e-3
stepper = "second-order"
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "a"
mass = 0.2
shape = { sphere = 0.03 }
position = [0, 0, 0.03]
velocity = ["vx", 0, 0]
angular_velocity = [0, "wy", 0]
[[body]]
name = "b"
mass = 0.25
shape = { sphere = 0.03 }
position = [0.2, "offset", 0.03]
[[contact]]
between = ["a", "floor"]
friction = "mu"
[[contact]]
between = ["b", "floor"]
friction = "mu"
[[contact]]
between = ["a", "b"]
friction = "mb"
restitution = "e"
[observe]
ax = "a.x"
ay = "a.y"
bx = "b.x"
by = "b.y"
)toml";

// A box that slides on four corners.
constexpr const char* kBox = R"toml(
dimension = 3
gravity = ["9.8 * slope", 0, -9.8]
duration = 0.4
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
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "box"
mass = "mass"
shape = { box = [0.2, 0.16, 0.1] }
position = [0, 0, 0.05]
velocity = ["v0", 0, 0]
[[contact]]
between = ["box", "floor"]
friction = "mu"
[observe]
x = "box.x"
vx = "box.vx"
)toml";

// Two boxes on each other, on a plate that is moved to and fro: each stands on two corners.
constexpr const char* kStack = R"toml(
dimension = 2
gravity = [0, -9.8]
duration = 0.3
[parameters]
amplitude = 4e-3
omega = 40
mu1 = 0.3
mu2 = 0.25
m2 = 0.5
[method]
step = 1e-3
stepper = "second-order"
[[body]]
name = "plate"
shape = { half-plane = { normal = [0, 1] } }
[body.motion]
position = ["amplitude * (1 - cos(omega * t))", 0]
[[body]]
name = "lower"
mass = 1
shape = { box = [0.3, 0.1] }
position = [0, 0.05]
[[body]]
name = "upper"
mass = "m2"
shape = { box = [0.2, 0.1] }
position = [0, 0.15]
[[contact]]
between = ["lower", "plate"]
friction = "mu1"
[[contact]]
between = ["upper", "lower"]
friction = "mu2"
[observe]
lower = "lower.x"
upper = "upper.x"
)toml";

std::string with_law(const char* law) {
  std::string text = kDiscs;
  text.replace(text.find("newton"), 6, law);
  return text;
}

const std::vector<Family>& families() {
  static const std::string poisson = with_law("poisson"), stronge = with_law("stronge");
  static const std::vector<std::string> of_discs{"va", "vb", "wa", "ha", "mu", "e", "mass"};
  static const std::vector<std::pair<double, double>> ranges_of_discs{{0.5, 2},   {0.5, 2},   {-10, 10}, {0.35, 0.48},
                                                                      {0.1, 0.5}, {0.2, 0.9}, {0.4, 2}};
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
       1e-5},
      {"two discs that collide, Newton", kDiscs, of_discs, ranges_of_discs, 1e-4},
      {"two discs that collide, Poisson", poisson.c_str(), of_discs, ranges_of_discs, 1e-4},
      {"two discs that collide, Stronge", stronge.c_str(), of_discs, ranges_of_discs, 1e-4},
      {"ball that slides into another one",
       kPool,
       {"vx", "offset", "wy", "mu", "mb", "e"},
       {{0.5, 1.5}, {-0.03, 0.03}, {-30, 30}, {0.1, 0.4}, {0.02, 0.3}, {0.3, 0.95}},
       1e-4},
      {"box on four corners", kBox, {"slope", "v0", "mu", "mass"}, {{0.02, 0.3}, {0.2, 1}, {0.1, 0.6}, {0.5, 2}}, 1e-3},
      {"two boxes on a plate that is shaken",
       kStack,
       {"amplitude", "omega", "mu1", "mu2", "m2"},
       {{2e-3, 8e-3}, {25, 50}, {0.15, 0.4}, {0.1, 0.4}, {0.3, 2}},
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
  EXPECT_GE(all.compared, 480) << "of 600; the others end at a tie, or differ in their events beside the run";
  EXPECT_GE(all.with_events, 350);
}

// The place of what is fixed moves contacts, too.
TEST(SubStepSensitivity, PlaceOfAFixedBodyAgainstDifferencesOfRuns) {
  const std::vector<std::string> unknowns{"px", "py", "mu"};
  const std::vector<std::pair<double, double>> ranges{{-0.055, -0.01}, {-0.01, 0.01}, {0.05, 0.6}};
  std::string soft = kProtrusion;
  soft.replace(soft.find("second-order"), 12, "runge-kutta");
  soft.replace(soft.find("friction = \"mu\""), 15, "friction = \"mu\"\nstiffness = 2e4\ndamping = 20");
  for (const Family& family : {Family{"part that a fixed disc turns over", kProtrusion, unknowns, ranges, 1e-4},
                               Family{"the same, soft", soft.c_str(), unknowns, ranges, 1e-5}}) {
    const Tally tally = compare_family(family, 20);
    EXPECT_GE(tally.compared, 15);
    EXPECT_GE(tally.with_events, 15);
  }
}

// A particle on a plate that moves along x by a Fourier series, and begins and ceases to slip.
std::string series_scene(std::vector<std::string>& names) {
  std::string parameters, motion;
  for (int i = 1; i <= 100; ++i)
    for (const char* wave : {"sin", "cos"}) {
      names.push_back(fmt::format("{}{}", wave[0], i));
      parameters += fmt::format("{} = {:.17g}\n", names.back(), 4.0 * std::sin(7.3 * i + wave[0]) / i);
      motion += fmt::format("{}{}*{}({}*t)", motion.empty() ? "" : "+", names.back(), wave, 5 * i);
    }
  return fmt::format(R"toml(
dimension = 3
gravity = [0, 0, "-g"]
duration = 0.5
[parameters]
g = 9.8
mu = 0.3
{}
[method]
step = 1e-3
stepper = "second-order"
[[body]]
name = "plate"
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
[body.motion]
acceleration = ["{}", 0, 0]
[[body]]
name = "particle"
shape = "particle"
mass = 1
frame = "plate"
position = [0, 0, 0]
[[contact]]
between = ["particle", "plate"]
friction = "mu"
[observe]
x = "particle.x"
v = "particle.vx"
)toml",
                     parameters, motion);
}

// Tangents carried forward for all at once (where a sub-step is differentiated by its inputs) and for one alone (directly),
// one sweep back, and differences of runs.
TEST(SubStepSensitivity, TwoHundredParametersAtOnce) {
  std::vector<std::string> names;
  const scene::Document document = scene::parse_document(series_scene(names), "series.toml");
  ASSERT_EQ(names.size(), 200u);
  names.insert(names.end(), {"mu", "g"});
  const ParameterDirections unknowns(document, {}, names);
  const ObservableDerivatives forward = differentiate(unknowns, 0, {}, TangentSweep::Forward);
  const ObservableDerivatives back = differentiate(unknowns, 0, {}, TangentSweep::Back);
  ASSERT_TRUE(forward.finished) << forward.reason;
  ASSERT_TRUE(back.finished) << back.reason;
  const Outcome here = outcome_of(unknowns.scene());
  EXPECT_GE(here.events.size(), 5u);
  double worst = 0, worst_alone = 0, worst_difference = 0;
  const auto largest = [&](Eigen::Index j) {
    double size = 0;
    for (std::size_t k = 0; k < 200; ++k)
      size = std::max(size, std::abs(forward.derivatives(j, static_cast<Eigen::Index>(k))));
    return size;
  };
  for (Eigen::Index j = 0; j < 2; ++j)
    for (std::size_t k = 0; k < names.size(); ++k) {
      const double size = std::max(largest(j), std::abs(forward.derivatives(j, static_cast<Eigen::Index>(k))));
      worst = std::max(worst, std::abs(back.derivatives(j, static_cast<Eigen::Index>(k)) -
                                       forward.derivatives(j, static_cast<Eigen::Index>(k))) /
                                  size);
    }
  EXPECT_LE(worst, 1e-10);
  int compared = 0;
  for (std::size_t k = 0; k < 200; k += 5) {
    const ObservableDerivatives one = differentiate(ParameterDirections(document, {}, std::vector{names[k]}));
    ASSERT_TRUE(one.finished) << one.reason;
    worst_alone = std::max(worst_alone, std::abs(one.value(0, 0) - forward.value(0, k)) / largest(0));
    const double value = value_of(unknowns.scene(), names[k]);
    const Difference difference = richardson(document, {}, names[k], value, 1e-4, here);
    if (!difference.same_events) continue;
    ++compared;
    const double distance = std::abs(difference.values[0] - back.value(0, k));
    if (3 * difference.errors[0] < 1e-6 * largest(0))
      worst_difference = std::max(worst_difference, distance / largest(0));
    EXPECT_LE(distance, 1e-6 * largest(0) + 3 * difference.errors[0]) << names[k];
  }
  EXPECT_LE(worst_alone, 1e-10);
  fmt::print(
      "202 unknowns, {} events: back against forward {:.1e}, all against one {:.1e}, {} differences of runs {:.1e}\n",
      here.events.size(), worst, worst_alone, compared, worst_difference);
  EXPECT_GE(compared, 10);
}

// Flights, impacts and slip of several bodies: back as forward.
TEST(SubStepSensitivity, OneSweepBackThroughImpacts) {
  const scene::Document document = scene::parse_document(kDiscs, "discs.toml");
  const std::vector<std::string> names{"va", "vb", "wa", "ha", "a.vy", "b.wz"};
  const ParameterDirections unknowns(document, {}, names);
  const ObservableDerivatives forward = differentiate(unknowns, 0, {}, TangentSweep::Forward);
  const ObservableDerivatives back = differentiate(unknowns, 0, {}, TangentSweep::Back);
  ASSERT_TRUE(forward.finished) << forward.reason;
  ASSERT_TRUE(back.finished) << back.reason;
  EXPECT_LE((forward.derivatives - back.derivatives).cwiseAbs().maxCoeff(),
            1e-7 * forward.derivatives.cwiseAbs().maxCoeff())
      << "impacts are repeated beside themselves, along other directions";
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
