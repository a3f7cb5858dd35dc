// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Fuzz target: any bytes as the checkpoint of a small scene, as they are and with a checksum that fits. Restored or
// refused in one line; what was changed on the way is refused whatever else it says.
#include "stickslip/files/checksum.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/simulation.h"

#include "tests/fuzz/fuzz_support.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stickslip;
  static const scene::Scene scene = scene::parse_scene(fuzz::kScene, "fuzz.toml");
  static const std::string valid = [] {
    simulation::Simulation simulation(scene.model, scene.method);
    simulation.run_until(scene.duration, [](const simulation::Simulation&) { return true; });
    return simulation.checkpoint();
  }();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // A valid checkpoint with the input written over it from its first number on, and the input alone.
  std::string patched = valid.substr(0, valid.size() - sizeof(std::uint64_t));
  if (size > 2) {
    const std::size_t at = (static_cast<std::size_t>(data[0]) << 8 | data[1]) % patched.size();
    patched.replace(at, std::min(size - 2, patched.size() - at), bytes.substr(2, patched.size() - at));
  }
  for (const std::string& content : {std::string(bytes), files::sealed(std::string(bytes)), files::sealed(patched)}) {
    simulation::Simulation simulation(scene.model, scene.method);
    try {
      simulation.restore(content);
      fuzz::require(simulation.state().bodies.size() == scene.model.bodies.size(), "a body was lost");
    } catch (const std::runtime_error& error) {
      fuzz::require_one_line(error.what());
    }
  }
  return 0;
}
