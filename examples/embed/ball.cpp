// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A model made by a program: a ball falls from 0.5 m and bounces with a coefficient of restitution of 0.8. Each bounce
// must rise to 0.8^2 of the height before, and the first impact happen at sqrt(2 * 0.5 / 9.81) s. The program prints
//
//   > first impact at 0.319275 s
//   > bounce 1 rises to 0.320000 m
//   > bounce 2 rises to 0.204800 m
//   > bounce 3 rises to 0.131072 m
//
// and ends with an error when the height is not the expected one.
#include "stickslip/model/model_builder.h"
#include "stickslip/simulation/simulation.h"

#include <cmath>
#include <cstdio>
#include <vector>

using namespace stickslip;

int main() {
  model::ModelBuilder build(3);
  build.gravity({0, 0, -9.81});
  build.body("floor").half_space(Vec3::UnitZ()).fixed();
  build.body("ball").sphere(0.05).density(1000).position({0, 0, 0.05 + 0.5});
  build.contact("*", "*").friction(0.3).restitution(0.8);
  const model::Model model = build.finish();  // must outlive the simulation, as the method must

  stepping::Method method;
  method.stepper = "second-order";  // impacts are located within the step
  method.step = 1e-3;
  simulation::Simulation simulation(model, method);

  // An observer sees the simulation after every step. Between two impacts the ball flies on a parabola: what it still
  // rises follows from its height and velocity.
  const std::size_t ball = 1;  // bodies are counted in the order in which they were added
  std::vector<double> impacts, tops;
  const bool reached = simulation.run_until(1.5, [&](const simulation::Simulation& now) {
    for (const stepping::Event& event : now.last_report().events)
      if (event.from == contact::Mode::Open) impacts.push_back(event.time);
    if (tops.size() < impacts.size()) {
      const model::BodyState& state = now.state().bodies[ball];
      const double rise = state.velocity.linear.z();
      tops.push_back(state.pose.position.z() - 0.05 + rise * rise / (2 * 9.81));
    }
    return tops.size() < 3;  // false ends the run
  });
  if (!reached && simulation.failure() != nullptr) {
    std::printf("a step could not be certified: %s\n", simulation.failure()->reason.c_str());
    return 1;
  }

  std::printf("first impact at %.6f s\n", impacts.at(0));
  double expected = 0.5;
  for (std::size_t k = 0; k < tops.size(); ++k) {
    std::printf("bounce %zu rises to %.6f m\n", k + 1, tops[k]);
    expected *= 0.8 * 0.8;
    if (std::fabs(tops[k] - expected) > 1e-6) return 1;
  }
  return tops.size() == 3 ? 0 : 1;
}
