// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Runs a model with the tests' own collider.
#pragma once

#include "stickslip/simulation/simulation.h"
#include "tests/support/point_collider.h"

#include <cstring>
#include <memory>

namespace stickslip::testing {

inline constexpr const char* kFirstOrder = "stewart-trinkle";
inline constexpr const char* kSecondOrder = "second-order";

inline stepping::Method method(const char* stepper, double step) {
  stepping::Method m;
  m.stepper = stepper;
  m.step = step;
  return m;
}

// Keeps the model and the method alive beside the simulation.
struct Experiment {
  model::Model model;
  stepping::Method how;
  simulation::Simulation simulation;

  Experiment(model::Model model_in, stepping::Method how_in)
      : model(std::move(model_in)), how(std::move(how_in)), simulation(model, how, std::make_unique<PointCollider>()) {}
  [[nodiscard]] const model::BodyState& body(int i) const {
    return simulation.state().bodies[static_cast<std::size_t>(i)];
  }
};

// Bits of all poses and velocities, so that "the same" means the same bits.
inline std::string bits(const model::State& state) {
  std::string text;
  for (const model::BodyState& s : state.bodies) {
    const double numbers[] = {s.pose.position.x(),    s.pose.position.y(),
                              s.pose.position.z(),    s.pose.orientation.w(),
                              s.pose.orientation.x(), s.pose.orientation.y(),
                              s.pose.orientation.z(), s.velocity.linear.x(),
                              s.velocity.linear.y(),  s.velocity.linear.z(),
                              s.velocity.angular.x(), s.velocity.angular.y(),
                              s.velocity.angular.z(), s.angle};
    text.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  }
  return text;
}

}  // namespace stickslip::testing
