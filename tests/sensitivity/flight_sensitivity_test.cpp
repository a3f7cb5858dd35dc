// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of runs through located impacts against central differences of whole runs, and against the closed form of
// a ball that bounces. Differences of 1e-5 leave 1e-7 of the largest derivative.
#include "stickslip/scene/scene_file.h"
#include "stickslip/sensitivity/run_sensitivity.h"
#include "stickslip/sensitivity/scene_sensitivity.h"
#include "stickslip/sensitivity/tangent.h"
#include "tests/support/paths.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stickslip::sensitivity {
namespace {

using Settings = std::vector<scene::Override>;

model::State end_of(const scene::Scene& scene) {
  simulation::Simulation run(scene.model, scene.method);
  EXPECT_TRUE(run.run_until(scene.duration));
  return run.state();
}

constexpr double kRounding = 2e-14;  // of a run's end, bounce after bounce

// Every coordinate at the end by every parameter. Returns how often bodies met.
std::size_t compare(const std::string& text, const std::vector<std::string>& parameters) {
  const scene::Document document = scene::parse_document(text, "scene.toml");
  const ParameterDirections unknowns(document, {}, parameters);
  const scene::Scene& scene = unknowns.scene();
  EXPECT_TRUE(RunSensitivity::covers_flights(scene.model, scene.method));
  simulation::Simulation simulation(scene.model, scene.method);
  RunSensitivity run(simulation);
  run.begin(unknowns.directions(), RunSensitivity::Of::Motion);
  EXPECT_TRUE(simulation.run_until(scene.duration));
  EXPECT_TRUE(run.tangents_known());
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    double value = 0;
    for (const scene::Parameter& parameter : scene.parameters)
      if (parameter.name == parameters[k]) value = parameter.value;
    const double step = 1e-5 * std::max(1e-2, std::fabs(value));
    const auto at = [&](double x) {
      const Settings settings{{parameters[k], fmt::format("{}", x)}};
      return end_of(scene::make_scene(document, settings));
    };
    const model::State low = at(value - step), high = at(value + step);
    const Eigen::VectorXd exact = run.tangents().col(static_cast<Eigen::Index>(k));
    for (std::size_t i = 0; i < low.bodies.size(); ++i) {
      const Eigen::VectorXd differences = difference(low.bodies[i], high.bodies[i]) / (2 * step);
      const Eigen::VectorXd part = exact.segment(static_cast<Eigen::Index>(i) * kBodyTangent, kBodyTangent);
      const double size = std::max(1e-3, differences.cwiseAbs().maxCoeff());
      for (Eigen::Index c = 0; c < kBodyTangent; ++c)
        EXPECT_NEAR(part[c], differences[c], 1e-6 * size + kRounding / step)
            << "component " << c << " of body " << i << " by " << parameters[k];
    }
  }
  return run.touches().size();
}

// h(T) after one bounce of a point that falls from h: t1 = sqrt(2 h / g) is when it meets the floor.
TEST(FlightSensitivity, FallAndBounceInClosedForm) {
  const std::string text = R"toml(
dimension = 3
gravity = [0, 0, -10]
duration = 0.9
[parameters]
h = 1.25
e = 0.6
[method]
stepper = "second-order"
step = 0.04
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "ball"
mass = 1
shape = { sphere = 0.1 }
position = [0, 0, "h + 0.1"]
[[contact]]
between = ["ball", "floor"]
friction = 0
restitution = "e"
)toml";
  const scene::Document document = scene::parse_document(text, "scene.toml");
  const std::vector<std::string> parameters{"h", "e"};
  const ParameterDirections unknowns(document, {}, parameters);
  simulation::Simulation simulation(unknowns.scene().model, unknowns.scene().method);
  RunSensitivity run(simulation);
  run.begin(unknowns.directions(), RunSensitivity::Of::Motion);
  ASSERT_TRUE(simulation.run_until(unknowns.scene().duration));
  ASSERT_TRUE(run.tangents_known());
  ASSERT_EQ(run.touches().size(), 1U);
  // z = e g t1 (T - t1) - g (T - t1)^2 / 2,   d t1 / d h = 1 / (g t1)
  const double g = 10, T = 0.9, e = 0.6, t1 = 0.5, rest = T - t1;
  const double by_t1 = e * g * (rest - t1) + g * rest;
  EXPECT_NEAR(run.tangents()(kBodyTangent + kPosition + 2, 0), by_t1 / (g * t1), 1e-7);
  EXPECT_NEAR(run.tangents()(kBodyTangent + kLinear + 2, 0), (e * g + g) / (g * t1), 1e-7);
  EXPECT_NEAR(run.tangents()(kBodyTangent + kPosition + 2, 1), g * t1 * rest, 1e-7);
}

