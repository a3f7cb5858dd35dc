// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/matrix_columns.h"

namespace stickslip::complementarity {

void SparseColumns::set(const Eigen::SparseMatrix<double>& M) {
  n_ = static_cast<int>(M.cols());
  column_start_ = M.outerIndexPtr();
  row_ = M.innerIndexPtr();
  value_ = M.valuePtr();
  const int count = column_start_[n_];
  row_start_.assign(static_cast<std::size_t>(n_) + 2, 0);
  column_.resize(static_cast<std::size_t>(count));
  row_value_.resize(static_cast<std::size_t>(count));

  // Counting sort by rows; row_start_ is shifted by two so that it ends in place.
  for (int p = 0; p < count; ++p) ++row_start_[row_[p] + 2];
  for (int i = 0; i < n_; ++i) row_start_[i + 2] += row_start_[i + 1];
  for (int j = 0; j < n_; ++j) {
    for (int p = column_start_[j]; p < column_start_[j + 1]; ++p) {
      const int slot = row_start_[row_[p] + 1]++;
      column_[slot] = j;
      row_value_[slot] = value_[p];
    }
  }
}

}  // namespace stickslip::complementarity
