// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// All bases of a small problem, one after the other, until one gives a certified solution. General affine problems are
// NP-hard and every pivoting method misses some; up to twelve unknowns trying everything is a matter of milliseconds.
//
// Bases are visited in the order of a counter with two digits per unknown (three with two bounds); free unknowns are
// always basic. Finding none is no proof: a solution may belong to a singular basis only. Cost: up to 2^n (3^n)
// factorisations of order <= n.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/basis.h"
#include "stickslip/complementarity/affine/block_system.h"
#include "stickslip/complementarity/deadline.h"

#include <Eigen/Core>
#include <vector>

namespace stickslip::complementarity {

class Enumeration {
 public:
  static constexpr long kMostBases = 10000;  // about ten milliseconds

  struct Result {
    bool certified = false;
    int bases = 0;
    Residual residual;
  };

  // Whether the problem is small enough.
  [[nodiscard]] static bool applies(const AffineProblem& problem);
  Result solve(const AffineProblem& problem, double tolerance, const Deadline& deadline, Eigen::VectorXd& z);

  [[nodiscard]] const Basis& basis() const { return basis_; }

 private:
  [[nodiscard]] bool advance(const AffineProblem& problem);
  [[nodiscard]] bool solve_basis(const AffineProblem& problem, Eigen::VectorXd& z);

  Basis basis_;
  Eigen::MatrixXd matrix_;
  DenseColumns columns_;
  DenseBlock block_;
  std::vector<int> members_;
  std::vector<double> rhs_;
  ResidualWorkspace residual_;
};

}  // namespace stickslip::complementarity
