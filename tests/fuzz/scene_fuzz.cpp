// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Fuzz target: any text as a scene. It must give either a SceneError of one line, or a scene whose motions, forces and
// observables can be evaluated at the start (or say with a SceneError that they are not a number).
#include "stickslip/runs/observer.h"
#include "stickslip/scene/scene.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace stickslip;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "scene_fuzz: %s\n", what);
  std::abort();
}

void evaluate(const scene::Scene& scene) {
  const model::State state = model::initial_state(scene.model);
  require(state.bodies.size() == scene.model.bodies.size(), "a body has no state");
  for (const model::BodyState& body : state.bodies) {
    require(std::abs(body.pose.orientation.norm() - 1) < 1e-9, "an orientation is not of unit length");
  }
  for (const model::Body& body : scene.model.bodies) {
    model::Wrench wrench;
    for (const model::ForceFunction& force : body.forces) force(state, wrench);
    require(wrench.force.allFinite() && wrench.torque.allFinite(), "a force is not finite");
  }
  runs::Observer observer(scene);
  std::vector<double> values(scene.observables.size());
  observer.advance({state, {}, {}});
  observer.evaluate({state, {}, {}}, values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 20000) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  // No files of this machine: includes, meshes and SVG files would be looked for beside the scene.
  if (text.find("include") != std::string::npos || text.find("mesh") != std::string::npos ||
      text.find("file") != std::string::npos)
    return 0;
  scene::LoadOptions options;
  options.most_bodies = 50;
  try {
    evaluate(scene::parse_scene(text, "/nonexistent/fuzz.toml", {}, options));
  } catch (const scene::SceneError& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos, "the message is more than one line");
  }
  return 0;
}
