// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the Runge-Kutta stepper did within a step: its accepted parts, how long each was and what ended it. Enough to
// repeat each beside itself, which is how its derivative is made (sensitivity/flow_sensitivity.h).
#pragma once

#include "stickslip/stepping/compliant_flow.h"

#include <vector>

namespace stickslip::stepping {

struct FlowPart {
  double tau = 0;
  // Of what was left up to a breakpoint of a drive or the end of the step: all, half; 0: a length of its own.
  double share = 0;
  double breakpoint = 0;  // its time, if it is one
  bool at_breakpoint = false;
  model::State state;  // at the start, with the contacts there and their modes
  std::vector<collision::Contact> contacts;
  std::vector<FlowContact> modes;
  Eigen::VectorXd shear;
  std::vector<model::BodyState> end;
  // The contact whose reserve ended it, -1: none; the reserve is that of friction; it lifts.
  int contact = -1;
  bool grip = false, lifts = false;
};

struct FlowTape {
  double length = 0;  // of the step
  std::vector<FlowPart> parts;
  const char* refusal = "";  // why the step cannot be repeated in this way; empty: it can
};

// The end of a part taken again. Of each contact: its gap, the shear of its layer as a vector in space, what is left of
// its deformation while it is open, its impulse, and its reserves.
struct FlowEnd {
  struct Contact {
    double gap = 0, deformation = 0, hold = 0, grip = 0;
    Vec3 shear = Vec3::Zero(), impulse = Vec3::Zero();
  };
  model::State state;
  std::vector<Contact> contacts;
};

}  // namespace stickslip::stepping
