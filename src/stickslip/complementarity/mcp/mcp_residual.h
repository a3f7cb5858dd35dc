// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The certificate of a nonlinear MCP, computed from the posed problem alone (one evaluation of F and one of J at x).
//
//     natural map      r_i = x_i - mid(lower_i, upper_i, x_i - F_i(x))
//     natural          max_i |r_i|                                   absolute, as the collections of MCPs define it
//     size of row i    S_i = |x_i| + |F_i| + sum_j |J_ij| |x_j|      magnitude of the numbers that cancel in r_i
//     scaled           max_i |r_i| / (1 + S_i)                       relative to the data; never above natural
//     error            max_i e_i,   e_i = |r_i| / (1 + S_i)  where |r_i| <= 16 eps S_i,   e_i = |r_i|  elsewhere
//
// So the error is the absolute natural residual. The one exception are components that are as small as double
// precision allows for the numbers that were added to get them: with S_i = 1e9 no solver can bring |r_i| below 1e-7,
// and an exact solution, rounded, must not fail for that. The exception can only matter where S_i > 3e6 (at a tolerance
// of 1e-8). A stricter measure, F_i divided by the size of its derivatives, was considered and rejected: at a singular
// solution (F = x^4) it would demand 1e-32 of F.
//
// How could the error be small while the law is violated?
//   1. By units: the error is absolute, in the units in which x and F are posed, as in all collections of MCPs.
//      F = 1e-12 (x - 1) is satisfied to 1e-8 by x = 0. Nothing in the values at one point tells this
//      from F = (x - 1)^4 near its solution, for which every measure relative to the row (as affine_residual.h has one) stays above 0.1. Whoever
//      poses a problem chooses units in which 1e-8 is little.
//   2. By other rows: no. Each row is judged by itself; there is no norm over rows and no denominator but 1 + S_i.
//   3. By the exception: it accepts |r_i| <= 16 eps S_i, which is a backward error of 16 roundings in the row's own
//      terms J_ij x_j. No x with a larger one passes.
//   4. By a wrong Jacobian or none: J only enters S_i. An S_i too large accepts more; the answer is then as wrong as
//      the Jacobian that the problem was posed with. Without J the exception is for |x_i| and |F_i| alone.
//   5. By NaN or overflow: an infinite error.
//
//     primal           max_i distance of x_i from [lower_i, upper_i]
//     dual             max_i violation of the sign of F_i that the missing bounds demand (|F_i| for a free unknown)
//     complementarity  max_i min(x_i - lower_i, F_i) or min(upper_i - x_i, -F_i), positive parts
//     cone             0
//
// All are infinite where F is undefined or not finite. Without a Jacobian callback its part of S_i is left out.
#pragma once

#include "stickslip/complementarity/mcp/mcp_problem.h"
#include "stickslip/complementarity/summary.h"

namespace stickslip::complementarity {

struct McpResidualWorkspace {
  Eigen::VectorXd f, size;
  Eigen::SparseMatrix<double> J;
};

[[nodiscard]] Residual mcp_residual(const McpProblem& problem, const Eigen::VectorXd& x, McpResidualWorkspace& work);
[[nodiscard]] Residual mcp_residual(const McpProblem& problem, const Eigen::VectorXd& x);

}  // namespace stickslip::complementarity