// Without gravity a start further back meets the wall later and changes nothing else: x = -e v (T - t1), t1 = -x0 / v.
TEST(FlightSensitivity, AWallThatIsMetLaterWithoutGravity) {
  for (const double x0 : {-0.5, -0.3, -0.25, -0.7}) {
    for (const double e : {0.5, 0.8}) {
      const scene::Document document = scene::parse_document(fmt::format(R"toml(
dimension = 2
gravity = [0, 0]
duration = 1
[parameters]
x0 = {}
e = {}
[method]
stepper = "second-order"
step = 0.0625
[[body]]
name = "wall"
shape = {{ half-plane = {{ normal = [-1, 0] }} }}
fixed = true
[[body]]
name = "disc"
mass = 1
shape = {{ disc = 0.125 }}
position = ["x0 - 0.125", 0]
velocity = [1, 0]
[[contact]]
between = ["disc", "wall"]
restitution = "e"
)toml",
                                                                         x0, e),
                                                             "scene.toml");
      const ParameterDirections unknowns(document, {}, std::vector<std::string>{"x0", "e"});
      simulation::Simulation simulation(unknowns.scene().model, unknowns.scene().method);
      RunSensitivity run(simulation);
      run.begin(unknowns.directions(), RunSensitivity::Of::Motion);
      ASSERT_TRUE(simulation.run_until(1));
      ASSERT_TRUE(run.tangents_known());
      ASSERT_EQ(run.touches().size(), 1U);
      const auto disc = run.tangents().middleRows(kBodyTangent, kBodyTangent);
      EXPECT_NEAR(disc(kPosition, 0), -e, 1e-7) << "x0 = " << x0 << ", e = " << e;
      EXPECT_NEAR(disc(kLinear, 0), 0, 1e-7) << "x0 = " << x0 << ", e = " << e;
      EXPECT_NEAR(disc(kPosition, 1), -(1 + x0), 1e-7) << "x0 = " << x0 << ", e = " << e;
      EXPECT_NEAR(disc(kLinear, 1), -1, 1e-7) << "x0 = " << x0 << ", e = " << e;
    }
  }
}

TEST(FlightSensitivity, SpinningBallBouncesWithFriction) {
  const std::size_t met = compare(R"toml(
dimension = 3
gravity = [0, 0, "-g"]
duration = 1.5
[parameters]
g = 9.8
mu = 0.2
e = 0.8
radius = 0.05
vx = 1
vz = -1
wy = 30
wx = 20
z = 0.6
[method]
stepper = "second-order"
step = 0.01
[[body]]
name = "floor"
shape = { half-space = { normal = [0, 0, 1] } }
fixed = true
[[body]]
name = "ball"
mass = 0.2
shape = { sphere = "radius" }
position = [0, 0, "z"]
velocity = ["vx", 0, "vz"]
angular_velocity = ["wx", "wy", 3]
[[contact]]
between = ["ball", "floor"]
friction = "mu"
restitution = "e"
)toml",
                                  {"g", "mu", "e", "radius", "vx", "vz", "wy", "wx", "z"});
  EXPECT_EQ(met, 3U);
}

// Two discs that meet in the air above a plate that swings.
TEST(FlightSensitivity, DiscsMeetAboveAPlateThatMoves) {
  const std::size_t met = compare(R"toml(
dimension = 2
gravity = [0, -9.8]
duration = 0.55
[parameters]
amplitude = 0.02
mu = 0.3
e = 0.7
mass = 0.3
vx = 1.5
w = 10
[method]
stepper = "second-order"
step = 0.01
[[body]]
name = "plate"
shape = { half-plane = { normal = [0, 1] } }
motion = { position = [0, "amplitude * sin(20 * t)"] }
[[body]]
name = "left"
mass = "mass"
shape = { disc = 0.05 }
position = [-0.3, 0.5]
velocity = ["vx", 0]
angular_velocity = "w"
[[body]]
name = "right"
mass = 0.2
shape = { disc = 0.08 }
position = [0.3, 0.55]
velocity = [-1, 0.2]
[[contact]]
between = ["*", "*"]
friction = "mu"
restitution = "e"
)toml",
                                  {"amplitude", "mu", "e", "mass", "vx", "w"});
  EXPECT_EQ(met, 3U);
}

// A box has corners, and its impacts turn it.
TEST(FlightSensitivity, BoxBouncesOnItsCorners) {
  const std::size_t met = compare(R"toml(
dimension = 2
gravity = [0, -9.8]
duration = 0.8
[parameters]
angle = 0.4
w = -3
vx = 1
mu = 0.4
[method]
stepper = "second-order"
step = 0.01
[[body]]
name = "floor"
shape = { half-plane = { normal = [0, 1] } }
fixed = true
[[body]]
name = "box"
mass = 0.5
shape = { box = [0.2, 0.1] }
position = [0, 0.8]
angle = "angle"
velocity = ["vx", 0]
angular_velocity = "w"
[[contact]]
between = ["box", "floor"]
friction = "mu"
restitution = 0.6
)toml",
                                  {"angle", "w", "vx", "mu"});
  EXPECT_EQ(met, 2U);
}

// A ball that does not rebound slides and rolls: no flight any more, and its sub-steps are repeated from there on.
TEST(FlightSensitivity, HandsOverWhereARunIsMoreThanAFlight) {
  const scene::Document document =
      scene::read_document(std::filesystem::path(tests::kSourceFolder) / "examples/plan-impact/scene.toml");
  const Settings settings{{"restitution", "0"}};
  const std::vector<std::string> parameters{"mu"};
  const ParameterDirections unknowns(document, settings, parameters);
  simulation::Simulation simulation(unknowns.scene().model, unknowns.scene().method);
  RunSensitivity run(simulation);
  run.begin(unknowns.directions(), RunSensitivity::Of::Motion);
  ASSERT_TRUE(simulation.run_until(unknowns.scene().duration));
  EXPECT_TRUE(run.tangents_known()) << run.why_unknown();
}

}  // namespace
}  // namespace stickslip::sensitivity
