// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A natural size for every unknown and every row of w = M z + q, so that tolerances, covering vectors and pivots mean
// the same whatever units the user chose (scaling of rows and columns without touching the matrix).
//
//     rows with a diagonal:     row_i = |q|_inf over these rows,   column_i = row_i / |M_ii|
//     rows without one:         row_i = max_j |M_ij| column_j,     column_i = min_j row_j / |M_ji|     over known j
//
// repeated until nothing new becomes known. For a contact LCP the rows are velocities and slip speeds, the columns
// impulses: changing metres to millimetres or kilograms to grams multiplies each size by exactly its unit. Cost: n,
// plus one row and one column of M per unknown without a diagonal.
#pragma once

#include "stickslip/complementarity/affine/matrix_columns.h"

#include <vector>

namespace stickslip::complementarity {

struct NaturalUnits {
  std::vector<double> row, column;
};

template <class Matrix>
void find_natural_units(const Matrix& M, const double* q, NaturalUnits& units);

}  // namespace stickslip::complementarity
