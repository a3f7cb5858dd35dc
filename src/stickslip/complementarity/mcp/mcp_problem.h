// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The nonlinear mixed complementarity problem (MCP): find x with
//
//     lower <= x <= upper   _|_   F(x),
//
// that is, for each i:  F_i >= 0 where x_i = lower_i,  F_i <= 0 where x_i = upper_i,  F_i = 0 strictly between.
// F is given by a callback, its Jacobian as a sparse matrix by another. A nonlinear complementarity problem has
// lower = 0 and upper = inf, a system of equations has no finite bound.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <functional>
#include <string>

namespace stickslip::complementarity {

// Bounds of at least this size mean "no bound", as in most modelling languages.
constexpr double kNoBound = 1e20;

struct McpProblem {
  Eigen::VectorXd lower, upper;  // -inf and +inf (or beyond -+kNoBound) where there is no bound

  // F(x) into f (already of the right size). Returns false where F is not defined; the solver then steps back.
  // F is only asked for x within the bounds.
  std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& f)> function;

  // dF/dx into J (n x n; the callback may keep the pattern and only refresh values). Returns false where undefined.
  // Left empty, the solver takes finite differences (dense: only for small problems).
  std::function<bool(const Eigen::VectorXd& x, Eigen::SparseMatrix<double>& J)> jacobian;

  [[nodiscard]] Eigen::Index size() const { return lower.size(); }
};

// Empty text when the problem is well formed; otherwise one line that says what is wrong.
[[nodiscard]] std::string validate(const McpProblem& problem);

// The same affine problem as an MCP (F = M z + q, constant Jacobian). The callbacks own a copy of M and q.
[[nodiscard]] McpProblem to_mcp(const AffineProblem& problem);

}  // namespace stickslip::complementarity
