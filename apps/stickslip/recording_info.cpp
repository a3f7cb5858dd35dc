// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "recording_info.h"

#include "stickslip/stepping/method_fields.h"

namespace stickslip::app {

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
  recording::RecordingInfo info{scene.text, STICKSLIP_VERSION, stepping::summary_of(scene.method), {}, {}, {}};
  for (const model::Body& body : scene.model.bodies) info.bodies.push_back(body.name);
  for (const scene::Observable& observable : scene.observables) info.observables.push_back(observable.name);
  info.model = recording::to_json(describe(scene));
  return info;
}

}  // namespace stickslip::app
