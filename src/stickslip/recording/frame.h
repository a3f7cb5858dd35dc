// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What is recorded: of the run as a whole, and of one moment.
#pragma once

#include "stickslip/contact/contact_result.h"
#include "stickslip/model/state.h"

#include <span>
#include <string>
#include <vector>

namespace stickslip::recording {

struct RecordingInfo {
  std::string scene;    // the scene's text, as read
  std::string version;  // of stickslip
  std::string method;   // stepper, friction, step, solver, tolerance, in words
  std::vector<std::string> bodies;
  std::vector<std::string> observables;
  std::string model = {};  // JSON of run_description.h; empty: unknown
  std::string plan = {};   // JSON; empty: no replay of a plan
};

struct Frame {
  const model::State& state;
  std::span<const contact::ContactResult> contacts;
  std::span<const double> observables;
  double residual = 0;
};

}  // namespace stickslip::recording
