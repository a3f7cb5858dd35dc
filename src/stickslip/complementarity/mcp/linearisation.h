// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The linearised MCP of the Josephy-Newton method, solved by pivoting (affine/lemke.h):
//
//     lower <= x + s <= upper   _|_   F(x) + J s
//
// posed in the step s, so that nothing cancels when x is near a solution. The active set of x - F(x) is the start
// basis, and close to the solution it is the right one: the inner solve is then one factorisation without pivots.
// When pivoting ends on a ray, other covers and start bases are tried, then proximal terms (J + eps I).
// Dense columns for small or full problems, compressed ones otherwise. Dense solves allocate nothing when warm.
#pragma once

#include "stickslip/complementarity/affine/lemke.h"
#include "stickslip/complementarity/affine/matrix_columns.h"
#include "stickslip/complementarity/mcp/evaluation.h"

namespace stickslip::complementarity {

class Linearisation {
 public:
  static constexpr Eigen::Index kDenseSize = 200;

  // Writes the Newton point's step to s. The last of the `tries` that succeeded is remembered in proximal().
  [[nodiscard]] bool solve(const McpEvaluation& evaluation, const McpPoint& point, Eigen::VectorXd& s);

  [[nodiscard]] double proximal() const { return proximal_; }  // eps that was needed, 0 if none
  [[nodiscard]] int pivots() const { return pivots_; }

 private:
  void set_matrix(const Eigen::SparseMatrix<double>& J);
  void set_proximal(double eps);
  [[nodiscard]] bool pivot(const VariableStatus* start, bool cover_all);
  [[nodiscard]] bool finite_solution() const;
  [[nodiscard]] const std::vector<double>& solution() const { return is_dense_ ? dense_lemke_.z() : sparse_lemke_.z(); }

  bool is_dense_ = true;
  double proximal_ = 0;
  int pivots_ = 0;
  const McpPoint* point_ = nullptr;
  Eigen::MatrixXd dense_;
  Eigen::SparseMatrix<double> sparse_;
  Eigen::VectorXd lower_, upper_;
  Basis start_;
  DenseColumns dense_columns_;
  SparseColumns sparse_columns_;
  Lemke<DenseColumns> dense_lemke_;
  Lemke<SparseColumns> sparse_lemke_;
};

}  // namespace stickslip::complementarity
