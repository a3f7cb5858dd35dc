// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The method of paper 001: all steps of a motion and the conditions at its ends as one mixed complementarity problem.
//
//     unknowns u                              conditions(end) = 0
//     q_k  displacement, v_k = (q_k - q_(k-1))/h    balance = 0                          (sensitivity/step_equations.h)
//     p_n >= 0                       _|_      psi(q_k) / h >= 0
//     p_t  free                               mu p_n slip + sigma p_t = 0
//     sigma >= 0                     _|_      mu^2 p_n^2 - |p_t|^2 >= 0
//
// for k = 1 .. N, solved by complementarity/mcp with a sparse Jacobian, first on a coarse grid of steps and then on
// ever finer ones: the instant at which sliding ends moves through the grid one step per iteration, so that a fine grid
// alone takes many. Impulses are unknowns in units of velocity.
//
// It is meant for motions whose contacts stick, slide and roll; impacts are not found this way, since the first Newton
// step from a motion without contact is the flight through the floor (docs/theory/planning.md).
//
// Assumes: start velocities as unknowns, as many equations; contacts that are closed at the start; static and kinetic
// friction alike; bodies in the plane, or in space such that their orientation does not matter (balls).
// Cost: a Newton step is O(N).
#pragma once

#include "stickslip/planning/search.h"
#include "stickslip/sensitivity/step_equations.h"

namespace stickslip::planning {

// Why a plan cannot be solved in this way; empty when it can.
[[nodiscard]] std::string objection_to_whole(const Plan& plan, const scene::Scene& scene);

// From the given unknowns. The result's residual is that of the whole problem's conditions.
[[nodiscard]] Search solve_whole(const Plan& plan, const scene::Scene& scene, const Eigen::VectorXd& start);

}  // namespace stickslip::planning
