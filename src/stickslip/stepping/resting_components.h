// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Components at rest that a second-order step need not take again.
//
// A step is a function: the same input gives the same bits (resting_bodies.h says the same of first-order steps). A component
// that stood still over a step, and of which the next step reads the bits that this one read, stands still over that one too:
//
//   bodies         the same, with the same poses, and no velocity
//   contacts       the same list, geometry, modes, forces and reserves
//   what acts      gravity; nothing where forces may read other bodies, where bodies are prescribed, or a step is recorded
//   length         of the step
//   state put back or given from outside     World::revision
//
// So results are those without this, and there is no threshold. That bodies come to exact rest is the work of rest.h.
//
// Cost: a copy of a component that has no velocity at all, and a comparison.
#pragma once

#include "stickslip/stepping/trial.h"

#include <vector>

namespace stickslip::stepping {

class RestingComponents {
 public:
  // Before the step of length H: true when the component stands over it as it stood over the last one, and is now what it was at
  // the end of that. Residual and solver of that step go into the report.
  bool take(const World& world, Component& component, double H, StepReport& report);
  // After the step, of every component that was not taken.
  void note_end(const World& world, const Component& component, const StepReport& report);

 private:
  struct Slot {
    bool still = false;    // over the step
    bool pending = false;  // its step is under way
    double H = 0, residual = 0;
    const char* solver = "";
    std::uint64_t revision = 0;
    Component start, end;
    std::vector<model::BodyState> states;
  };
  std::vector<Slot> slots_;  // by a component's first body
};

}  // namespace stickslip::stepping
