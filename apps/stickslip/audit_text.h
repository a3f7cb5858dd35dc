// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the audit of a run found, in one line: for the summary of stickslip run and for the recording.
#pragma once

#include "stickslip/simulation/simulation.h"

#include <string>

namespace stickslip::app {

[[nodiscard]] std::string audit_text(const simulation::Simulation& run);

}  // namespace stickslip::app
