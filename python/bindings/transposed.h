// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Copies of matrices that say on the way whether all entries are finite numbers. NumPy has matrices by rows, the solvers
// by columns. Cost: each entry is read once and written once.
#pragma once

#include <cstddef>

namespace stickslip::python {

// to: `count` numbers. False: an entry is NaN or infinite.
[[nodiscard]] bool copy_finite(const double* from, std::ptrdiff_t count, double* to);

// from: rows x cols by rows; to: the same by columns.
[[nodiscard]] bool copy_transposed(const double* from, std::ptrdiff_t rows, std::ptrdiff_t cols, double* to);

}  // namespace stickslip::python
