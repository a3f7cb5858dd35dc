// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "sparse_columns.h"

#include "finite_sum.h"

#include <algorithm>

namespace stickslip::python {

STICKSLIP_WIDE_CLONE SparseForm form_of(const ColumnArrays& matrix) {
  const std::int32_t *start = matrix.start, *row = matrix.row;
  bool in_order = start[0] == 0;
  for (std::ptrdiff_t c = 0; c < matrix.cols; ++c) {
    const std::int32_t begin = start[c], end = start[c + 1];
    if (begin < 0 || end < begin || end > matrix.entries) return SparseForm::Wrong;
    if (begin == end) continue;
    unsigned disorder = 0;  // without branches, so that several are looked at at once
    for (std::int32_t k = begin + 1; k < end; ++k) disorder |= static_cast<unsigned>(row[k - 1] >= row[k]);
    if (disorder == 0) {  // the first is the smallest, the last the largest
      if (row[begin] < 0 || row[end - 1] >= matrix.rows) return SparseForm::Wrong;
      continue;
    }
    in_order = false;
    for (std::int32_t k = begin; k < end; ++k)
      if (row[k] < 0 || row[k] >= matrix.rows) return SparseForm::Wrong;
  }
  return in_order ? SparseForm::InOrder : SparseForm::Unordered;
}

STICKSLIP_WIDE_CLONE bool copy_dense(const ColumnArrays& matrix, double* to) {
  constexpr std::int32_t kRun = 2 * kLanes;
  FiniteSum sum;
  for (std::ptrdiff_t c = 0; c < matrix.cols; ++c) {
    double* column = to + c * matrix.rows;
    const std::int32_t begin = matrix.start[c], end = matrix.start[c + 1];
    const bool full = end - begin == matrix.rows;
    if (!full) std::fill(column, column + matrix.rows, 0.0);
    std::int32_t k = begin;
    for (; k + kRun <= end; k += kRun) {
      const std::int32_t* row = matrix.row + k;
      const double* value = matrix.value + k;
      Lanes a, b;
      load(a, value);
      load(b, value + kLanes);
      sum.add(a, b);
      if (full || row[kRun - 1] - row[0] == kRun - 1) {  // in order, and none left out
        double* run = column + (full ? k - begin : row[0]);
        store(run, a);
        store(run + kLanes, b);
      } else {
        for (std::int32_t i = 0; i < kRun; ++i) column[row[i]] = value[i];
      }
    }
    for (; k < end; ++k) {
      column[matrix.row[k]] = matrix.value[k];
      sum.add(matrix.value[k]);
    }
  }
  return sum.finite();
}

}  // namespace stickslip::python
