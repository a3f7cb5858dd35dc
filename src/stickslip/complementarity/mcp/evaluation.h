// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The callbacks of an MCP as the algorithms see them: counted, checked for finite numbers, completed with finite
// differences where there is no Jacobian, and with the rows of F optionally scaled.
//
//     G_i(x) = d_i F_i(x),  d_i > 0       has the same solutions as F; natural() is always that of F itself.
//
// Finite differences step into the box (forward or backward), h_j = sqrt(eps) max(1, |x_j|), one F per unknown.
#pragma once

#include "stickslip/complementarity/mcp/mcp_problem.h"

namespace stickslip::complementarity {

// A point and what is known there. f is scaled by rows.
struct McpPoint {
  Eigen::VectorXd x, f;
  double merit = 0;    // 1/2 |Phi(x)|^2 of the scaled and smoothed problem
  double natural = 0;  // largest component of the natural map of the posed problem

  void resize(Eigen::Index n) {
    x.resize(n);
    f.resize(n);
  }
};

class McpEvaluation {
 public:
  // Forgets the scaling and the counts; keeps memory. Bounds beyond kNoBound become infinite.
  void start(const McpProblem& problem);

  // F at point.x, its merit and natural residual. False where F is undefined or not finite.
  [[nodiscard]] bool function(McpPoint& point);

  // J (scaled by rows) at a point where F is known. False where undefined or not finite.
  [[nodiscard]] bool jacobian(const McpPoint& point);

  // Rows of J at this point get size 1 (powers of two; a zero row keeps its scale). Reevaluates the point.
  [[nodiscard]] bool scale_rows(McpPoint& point);
  void unscale_rows();

  // The merit of a point whose F is known, after a change of smoothing.
  void refresh_merit(McpPoint& point) const;

  void project(Eigen::VectorXd& x) const { x = x.cwiseMax(lower).cwiseMin(upper); }

  [[nodiscard]] Eigen::Index size() const { return lower.size(); }
  [[nodiscard]] bool scaled() const { return scaled_; }

  Eigen::VectorXd lower, upper;
  Eigen::SparseMatrix<double> J;  // of the last jacobian()
  double smoothing = 0;           // mu of fischer_burmeister.h in the merit
  int functions = 0, jacobians = 0;

 private:
  [[nodiscard]] bool finite_differences(const McpPoint& point);

  const McpProblem* problem_ = nullptr;
  bool scaled_ = false;
  Eigen::VectorXd scale_;
  McpPoint probe_;
};

}  // namespace stickslip::complementarity
