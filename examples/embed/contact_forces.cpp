// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A scene file, stepped in a loop that reads the contact forces: a block of 2 kg stands on two corners and is pushed
// with 20 t N (block.toml). The floor carries its weight of 20 N; friction grows with the push up to mu N = 10 N, which
// is reached at t = 0.5, and stays there while the block slides. The program prints
//
//   > t = 0.25: normal force 20.000 N, friction  5.0 N, stick
//   > t = 0.50: normal force 20.000 N, friction 10.0 N, slide
//   > t = 0.75: normal force 20.000 N, friction 10.0 N, slide
//   > t = 1.00: normal force 20.000 N, friction 10.0 N, slide
//   > speed at the end 1.25 m/s
//
// Friction is the mean over a step, in which the push grows by 0.02 N. Use: contact_forces [FILE.toml]
#include "stickslip/runs/run.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

using namespace stickslip;

namespace {

int run(const char* file) {
  const scene::Scene scene = scene::load_scene(file);  // parse_scene takes the text itself
  runs::Run session(scene);                            // the simulation with the scene's observables
  const simulation::Simulation& simulation = session.simulation();
  session.begin();

  for (int k = 1; k <= 1000; ++k) {
    if (!session.step().certified) {
      std::printf("the step at t = %g could not be certified\n", simulation.time());
      return 1;
    }
    if (k % 250 != 0) continue;
    double normal = 0, friction = 0;
    contact::Mode mode = contact::Mode::Open;
    for (const contact::ContactResult& c : simulation.contacts()) {
      const double along = c.force.dot(c.contact.normal);  // force on body_a, the mean over the step
      normal += along;
      friction += (c.force - along * c.contact.normal).norm();
      mode = std::max(mode, c.mode);
    }
    std::printf("t = %.2f: normal force %.3f N, friction %4.1f N, %s\n", simulation.time(), normal, friction,
                to_string(mode));
  }
  const std::vector<double> values = session.observables();
  for (std::size_t k = 0; k < values.size(); ++k)
    std::printf("%s at the end %.2f m/s\n", scene.observables[k].name.c_str(), values[k]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "block.toml");
  } catch (const std::exception& error) {  // one line: file, line, column, what is wrong
    std::printf("%s\n", error.what());
    return 2;
  }
}
