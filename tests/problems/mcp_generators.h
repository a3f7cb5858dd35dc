// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random nonlinear MCPs with a known solution x*:
//
//     F(x) = A (x - x*) + c o (g(x) - g(x*)) + w*,     g(x) = x^3 / 3 or sinh-like growth, c >= 0 (by component)
//
// Each unknown is drawn free, with one bound or with two; x* lies inside, or at a bound with w* of the right sign or,
// for a third of those, w* = 0 (degenerate). The kinds differ in A:
//     Monotone     B'B/n + skew part: the solution is unique
//     Singular     the same with B of half rank and c = 0 for half of the unknowns: J is singular everywhere
//     Indefinite   random signs, diagonal shifted by sqrt(n)/2: neither monotone nor P_0
//     Scaled       Monotone, rows and unknowns in units from 1e-3 to 1e3
#pragma once

#include "tests/problems/mcp_collection.h"

namespace stickslip::complementarity {

enum class RandomMcp { Monotone, Singular, Indefinite, Scaled };

[[nodiscard]] McpTestProblem random_mcp(RandomMcp kind, int n, unsigned seed);

}  // namespace stickslip::complementarity
