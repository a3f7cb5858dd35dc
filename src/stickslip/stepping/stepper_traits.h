// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the rest of the simulator has to know of a stepper, declared where the stepper is registered (stepper.cpp, tests,
// plug-ins). Other code asks traits_of() and never compares names, so that a new stepper is known everywhere.
#pragma once

#include "stickslip/stepping/stepper.h"

#include <string>
#include <string_view>

namespace stickslip::stepping {

// How derivatives of its steps are found, where the model allows it.
enum class StepDerivatives : char {
  None,
  Equations,  // they satisfy sensitivity::StepEquations
  SubSteps,  // sub-steps between located events, written to a SubStepTape, which sensitivity::SubStepSensitivity repeats
  FlowParts,  // parts of a Runge-Kutta step, written to a FlowTape, which sensitivity::FlowSensitivity repeats
};

struct StepperTraits {
  int order = 1;                // with which its errors fall, at best
  bool end_geometry = false;    // contact rows of the end of the step; else of its start
  bool drives_at_end = true;    // looks for contacts with prescribed bodies where these will be at the end of the step
  bool compliant = false;       // uses the stiffness and damping of surfaces; else all are rigid
  bool locates_events = false;  // finds every impact itself; method.impacts is then not for it
  bool smoothed_cone = false;   // takes method.gamma and method.gap_step
  bool soft_normals = false;    // takes method.compliance = "normal"
  bool certified_forces =
      true;  // forces solve contact problems; false: they obey the law by construction, and there is
             // no residual that certificate_at_worst could allow
  StepDerivatives derivatives = StepDerivatives::None;
  // Why it cannot step a model, and what to change; empty when it can. Null: no objection besides those that follow from
  // the members above.
  std::string (*objection)(const Method& method, const model::Model& model) = nullptr;
};

// Those of a name that is not registered are the defaults.
[[nodiscard]] const StepperTraits& traits_of(std::string_view stepper);
void register_stepper(complementarity::AlgorithmInfo info, StepperFactory factory, const StepperTraits& traits);

}  // namespace stickslip::stepping
