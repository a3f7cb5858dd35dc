// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The entries of an affine problem's matrix as it was given, dense or sparse, before any solver has its own form of it
// (matrix_columns.h).
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"

namespace stickslip::complementarity {

// f(i, value) for what is not zero in column j of a dense matrix, or stored in that of a sparse one.
template <class F>
void for_each_in_column(const AffineProblem& problem, Eigen::Index j, F&& f) {
  if (problem.is_dense) {
    const double* column = problem.dense.data() + j * problem.dense.rows();
    const auto n = static_cast<int>(problem.size());
    for (int i = 0; i < n; ++i) {
      if (column[i] != 0) f(i, column[i]);
    }
  } else {
    for (Eigen::SparseMatrix<double>::InnerIterator it(problem.sparse, j); it; ++it) {
      f(static_cast<int>(it.row()), it.value());
    }
  }
}

}  // namespace stickslip::complementarity
