// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/sparse_lu.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stickslip::complementarity {
namespace {

constexpr double kPreferDiagonal = 0.1;  // the diagonal is taken when at least this part of the largest candidate
constexpr double kSingular = 1e-13;      // pivot relative to the largest entry of its column of A

}  // namespace

// Depth-first search through the columns of L that start at pivot step `root`; finished steps are put in front of reach_.
void SparseLu::depth_first(int root, int step) {
  int depth = 0;
  stack_[0] = root;
  mark_[root] = step;
  position_[0] = lower_start_[root];
  while (depth >= 0) {
    const int current = stack_[depth];
    bool descended = false;
    for (int& p = position_[depth]; p < lower_start_[current + 1]; ++p) {
      const int next = pivot_of_row_[lower_row_[p]];
      if (next < 0) {
        continue;
      }
      if (mark_[next] == step) continue;
      mark_[next] = step;
      ++p;
      ++depth;
      stack_[depth] = next;
      position_[depth] = lower_start_[next];
      descended = true;
      break;
    }
    if (!descended) {
      reach_[--top_] = current;
      --depth;
    }
  }
}

void SparseLu::find_reach(const int* row, int begin, int end, int step) {
  top_ = n_;
  for (int p = begin; p < end; ++p) {
    const int root = pivot_of_row_[row[p]];
    if (root >= 0 && mark_[root] != step) depth_first(root, step);
  }
}

bool SparseLu::factor(int n, const int* column_start, const int* row, const double* value, const int* order) {
  n_ = n;
  const auto size = static_cast<std::size_t>(n);
  lower_row_.clear();
  lower_value_.clear();
  upper_row_.clear();
  upper_value_.clear();
  lower_start_.resize(size + 1);
  upper_start_.resize(size + 1);
  diagonal_.resize(size);
  order_.assign(order, order + n);
  pivot_of_row_.assign(size, -1);
  mark_.assign(size, -1);
  reach_.resize(size);
  stack_.resize(size + 1);
  position_.resize(size + 1);
  x_.assign(size, 0.0);
  // Rows of the pattern that are not pivots yet are marked in a second array by the step number.
  pattern_.assign(2 * size, -1);
  int* seen = pattern_.data();
  int* candidate = pattern_.data() + n;

  for (int k = 0; k < n; ++k) {
    const int j = order[k];
    lower_start_[k] = static_cast<int>(lower_row_.size());
    upper_start_[k] = static_cast<int>(upper_row_.size());
    find_reach(row, column_start[j], column_start[j + 1], k);

    int candidates = 0;
    double largest_entry = 0;
    const auto touch = [&](int i) {
      if (pivot_of_row_[i] < 0 && seen[i] != k) {
        seen[i] = k;
        candidate[candidates++] = i;
      }
    };
    for (int p = column_start[j]; p < column_start[j + 1]; ++p) {
      x_[row[p]] += value[p];
      largest_entry = std::max(largest_entry, std::fabs(value[p]));
      touch(row[p]);
    }
    for (int t = top_; t < n; ++t) {
      const int step = reach_[t];
      const int pivot_row = lower_row_[lower_start_[step]];  // first entry of each column of L is its pivot row
      const double factor = x_[pivot_row];
      x_[pivot_row] = 0;
      upper_row_.push_back(step);
      upper_value_.push_back(factor);
      for (int p = lower_start_[step] + 1; p < lower_start_[step + 1]; ++p) {
        x_[lower_row_[p]] -= lower_value_[p] * factor;
        touch(lower_row_[p]);
      }
    }
    int pivot = -1;
    double largest = 0;
    for (int c = 0; c < candidates; ++c) {
      if (const double size_c = std::fabs(x_[candidate[c]]); size_c > largest) {
        largest = size_c;
        pivot = candidate[c];
      }
    }
    if (pivot < 0 || !(largest > kSingular * largest_entry)) return false;
    if (pivot_of_row_[j] < 0 && seen[j] == k && std::fabs(x_[j]) >= kPreferDiagonal * largest) pivot = j;

    const double inverse = 1 / x_[pivot];
    diagonal_[k] = inverse;
    pivot_of_row_[pivot] = k;
    lower_row_.push_back(pivot);
    lower_value_.push_back(1);
    x_[pivot] = 0;
    for (int c = 0; c < candidates; ++c) {
      const int i = candidate[c];
      if (i == pivot) continue;
      if (x_[i] != 0) {
        lower_row_.push_back(i);
        lower_value_.push_back(x_[i] * inverse);
      }
      x_[i] = 0;
    }
    lower_start_[k + 1] = static_cast<int>(lower_row_.size());
  }
  upper_start_[n] = static_cast<int>(upper_row_.size());
  for (int& i : lower_row_) i = pivot_of_row_[i];  // from rows of A to steps
  return true;
}

void SparseLu::solve(double* b) {
  for (int i = 0; i < n_; ++i) x_[pivot_of_row_[i]] = b[i];
  for (int k = 0; k < n_; ++k) {
    const double value = x_[k];
    if (value == 0) continue;
    for (int p = lower_start_[k] + 1; p < lower_start_[k + 1]; ++p) x_[lower_row_[p]] -= lower_value_[p] * value;
  }
  for (int k = n_ - 1; k >= 0; --k) {
    if (x_[k] == 0) continue;
    x_[k] *= diagonal_[k];
    for (int p = upper_start_[k]; p < upper_start_[k + 1]; ++p) x_[upper_row_[p]] -= upper_value_[p] * x_[k];
  }
  for (int k = 0; k < n_; ++k) b[order_[k]] = x_[k];
}

}  // namespace stickslip::complementarity
