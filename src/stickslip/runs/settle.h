// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Brings the bodies of a scene to rest before t = 0, for scenes that ask for it (`settle = true`) and for the verb settle. What
// moves freely falls and settles; prescribed bodies are held where they are at t = 0, so that a run from the state that is
// reached finds them there. Time runs from -most_time: forces that switch on later are off.
#pragma once

#include "stickslip/simulation/rest_watch.h"
#include "stickslip/simulation/simulation.h"

#include <string>

namespace stickslip::runs {

enum class Settled : char { AtRest, TimeIsUp, NotCertified };

struct SettleOptions {
  double most_time = 60;
  double speed = simulation::RestWatch::kSpeed;
};

struct Settling {
  Settled end = Settled::TimeIsUp;
  double duration = 0;            // of what it took, in the scene's time
  model::State state;             // at t = 0; at rest: without velocities
  simulation::Counters counters;  // of the steps until then
  std::string failure;            // why a step was not certified
};

// What rest is: simulation/rest_watch.h. start: of all bodies, its time is not read.
[[nodiscard]] Settling settle(const model::Model& model, const stepping::Method& method, const model::State& start,
                              const SettleOptions& options = {});

}  // namespace stickslip::runs
