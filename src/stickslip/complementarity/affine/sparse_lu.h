// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Sparse LU factorisation A = L U up to permutations, left-looking, with a given column order and partial pivoting that
// prefers the diagonal (Gilbert, Peierls 1988). Written for repeated factorisations of changing sub-matrices: all
// storage is kept between calls, so that nothing is allocated once it has grown; Eigen's SparseLU allocates each time.
//
// Symbols: order[k] column eliminated at step k; pivot_of_row_[i] step at which row i became pivot.
// Cost: proportional to the multiplications that are really needed, plus the entries of L, U and A.
#pragma once

#include <vector>

namespace stickslip::complementarity {

class SparseLu {
 public:
  // A: n x n in compressed columns. order: permutation of 0..n-1. False when A is singular to working precision.
  [[nodiscard]] bool factor(int n, const int* column_start, const int* row, const double* value, const int* order);

  // b <- A^-1 b
  void solve(double* b);

  [[nodiscard]] int order() const { return n_; }
  [[nodiscard]] long entries() const { return static_cast<long>(lower_row_.size() + upper_row_.size()); }

 private:
  // Symbolic part of a step: the earlier steps that A(:, j) needs, in an order in which they can be applied, at
  // reach_[top_ ..]; and the rows without pivot that fill reaches, in candidate_.
  void find_reach(const int* row, int begin, int end, int step);
  void depth_first(int step_root, int step);
  void add_candidate(int i, int step) {
    if (row_mark_[i] == step) return;
    row_mark_[i] = step;
    candidate_.push_back(i);
  }
  // Numeric part: x_ = L^-1 A(:, j); returns the largest entry of A(:, j).
  double eliminate(const int* row, const double* value, int begin, int end);
  [[nodiscard]] int choose_pivot(int diagonal, int step) const;
  // Shortens later searches: once row `pivot` is a pivot, columns that contain it in both L and U lead nowhere else
  // (symmetric pruning, Eisenstat and Liu 1992).
  void prune(int step, int pivot);

  int n_ = 0, top_ = 0;
  std::vector<int> lower_start_, lower_row_, upper_start_, upper_row_;
  std::vector<double> lower_value_, upper_value_, diagonal_;
  std::vector<int> pivot_of_row_, order_, mark_, row_mark_, reach_, stack_, position_, candidate_, search_end_;
  std::vector<double> x_;
};

}  // namespace stickslip::complementarity
