// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Smoothing method for MCPs: follows the solutions of the smoothed equations Phi_mu(x) = 0 from a large mu to 0.
//
//     phi_mu(a, b) = a + b - sqrt(a^2 + b^2 + 2 mu^2),     Phi_mu = 0  <=>  a > 0, b > 0, a b = mu^2
//
// (fischer_burmeister.h), that is, the central path of interior-point methods, followed without demanding that the
// iterates satisfy F > 0. Newton steps on Phi_mu with the line search of search.h; mu shrinks by 5 or more when
// |Phi_mu|_inf <= mu or after kInner steps; below kSmallest the semismooth method finishes.
//
// Robust where Newton-type methods on the unsmoothed problem end in a local minimum of the merit or on a ray: the
// system is regular for every P_0 Jacobian, and a large mu keeps iterates away from wrong active sets.
// Reference: Chen, Mangasarian 1996; Burke, Xu 1998; Kanzow 1996.
#pragma once

#include "stickslip/complementarity/mcp/levenberg_marquardt.h"
#include "stickslip/complementarity/mcp/mcp_search.h"

namespace stickslip::complementarity {

// From search.current (F and J known there), at most `limit` iterations; first_mu <= 0 chooses it from the residual.
[[nodiscard]] McpOutcome smoothing_newton(McpSearch& search, LevenbergMarquardt& fallback, int limit, double first_mu);

}  // namespace stickslip::complementarity
