// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/runs/settle.h"

#include "stickslip/runs/run.h"

namespace stickslip::runs {
namespace {

model::Model with_drives_held(model::Model model) {
  for (model::Body& body : model.bodies) {
    for (model::TimeFunction& f : body.drive.translation)
      if (f) f = [value = f(0).value](double) { return model::TimeJet{value, 0, 0}; };
    if (body.drive.angle)
      body.drive.angle = [value = body.drive.angle(0).value](double) { return model::TimeJet{value, 0, 0}; };
    if (body.drive.orientation)
      body.drive.orientation = [value = body.drive.orientation(0).orientation](double) {
        return model::OrientationJet{value, Vec3::Zero(), Vec3::Zero()};
      };
    body.drive.breakpoints.clear();
  }
  return model;
}

}  // namespace

Settling settle(const model::Model& model, const stepping::Method& method, const model::State& start,
                const SettleOptions& options) {
  const model::Model held = with_drives_held(model);
  simulation::Simulation run(held, method);
  model::State from = start;
  from.time = -options.most_time;
  run.set_state(from);
  simulation::RestWatch rest(held, run.time(), options.speed);
  (void)run.run_until(0, [&](const simulation::Simulation& now) { return !rest.see(now.state()); });
  Settling settling;
  settling.duration = run.time() + options.most_time;
  settling.counters = run.counters();
  settling.failure = failure_of(run);
  settling.end = run.failure() != nullptr ? Settled::NotCertified
                 : rest.at_rest()         ? Settled::AtRest
                                          : Settled::TimeIsUp;
  settling.state = run.state();
  settling.state.time = 0;
  if (settling.end == Settled::AtRest)
    for (model::BodyState& body : settling.state.bodies) body.velocity = model::Twist{};
  return settling;
}

}  // namespace stickslip::runs
