// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "recording_info.h"

#include <fmt/format.h>

namespace stickslip::app {

std::string method_text(const stepping::Method& method) {
  std::string friction = method.friction;
  if (friction == "pyramid") friction += fmt::format(" with {} directions", method.directions);
  return fmt::format("{}, {}, {}, step {:.6g}, solver {}, certificate {}", method.motion, method.stepper, friction,
                     method.step, method.solver, method.certificate);
}

recording::RunDescription describe(const scene::Scene& scene) {
  recording::RunDescription run;
  run.title = scene.title;
  run.description = scene.description;
  run.duration = scene.duration;
  run.tolerance = scene.method.certificate;
  for (const scene::Parameter& p : scene.parameters) run.parameters.push_back({p.name, p.unit, p.description, p.value});
  for (const scene::Observable& o : scene.observables) run.observables.push_back({o.name, o.unit, o.description, 0});
  run.model = scene.model;
  return run;
}

recording::RecordingInfo recording_info(const scene::Scene& scene) {
  recording::RecordingInfo info{scene.text, STICKSLIP_VERSION, method_text(scene.method), {}, {}, {}};
  for (const model::Body& body : scene.model.bodies) info.bodies.push_back(body.name);
  for (const scene::Observable& observable : scene.observables) info.observables.push_back(observable.name);
  info.model = recording::to_json(describe(scene));
  return info;
}

}  // namespace stickslip::app
