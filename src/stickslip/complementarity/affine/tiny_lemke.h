// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Lemke's method on a small full tableau, for LCPs of at most twelve unknowns: here the set-up of the revised method
// costs more than all pivots together.
//
//     basic = T nonbasic + rhs,      at first  w = [M | 1](z, z0) + q
//
// A pivot exchanges a row and a column of T. First w_i and z_i trade places where the right-hand side is most negative
// (principal pivoting, as of Bard): with positive diagonals that is often all. Otherwise Lemke's path. Ties within
// rounding go to z0, then to the largest pivot; there is no protection against cycling but a limit of pivots: whoever
// fails here is handed to lemke.h, and every answer is certified. Cost: n^2 per pivot, no heap.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/basis.h"

#include <Eigen/Core>
#include <array>

namespace stickslip::complementarity {

class TinyLemke {
 public:
  static constexpr int kLargest = 12;

  // Dense, at most kLargest unknowns, all z >= 0 without upper bounds.
  [[nodiscard]] static bool applies(const AffineProblem& problem);

  // False: ray, tie trouble or too many pivots. z is a candidate that the caller must certify.
  [[nodiscard]] bool solve(const AffineProblem& problem, Eigen::VectorXd& z, Basis& basis);
  [[nodiscard]] int pivots() const { return pivots_; }

 private:
  static constexpr int kColumns = kLargest + 2;  // z, z0, right-hand side

  void fill(const AffineProblem& problem);
  [[nodiscard]] bool pivot_by_signs();
  [[nodiscard]] bool follow_path(int worst);
  [[nodiscard]] int blocking_row(int column) const;
  void exchange(int row, int column);

  int n_ = 0, pivots_ = 0;
  std::array<std::array<double, kColumns>, kLargest> table_;
  // Unknowns: 0 .. n-1 are z, n .. 2n-1 are w, 2n is z0.
  std::array<int, kLargest> row_unknown_;
  std::array<int, kLargest + 1> column_unknown_;
};

}  // namespace stickslip::complementarity
