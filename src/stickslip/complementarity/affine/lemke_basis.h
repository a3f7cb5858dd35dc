// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The basis of a pivoting method reduced to what matters: the columns C of the basic unknowns z_j (and of the
// artificial unknown z0, index n, whose column is the covering vector d) and the equally many rows R whose w_i is
// nonbasic (zero).
//
//     K = [M | d](R, C),   order k = number of basic unknowns; rows outside R have a basic w that needs no factor at
//     all
//
// The class keeps C, R, their positions and the factor of K together: an explicit inverse (cost k^2 per exchange, k^3
// for a fresh one), and for sparse M with large k a sparse LU with borders (bordered_lu.h), chosen at each fresh
// factor.
#pragma once

#include "stickslip/complementarity/affine/basis_inverse.h"
#include "stickslip/complementarity/affine/bordered_lu.h"
#include "stickslip/complementarity/affine/elimination_order.h"

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
  void solve(const double* a, double* x) {
    if (large_) {
      bordered_.solve(a, x);
    } else {
      inverse_.solve(a, x);
    }
  }
  // x = K^-1 e_r
  void solve_unit(int r, double* x);
  // b' = v' K^-1 with v = [M | d](i, C). Explicit inverse only.
  void solve_row(int i, double* b);
  [[nodiscard]] bool has_explicit_inverse() const { return !large_; }

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
  void gather_column(int j, double* out) const;
  [[nodiscard]] bool factor_sparse();

  const Matrix* M_ = nullptr;
  const double* cover_ = nullptr;
  int n_ = 0, k_ = 0;
  bool large_ = false;
  BasisInverse inverse_;
  BorderedLu bordered_;
  EliminationOrder elimination_;
  std::vector<int> block_start_, block_row_, block_order_, row_of_, partner_;
  std::vector<double> block_value_;
  std::vector<int> C_, R_, column_position_, row_position_;
  std::vector<double> rows_, scratch_, column_;
};

}  // namespace stickslip::complementarity
