// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Semismooth Newton method for MCPs, one linear system per iteration; made for large sparse problems.
//
// At each point two directions are tried, and Levenberg-Marquardt when neither gives a step:
//   1. active set (the natural map's Newton step):  d_i = l_i - x_i where x_i - F_i <= l_i,  d_i = u_i - x_i where
//      x_i - F_i >= u_i, and J_i d = -F_i in the other rows. Exact in finitely many steps for many affine problems.
//   2. Fischer-Burmeister:  (D_x + D_f J) d = -Phi.
// Steps are P(x + t d), globalised by the Fischer-Burmeister merit as search.h describes.
//
// Assumes: F once differentiable. Converges fast where the generalised Jacobian is regular (quadratically when J is
// Lipschitz); where it is not, the Levenberg-Marquardt steps converge linearly or better under an error bound.
// References: De Luca, Facchinei, Kanzow 1996; Munson, Facchinei, Ferris, Fischer, Kanzow 2001.
#pragma once

#include "stickslip/complementarity/mcp/levenberg_marquardt.h"
#include "stickslip/complementarity/mcp/mcp_search.h"

namespace stickslip::complementarity {

// From search.current (F and J known there), at most `limit` iterations.
[[nodiscard]] McpOutcome semismooth_newton(McpSearch& search, LevenbergMarquardt& fallback, int limit);

// The direction of the active-set step in search.direction; false when its system is singular. Leaves search.dx/df of
// the natural map, so linearise() must follow before the Fischer-Burmeister system is used again.
[[nodiscard]] bool active_set_direction(McpSearch& search);

}  // namespace stickslip::complementarity
