// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// An order of elimination of the unknowns of a sparse matrix with little fill (approximate minimum degree of M + M').
// Leaving unknowns out of an order adds no fill to the rest, so one order of the whole matrix serves every active set.
// It is kept as long as the pattern stays the same, which it does over many steps of a simulation.
#pragma once

#include <Eigen/SparseCore>
#include <vector>

namespace stickslip::complementarity {

class EliminationOrder {
 public:
  // order[k]: unknown eliminated at step k. column_start, row: compressed columns of an n x n matrix.
  [[nodiscard]] const std::vector<int>& order_of(int n, const int* column_start, const int* row);

 private:
  std::vector<int> column_start_, row_, order_;
};

}  // namespace stickslip::complementarity
