// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Runs one example and prints how many steps it took: for counting instructions with callgrind, which other work on the
// machine does not change. The difference of two durations, over the difference of their steps, is a step (script/bench-step).
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include <cstdio>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  using namespace stickslip;
  if (count < 2) {
    std::puts("Usage: bench_steps SCENE [KEY=VALUE...]    for example examples/ball/scene.toml duration=2");
    return 2;
  }
  std::vector<scene::Override> overrides;
  for (int k = 2; k < count; ++k) {
    const std::string text = arguments[k];
    const std::size_t at = text.find('=');
    overrides.push_back({text.substr(0, at), at == std::string::npos ? "" : text.substr(at + 1)});
  }
  const scene::Scene scene = scene::load_scene(arguments[1], overrides);
  simulation::Simulation simulation(scene.model, scene.method);
  const bool finished = simulation.run_until(scene.duration);
  std::printf("%lld\n", static_cast<long long>(simulation.counters().steps));
  return finished ? 0 : 1;
}
