// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Josephy-Newton method for MCPs: each iteration solves the linearised complementarity problem (linearisation.h) for
// the Newton point y and searches the segment from x to y, which lies in the box, for a smaller Fischer-Burmeister
// merit (non-monotone, search.h). Where the linearisation has no solution or its segment no better point, a
// Levenberg-Marquardt step is taken instead. This is the method of PATH (Dirkse, Ferris 1995) with a line search in
// place of its path search.
//
// Assumes: F once differentiable. Converges in one step for affine F, quadratically near strongly regular solutions,
// and identifies the active set by pivoting instead of by many small steps: the choice for up to a few hundred
// unknowns and for degenerate problems.
// Cost per iteration: one J, one inner solve (k^2 n for k basic unknowns far from the solution), 1 to 20 F.
#pragma once

#include "stickslip/complementarity/mcp/levenberg_marquardt.h"
#include "stickslip/complementarity/mcp/linearisation.h"
#include "stickslip/complementarity/mcp/mcp_search.h"

namespace stickslip::complementarity {

// From search.current (F and J known there), at most `limit` iterations.
[[nodiscard]] McpOutcome josephy_newton(McpSearch& search, Linearisation& inner, LevenbergMarquardt& fallback,
                                        int limit);

}  // namespace stickslip::complementarity
