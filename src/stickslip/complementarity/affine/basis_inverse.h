// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The explicit inverse of the small basis matrix K (k x k) of a pivoting method, and its four updates. With a row v
// that is added, a column a, u = K^-1 a, b' = v' K^-1:
//
//     replace column c by a     K^-1  <-  E K^-1,  E = identity with column c from u               needs u_c != 0
//     replace row r by v        K^-1  <-  K^-1 F,  F = identity with row r from b                  needs b_r != 0
//     grow by (v, a, corner)    bordered by the Schur complement  s = corner - v' u                needs s != 0
//     shrink by (row r, col c)  the inverse of growing                                             needs (K^-1)_cr != 0
//
// Symbols: k order, position c of a column and r of a row in K. Stored by columns: column r of K^-1 is contiguous, its
// entries are indexed by the columns c of K, so that every update is a sweep of additions of one contiguous vector.
// Cost: k^2 per update and per solve, k^3 for a fresh inverse. Rounding accumulates: the caller refactors and refines.
#pragma once

#include "stickslip/complementarity/affine/vector_kernels.h"

#include <cstddef>
#include <vector>

namespace stickslip::complementarity {

class BasisInverse {
 public:
  [[nodiscard]] int order() const { return k_; }

  // Room for order k without reallocation. Keeps the inverse.
  void reserve(int k);

  // Inverts K given by rows (row r at rows + r * stride). False when K is singular to working precision; then the order
  // is unchanged and the inverse is undefined.
  [[nodiscard]] bool invert(const double* rows, int k, int stride);

  void clear() { k_ = 0; }

  // x = K^-1 a
  void solve(const double* a, double* x) const;
  // b' = v' K^-1
  void solve_transposed(const double* v, double* b) const;
  // Column r of K^-1.
  [[nodiscard]] const double* column(int r) const { return data_.data() + static_cast<std::size_t>(r) * stride_; }

  void replace_column(int c, const double* u);
  // False when the exchange is singular (b_r = 0); nothing is changed then.
  [[nodiscard]] bool replace_row(int r, const double* v);
  [[nodiscard]] bool grow(const double* v, const double* u, double corner);
  // The last row and column of K move into the holes.
  [[nodiscard]] bool shrink(int r, int c);

 private:
  [[nodiscard]] double* mutable_column(int r) { return data_.data() + static_cast<std::size_t>(r) * stride_; }

  int k_ = 0;
  int stride_ = 0;
  std::vector<double> data_, work_, scratch_, row_size_;
  std::vector<int> pivot_row_;
};

}  // namespace stickslip::complementarity
