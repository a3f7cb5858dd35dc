// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/elimination_order.h"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <cstddef>

namespace stickslip::complementarity {

const std::vector<int>& EliminationOrder::order_of(int n, const int* column_start, const int* row) {
  const auto columns = static_cast<std::size_t>(n) + 1;
  const auto entries = static_cast<std::size_t>(column_start[n]);
  if (column_start_.size() == columns && row_.size() == entries &&
      std::equal(column_start_.begin(), column_start_.end(), column_start) &&
      std::equal(row_.begin(), row_.end(), row)) {
    return order_;
  }
  column_start_.assign(column_start, column_start + columns);
  row_.assign(row, row + entries);
  const std::vector<double> ones(entries, 1.0);
  const Eigen::Map<const Eigen::SparseMatrix<double>> pattern(n, n, static_cast<Eigen::Index>(entries),
                                                              column_start_.data(), row_.data(), ones.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int> minimum_degree;
  const Eigen::SparseMatrix<double> copy = pattern;
  minimum_degree(copy, permutation);
  order_.assign(permutation.indices().data(), permutation.indices().data() + n);
  return order_;
}

}  // namespace stickslip::complementarity
