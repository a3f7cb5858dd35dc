// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The method of Song, Kumar and Pang 2005: all steps of a motion and the conditions at its ends as one mixed complementarity problem.
//
//     conditions(start, end) = 0                                   by the unknowns u
//     balance = 0                              for k = 1 .. N      by v_k            (sensitivity/step_equations.h)
//     p_n = max(0, z),          z = p_n - psi(q_k) / h             by p_n            0 <= p_n _|_ psi >= 0
//     p_t = Proj(p_t - slip),   radius mu max(0, z)                by p_t            most dissipation against the slip
//
// with q_k = q_(k-1) (+) h v_k, and impulses in units of velocity. Compliant contacts (stepper song-pang-kumar;
// Song, Kumar and Pang 2005, equation 10) carry their deformations delta from step to step, delta_0 = 0:
//
//     0 <= p_n _|_ psi(q_k) + delta_n,k >= 0,     slip + (delta_t,k - delta_t,k-1) / h  in place of slip,
//     delta_k = (p_k + C delta_(k-1)) / (h K + C)                                       (contact/compliance.h)
//
// which adds R p + b(delta_(k-1)) to psi / h and to the slip, and d delta_k = dp / (h K + C) + C / (h K + C) d delta_(k-1)
// to the tangents. All of this is exact: K and C are no unknowns. Newton's matrix is block-bidiagonal in the steps
// with a border for u. It is eliminated step by step, which costs one small factorisation each: with ds the change of
// the state, one column for the defects and one per unknown,
//
//     (dv, dp)_k = -F_y^-1 (F_k, 0) - F_y^-1 F_s ds_(k-1) - F_y^-1 F_u,       ds_k = T_k ds_(k-1) + S_k dv_k
//
// and the conditions at the end then give du. The instant at which sliding ends moves through the grid by about a step
// per iteration, so that a fine grid alone takes many: the problem is solved on a coarse grid first and then on ever
// finer ones. A backtracking line search that looks back over five iterations guards the steps.
//
// It is meant for motions whose contacts stick, slide and roll; it does not find impacts, since the first Newton
// step from a motion without contact is the flight through the floor (docs/theory/planning.md).
//
// Assumes: as many equations as unknowns; contacts that are within reach at the start; static and kinetic friction
// alike; no supports; of compliant contacts, that their frames do not turn (bodies on planes), no patches, no
// smoothed cone. Cost: a Newton step is O(N).
#pragma once

#include "stickslip/planning/plan_search.h"

namespace stickslip::planning {

// Why this method cannot solve a plan; empty when it can.
[[nodiscard]] std::string objection_to_whole(const Plan& plan, const scene::Scene& scene);

// From the given unknowns. The result's residual is that of the whole problem's conditions.
[[nodiscard]] SearchResult solve_whole(const Plan& plan, Shooter& shooter, const Eigen::VectorXd& start);

}  // namespace stickslip::planning
