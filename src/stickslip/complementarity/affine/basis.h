// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which unknowns of an affine problem stand at a bound and which are determined by their equations.
// A Basis is all that is worth keeping from one time step to the next: a warm start hands it back to the solver.
#pragma once

#include <cstdint>
#include <vector>

namespace stickslip::complementarity {

enum class VariableStatus : std::uint8_t {
  AtLower,  // z_i = lower_i, w_i >= 0
  AtUpper,  // z_i = upper_i, w_i <= 0
  Basic,    // lower_i <= z_i <= upper_i, w_i = 0
};

using Basis = std::vector<VariableStatus>;

}  // namespace stickslip::complementarity
