// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What stickslip run --forces says: the contact forces at the end of a run, which of them the motion determines, between
// which bounds the others lie (contact/step_forces.h), and how well the forces of all steps balance
// (simulation/step_balance.h).
#pragma once

#include "stickslip/simulation/step_balance.h"

#include <nlohmann/json_fwd.hpp>

namespace stickslip::app {

void print_forces(const simulation::Simulation& run, const simulation::StepBalance& balance);
[[nodiscard]] nlohmann::ordered_json forces_json(const simulation::Simulation& run,
                                                 const simulation::StepBalance& balance);

}  // namespace stickslip::app
