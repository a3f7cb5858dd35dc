// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A cylinder falls into a hole of 24 sides, a mesh: aligned it touches nothing before the floor, however tight the hole,
// t = sqrt(2 s / g); tilted it rattles and gains nothing.
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace stickslip {
namespace {

constexpr int kSides = 24;
constexpr double kInner = 0.03, kOuter = 0.05, kHeight = 0.04;

std::string ring() {
  std::string vertices, faces;
  for (int i = 0; i < kSides; ++i) {
    const double angle = 2 * std::numbers::pi * i / kSides, c = std::cos(angle), s = std::sin(angle);
    for (const double r : {kOuter, kInner}) {
      for (const double z : {0.0, kHeight}) vertices += fmt::format("[{:.17g}, {:.17g}, {}],", r * c, r * s, z);
    }
    // Outer bottom, outer top, inner bottom, inner top: 0 to 3, of this corner and of the next.
    const int k = 4 * i, n = 4 * ((i + 1) % kSides);
    faces += fmt::format("[{}, {}, {}, {}],", k, n, n + 1, k + 1);
    faces += fmt::format("[{}, {}, {}, {}],", n + 2, k + 2, k + 3, n + 3);
    faces += fmt::format("[{}, {}, {}, {}],", k + 1, n + 1, n + 3, k + 3);
    faces += fmt::format("[{}, {}, {}, {}],", n, k, k + 2, n + 2);
  }
  return fmt::format("{{ polyhedron = {{ vertices = [{}], faces = [{}] }} }}", vertices, faces);
}

scene::Scene peg(double clearance, double tilt, const char* stepper, double step) {
  return scene::parse_scene(
      fmt::format(R"toml(
dimension = 3
gravity = [0, 0, -9.81]
duration = 0.3
[method]
stepper = "{}"
step = {}
[[body]]
name = "floor"
shape = {{ half-space = {{ normal = [0, 0, 1] }} }}
fixed = true
[[body]]
name = "ring"
fixed = true
shape = {}
position = [0, 0, 0.01]
[[body]]
name = "peg"
mass = 0.05
shape = {{ cylinder = {{ radius = {:.17g}, length = 0.06 }} }}
position = [0, 0, 0.07]
orientation = {{ axis = [0, 1, 0], angle = {} }}
[[contact]]
between = ["*", "*"]
friction = 0.2
)toml",
                  stepper, step, ring(), kInner * std::cos(std::numbers::pi / kSides) - clearance, tilt),
      "peg");
}

double energy(const simulation::Simulation& simulation, const scene::Scene& scene) {
  const std::size_t i = scene.model.bodies.size() - 1;
  const model::Body& body = scene.model.bodies[i];
  const model::BodyState& state = simulation.state().bodies[i];
  const Vec3 spin = state.pose.orientation.conjugate() * state.velocity.angular;
  return 0.5 * body.mass * state.velocity.linear.squaredNorm() + 0.5 * spin.dot(body.inertia * spin) +
         body.mass * 9.81 * state.pose.position.z();
}

constexpr const char* kSteppers[] = {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar",
                                     "second-order"};

TEST(Peg, AlignedItFallsFreely) {
  for (const char* stepper : kSteppers) {
    for (const double clearance : {1e-3, 1e-4, 1e-5, 1e-6}) {
      const scene::Scene scene = peg(clearance, 0, stepper, 1e-3);
      simulation::Simulation simulation(scene.model, scene.method);
      const auto z = [&] { return simulation.state().bodies.back().pose.position.z(); };
      while (z() > 0.0301) ASSERT_TRUE(simulation.run_until(simulation.state().time + 1e-3));
      EXPECT_NEAR(simulation.state().time, std::sqrt(2 * 0.04 / 9.81), 1.01e-3) << stepper << " " << clearance;
      ASSERT_TRUE(simulation.run_until(0.2));
      EXPECT_NEAR(z(), 0.03, 1e-9);
      EXPECT_LT(simulation.state().bodies.back().pose.position.head<2>().norm(), 1e-9) << "pushed aside";
    }
  }
}

TEST(Peg, TiltedItGainsNoEnergy) {
  for (const char* stepper : kSteppers) {
    for (const double tilt : {0.002, 0.01}) {
      const scene::Scene scene = peg(1e-3, tilt, stepper, 1e-3);
      simulation::Simulation simulation(scene.model, scene.method);
      const double before = energy(simulation, scene);
      while (simulation.state().time < scene.duration - 1e-6) {
        ASSERT_TRUE(simulation.run_until(simulation.state().time + 1e-3));
        EXPECT_LT(energy(simulation, scene) - before, 1e-6) << stepper << " " << tilt;
      }
      EXPECT_NEAR(simulation.state().bodies.back().pose.position.z(), 0.03, 1e-4);
    }
  }
}

}  // namespace
}  // namespace stickslip
