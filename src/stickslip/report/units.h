// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Units of what a scene does not name itself: time, lengths, forces, energies. Scenes choose their units freely; those
// of their parameters and observables tell which they are.
#pragma once

#include "stickslip/recording/run_description.h"

#include <string>

namespace stickslip::report {

struct Units {
  std::string time, length, force, energy;  // "" where nothing tells
};

[[nodiscard]] Units units_of(const recording::RunDescription& description);

}  // namespace stickslip::report
