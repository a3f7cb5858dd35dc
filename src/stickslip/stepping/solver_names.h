// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The solvers of a step's contact problem by name: cones and pyramids have their own (complementarity/cone, affine).
#pragma once

#include <string>
#include <vector>

namespace stickslip::stepping {

[[nodiscard]] std::vector<std::string> cone_solver_names();
[[nodiscard]] std::vector<std::string> pyramid_solver_names();

}  // namespace stickslip::stepping
