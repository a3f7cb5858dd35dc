// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The motion of least objective among those that satisfy the conditions (a mathematical program with equilibrium
// constraints): sequential quadratic programming in the unknowns of the shooting problem.
//
//     minimise f(u)   subject to   c(u) = 0,  d(u) <= 0,  low <= u <= high
//
// Every iterate is a run of the simulator, so complementarity holds exactly all along and nothing is relaxed. The SQP
// is NLopt's SLSQP (Kraft 1988) with the derivatives of the run; the end is brought back to the conditions by search.h.
#pragma once

#include "stickslip/planning/plan_search.h"

namespace stickslip::planning {

// From a solution of the conditions. The result is a solution as well, with an objective that is no larger.
[[nodiscard]] SearchResult minimise(const Plan& plan, Shooter& shooter, const SearchResult& feasible);

}  // namespace stickslip::planning
