// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Levenberg-Marquardt on the Fischer-Burmeister function, the last resort for small problems that pivoting leaves
// unsolved: it needs no basis, so it also serves systems with more equations than unknowns or singular everywhere.
//
//     phi(a, b) = a + b - sqrt(a^2 + b^2)                          zero exactly when 0 <= a _|_ b >= 0
//     lower bound only   Phi_i = phi(z_i - lower_i, w_i)           upper bound only   Phi_i = -phi(upper_i - z_i, -w_i)
//     both               Phi_i = phi(z_i - lower_i, -phi(upper_i - z_i, -w_i))           free   Phi_i = w_i
//     step               (J'J + lambda diag(scale)^2) dz = -J' Phi,     J in the B-differential of Phi
//
// Unknowns and rows are divided by their natural units first. Assumption: dense, n <= 400. Cost: n^3 per step.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/natural_units.h"
#include "stickslip/complementarity/deadline.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace stickslip::complementarity {

class LeastSquares {
 public:
  static constexpr Eigen::Index kLargest = 400;

  struct Result {
    bool certified = false;
    int iterations = 0;
    Residual residual;
  };

  // Tries a few starting points. z holds the best point found.
  Result solve(const AffineProblem& problem, double tolerance, int max_iterations, const Deadline& deadline,
               Eigen::VectorXd& z);

 private:
  void scale(const AffineProblem& problem);
  void start_at(int attempt);
  // Phi at y_, and its Jacobian when asked.
  double evaluate(const Eigen::VectorXd& y, bool with_jacobian);
  [[nodiscard]] Residual certificate(const AffineProblem& problem, Eigen::VectorXd& z);

  NaturalUnits units_;
  Eigen::MatrixXd M_, J_, H_;
  Eigen::VectorXd q_, lower_, upper_, y_, trial_, w_, phi_, gradient_, step_, best_;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
  ResidualWorkspace residual_;
};

}  // namespace stickslip::complementarity
