// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The examples load, have the parameters and observables that their users rely on, and run certified. Their truth is
// checked in tests/papers.
#include "stickslip/runs/observer.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"
#include "tests/support/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace stickslip::scene {
namespace {

struct Example {
  const char* name;
  std::vector<std::string> parameters, observables;
};
void PrintTo(const Example& example, std::ostream* out) {
  *out << example.name;
}

std::filesystem::path file_of(const std::string& name) {
  return std::filesystem::path(tests::kSourceFolder) / "examples" / name / "scene.toml";
}

// Runs a scene to the given time (or its end) and returns the observables.
std::map<std::string, double> run(const Scene& scene, double until) {
  simulation::Simulation simulation(scene.model, scene.method);
  runs::Observer observer(scene);
  observer.advance({simulation.state(), simulation.contacts(), {}});
  const bool finished = simulation.run_until(std::min(until, scene.duration), [&](const simulation::Simulation& now) {
    observer.advance({now.state(), now.contacts(), now.last_report().events});
    return observer.stopped_by() < 0;
  });
  EXPECT_TRUE(finished);
  EXPECT_EQ(simulation.failure(), nullptr) << "at t = " << simulation.time();
  EXPECT_LE(simulation.counters().worst_residual, scene.method.certificate);
  std::vector<double> values(scene.observables.size());
  observer.evaluate({simulation.state(), simulation.contacts(), {}}, values);
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < values.size(); ++i) named[scene.observables[i].name] = values[i];
  return named;
}

class Examples : public testing::TestWithParam<Example> {};

TEST_P(Examples, LoadAndHaveTheirParametersAndObservables) {
  const Scene scene = load_scene(file_of(GetParam().name));
  std::vector<std::string> parameters, observables;
  for (const Parameter& p : scene.parameters) parameters.push_back(p.name);
  for (const Observable& o : scene.observables) observables.push_back(o.name);
  EXPECT_THAT(parameters, testing::IsSupersetOf(GetParam().parameters));
  EXPECT_THAT(observables, testing::IsSupersetOf(GetParam().observables));
  EXPECT_FALSE(scene.title.empty());
  EXPECT_TRUE(std::filesystem::exists(file_of(GetParam().name).parent_path() / "README.md"));
}

TEST_P(Examples, RunCertified) {
  const std::vector<Override> small = {{"n", "10"}};
  const bool has_n = std::string(GetParam().name) == "pile";
  const Scene scene =
      load_scene(file_of(GetParam().name), has_n ? std::span<const Override>(small) : std::span<const Override>());
  for (const auto& [name, value] : run(scene, 0.2)) {
    EXPECT_TRUE(std::isfinite(value) || name.starts_with("t_")) << name << " = " << value;
  }
}

const std::vector<std::string> kPlate = {"A1", "A2", "A3", "A4", "A5", "A6", "C1", "C2",
                                         "C3", "C4", "C5", "C6", "mu", "x0", "y0"};

INSTANTIATE_TEST_SUITE_P(
    All, Examples,
    testing::Values(Example{"incline", {"tangent", "mu", "mass"}, {"slide", "sink"}},
                    Example{"pinch", {"force", "mu", "mass"}, {"drop"}},
                    Example{"ball", {"vx", "vy", "wx", "wy", "wz", "mu"}, {"x", "y", "slip_speed", "t_roll"}},
                    Example{"meter-stick", {"speed", "mu_s", "mu_k", "half_thickness"}, {"offset", "tilt", "t_loss"}},
                    Example{"plate-particle", kPlate, {"x", "y", "turn"}},
                    Example{"plate-tripod", kPlate, {"x", "y", "yaw"}},
                    Example{"plate-2d", {"alpha", "period", "depth", "mu", "r0"}, {"r", "v_avg"}},
                    Example{"peg", {"mu", "width", "height"}, {"x", "angle"}},
                    Example{"stack", {"n"}, {"kinetic_energy", "worst_penetration"}},
                    Example{"pile", {"n"}, {"kinetic_energy", "worst_penetration"}},
                    Example{"bin-spheres", {"n", "seed", "stiffness"}, {"kinetic_energy", "worst_penetration"}},
                    Example{"bin-boxes", {"n", "seed"}, {"kinetic_energy", "worst_penetration"}},
                    Example{"bin-parts", {"each", "seed"}, {"kinetic_energy", "worst_penetration"}},
                    Example{"brick-wall", {"rows", "columns", "hit"}, {"kinetic_energy", "before"}},
                    Example{"arch", {"n", "thickness"}, {"sink"}}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::ranges::replace(name, '-', '_');
      return name;
    });

// Closed form: the discretisation of first order is off by at most 4.6e-4 at h = 1e-3.
TEST(Examples, BallEndsWhereItShould) {
  const Scene scene = load_scene(file_of("ball"));
  const auto end = run(scene, 1);
  EXPECT_NEAR(end.at("x"), 0.561914290659, 4.6e-4);
  EXPECT_NEAR(end.at("y"), -0.0476071366766, 4.6e-4);
  EXPECT_NEAR(end.at("t_roll"), 0.466700017306, 2 * scene.method.step);
}

TEST(Examples, InclineHolds) {
  const auto end = run(load_scene(file_of("incline")), 0.5);
  EXPECT_LE(std::abs(end.at("slide")), 1e-12);
  EXPECT_LE(std::abs(end.at("sink")), 1e-12);
}

TEST(Examples, PinchHolds) {
  EXPECT_LE(std::abs(run(load_scene(file_of("pinch")), 0.5).at("drop")), 1e-12);
}

// The particle starts at rest on the plate, where the scene says.
TEST(Examples, PlateParticleStartsAtRestOnThePlate) {
  const Scene scene = load_scene(file_of("plate-particle"));
  const model::State state = model::initial_state(scene.model);
  const model::BodyState& plate = state.bodies[0];
  const model::BodyState& particle = state.bodies[1];
  const Vec3 arm = particle.pose.position - plate.pose.position;
  EXPECT_LT((plate.pose.orientation.conjugate() * arm - Vec3(4, 0, 0)).norm(), 1e-14);
  EXPECT_LT((particle.velocity.linear - plate.velocity.linear - plate.velocity.angular.cross(arm)).norm(), 1e-14);
}

}  // namespace
}  // namespace stickslip::scene
