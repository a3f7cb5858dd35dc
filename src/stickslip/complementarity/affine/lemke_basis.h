// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The basis of a pivoting method reduced to what matters: the columns C of the basic unknowns z_j (and of the artificial
// unknown z0, index n, whose column is the covering vector d) and the equally many rows R whose w_i is nonbasic (zero).
//
//     K = [M | d](R, C),   order k = number of basic unknowns; rows outside R have a basic w that needs no factor at all
//
// The class keeps C, R, their positions and K^-1 together. Cost per exchange k^2; fresh factor k^3.
#pragma once

#include "stickslip/complementarity/affine/basis_inverse.h"

#include <vector>

namespace stickslip::complementarity {

template <class Matrix>
class LemkeBasis {
 public:
  void reset(const Matrix& M, const double* cover);

  [[nodiscard]] int order() const { return k_; }
  [[nodiscard]] int artificial() const { return n_; }
  [[nodiscard]] int column(int c) const { return C_[c]; }
  [[nodiscard]] int row(int r) const { return R_[r]; }
  [[nodiscard]] int position_of_column(int j) const { return column_position_[j]; }
  [[nodiscard]] int position_of_row(int i) const { return row_position_[i]; }

  void reserve(int k);

  // Adds column j and row i without touching the factor; factor() makes it valid again.
  void append(int i, int j);
  // Drops all members.
  void clear();
  // Fresh inverse. False when singular.
  [[nodiscard]] bool factor();

  // u = K^-1 [M | d](R, j)
  void solve_column(int j, double* u);
  // x = K^-1 a, a given in the order of R
  void solve(const double* a, double* x) const { inverse_.solve(a, x); }
  // b' = v' K^-1 with v = [M | d](i, C)
  void solve_row(int i, double* b);
  [[nodiscard]] const double* inverse_column(int r) const { return inverse_.column(r); }

  // y += sum_c x[c] [M | d](:, C[c])
  void price(const double* x, double* y) const;
  // out[r] = y[R[r]]
  void gather(const double* y, double* out) const;
  void gather_row(int i, double* out) const;

  // The four exchanges. u is solve_column of the entering column. False: singular, nothing changed.
  [[nodiscard]] bool replace_column(int c, int j, const double* u);
  [[nodiscard]] bool replace_row(int r, int i);
  [[nodiscard]] bool grow(int i, int j, const double* u);
  [[nodiscard]] bool shrink(int r, int c);

 private:
  [[nodiscard]] double entry(int i, int j) const { return j < n_ ? M_->at(i, j) : cover_[i]; }

  const Matrix* M_ = nullptr;
  const double* cover_ = nullptr;
  int n_ = 0, k_ = 0;
  BasisInverse inverse_;
  std::vector<int> C_, R_, column_position_, row_position_;
  std::vector<double> rows_, scratch_;
};

}  // namespace stickslip::complementarity
