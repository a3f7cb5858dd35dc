// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Sees the parts in which a simulation takes its steps: one each, or several where a step was not certified as a whole.
#pragma once

#include "stickslip/stepping/stepper.h"

namespace stickslip::simulation {

class PartWatcher {
 public:
  virtual ~PartWatcher() = default;

  virtual void begin_step() = 0;
  virtual void before_part(stepping::Stepper& stepper, const stepping::World& world) = 0;
  // A part of length h was certified; one that was not leaves no trace.
  virtual void after_part(const stepping::World& world, double h, const stepping::StepReport& report) = 0;
  // Back to the begin of the step: its parts so far did not happen.
  virtual void take_back() = 0;
};

}  // namespace stickslip::simulation
