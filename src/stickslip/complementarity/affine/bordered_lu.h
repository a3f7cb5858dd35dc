// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The factor of a large sparse basis matrix K: a sparse LU of the matrix K0 of some earlier pivot, and borders for all
// exchanges since. Every exchange is one more border of
//
//     [ K0  U ]         S = D - V K0^-1 U   (t x t, t exchanges since, kept as explicit inverse)
//     [ V   D ]
//
//     replace column c by a     border column a,    border row selects x_c and sets it to 0
//     replace row r by v        border row v,       border column is a slack that lifts equation r
//     grow by (v, a)            border column a,    border row v
//     shrink by (r, c)          border column lifts equation r, border row sets x_c to 0
//
// solve:   a = K0^-1 b,   y = S^-1 (c - V a),   x = a - (K0^-1 U) y.          (block LU update; Gill et al. 1984)
//
// Cost: an exchange and a solve take one sparse triangular solve and t k each. Refactor after some sixty exchanges.
// Positions c and r of columns and rows are those of the caller and behave as in basis_inverse.h.
#pragma once

#include "stickslip/complementarity/affine/basis_inverse.h"
#include "stickslip/complementarity/affine/sparse_lu.h"

#include <vector>

namespace stickslip::complementarity {

class BorderedLu {
 public:
  // K (k x k) in compressed columns; row_of[r]: row index in these columns of the caller's position r.
  [[nodiscard]] bool factor(int k, const int* column_start, const int* row, const double* value, const int* order,
                            const int* row_of);

  [[nodiscard]] int order() const { return k_; }

  // x = K^-1 a
  void solve(const double* a, double* x);

  // a: column by positions of rows; v: row by positions of columns. False: singular, nothing changed.
  [[nodiscard]] bool replace_column(int c, const double* a);
  [[nodiscard]] bool replace_row(int r, const double* v);
  [[nodiscard]] bool grow(const double* v, const double* a, double corner);
  [[nodiscard]] bool shrink(int r, int c);

 private:
  // The new border is prepared in column_ and row_ (over all k0 + t rows and columns), then appended.
  void clear_border();
  [[nodiscard]] bool append_border(double corner);
  void apply_borders(double* x0, double* y);

  int k_ = 0, base_ = 0, borders_ = 0;
  SparseLu lu_;
  BasisInverse schur_;
  std::vector<int> column_slot_, row_slot_;  // position -> index in the bordered matrix
  std::vector<double> column_, row_, right_, schur_column_, schur_row_, schur_solved_;
  std::vector<double> solved_columns_;                    // K0^-1 U, column by column
  std::vector<int> border_row_start_, border_row_index_;  // V, sparse rows
  std::vector<double> border_row_value_;
};

}  // namespace stickslip::complementarity
