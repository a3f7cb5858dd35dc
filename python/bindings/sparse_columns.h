// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Sparse matrices by columns, as SciPy has them: what is looked at before anything is read by their indices, and a copy
// into a dense matrix that says on the way whether all entries are finite numbers.
//
// In column c stand the rows row[start[c]] ... row[start[c + 1] - 1] with their values. Cost: each entry is looked at once
// and copied once, eight at a time where rows follow each other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stickslip::python {

struct ColumnArrays {
  const std::int32_t *start, *row;
  const double* value;
  std::ptrdiff_t rows, cols, entries;  // entries: of `row` and `value`
};

enum class SparseForm {
  Wrong,      // starts that do not rise, rows outside the matrix
  Unordered,  // rows in any order, or twice
  InOrder  // each column has its rows in order and none twice, and the first begins at 0: the arrays are those of Eigen
};

// Reads `start` whole and `row` where `start` points.
[[nodiscard]] SparseForm form_of(const ColumnArrays& matrix);

// to: rows x cols by columns. Of matrices in order. False: an entry is NaN or infinite.
[[nodiscard]] bool copy_dense(const ColumnArrays& matrix, double* to);

}  // namespace stickslip::python
