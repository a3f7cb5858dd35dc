// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The nonlinear mixed complementarity problem (MCP): find x with
//
//     lower <= x <= upper   _|_   F(x),
//
// F given by a callback, its Jacobian as a sparse matrix by another.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <functional>
#include <string>

namespace stickslip::complementarity {

struct McpProblem {
  Eigen::VectorXd lower, upper;  // -inf and +inf where there is no bound

  // F(x) into f (already of the right size). Returns false where F is not defined; the solver then steps back.
  std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& f)> function;

  // dF/dx into J (n x n; the callback may keep the pattern and only refresh values). Returns false where undefined.
  // Left empty, the solver takes finite differences (dense: only for small problems).
  std::function<bool(const Eigen::VectorXd& x, Eigen::SparseMatrix<double>& J)> jacobian;

  [[nodiscard]] Eigen::Index size() const { return lower.size(); }
};

// Empty text when the problem is well formed; otherwise one line that says what is wrong.
[[nodiscard]] std::string validate(const McpProblem& problem);

}  // namespace stickslip::complementarity
