// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/sparse_lu.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace stickslip::complementarity {
namespace {

constexpr double kPreferDiagonal = 0.1;  // the diagonal is taken when at least this part of the largest candidate
constexpr double kSingular = 1e-13;      // pivot relative to the largest entry of its column of A

}  // namespace

// Depth-first search through the columns of L that starts at pivot step `root`; finished steps are put in front of
// reach_.
void SparseLu::depth_first(int root, int step) {
  int depth = 0;
  stack_[0] = root;
  mark_[root] = step;
  position_[0] = lower_start_[root] + 1;
  while (depth >= 0) {
    const int current = stack_[depth], end = search_end_[current];
    int p = position_[depth], next = -1;
    for (; p < end; ++p) {
      const int i = lower_row_[p], pivot = pivot_of_row_[i];
      if (pivot < 0) {
        add_candidate(i, step);
      } else if (mark_[pivot] != step) {
        next = pivot;
        break;
      }
    }
    if (next < 0) {
      reach_[--top_] = current;
      --depth;
      continue;
    }
    position_[depth] = p + 1;
    mark_[next] = step;
    ++depth;
    stack_[depth] = next;
    position_[depth] = lower_start_[next] + 1;
  }
}

void SparseLu::find_reach(const int* row, int begin, int end, int step) {
  top_ = n_;
  candidate_.clear();
  for (int p = begin; p < end; ++p) {
    const int root = pivot_of_row_[row[p]];
    if (root < 0) {
      add_candidate(row[p], step);
    } else if (mark_[root] != step) {
      depth_first(root, step);
    }
  }
}

double SparseLu::eliminate(const int* row, const double* value, int begin, int end) {
  double largest = 0;
  for (int p = begin; p < end; ++p) {
    x_[row[p]] += value[p];
    largest = std::max(largest, std::fabs(value[p]));
  }
  for (int t = top_; t < n_; ++t) {
    const int step = reach_[t];
    const int pivot_row = lower_row_[lower_start_[step]];  // first entry of each column of L is its pivot row
    const double factor = x_[pivot_row];
    x_[pivot_row] = 0;
    upper_row_.push_back(step);
    upper_value_.push_back(factor);
    if (factor == 0) continue;
    for (int p = lower_start_[step] + 1; p < lower_start_[step + 1]; ++p) x_[lower_row_[p]] -= lower_value_[p] * factor;
  }
  return largest;
}

int SparseLu::choose_pivot(int diagonal, int step) const {
  int pivot = -1;
  double largest = 0;
  for (const int i : candidate_) {
    if (const double size = std::fabs(x_[i]); size > largest) {
      largest = size;
      pivot = i;
    }
  }
  const bool usable = pivot_of_row_[diagonal] < 0 && row_mark_[diagonal] == step;
  return usable && pivot >= 0 && std::fabs(x_[diagonal]) >= kPreferDiagonal * largest ? diagonal : pivot;
}

void SparseLu::prune(int step, int pivot) {
  for (int t = upper_start_[step]; t < static_cast<int>(upper_row_.size()); ++t) {
    const int j = upper_row_[t], begin = lower_start_[j] + 1, end = lower_start_[j + 1];
    if (search_end_[j] < end) continue;  // already
    bool contains = false;
    for (int p = begin; p < end && !contains; ++p) contains = lower_row_[p] == pivot;
    if (!contains) continue;
    // Rows that are pivots come first; only they are searched from now on.
    int head = begin, tail = end;
    while (head < tail) {
      if (pivot_of_row_[lower_row_[head]] >= 0) {
        ++head;
        continue;
      }
      --tail;
      std::swap(lower_row_[head], lower_row_[tail]);
      std::swap(lower_value_[head], lower_value_[tail]);
    }
    search_end_[j] = head;
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
  search_end_.resize(size);
  diagonal_.resize(size);
  order_.assign(order, order + n);
  pivot_of_row_.assign(size, -1);
  mark_.assign(size, -1);
  row_mark_.assign(size, -1);
  candidate_.reserve(size);
  reach_.resize(size);
  stack_.resize(size + 1);
  position_.resize(size + 1);
  x_.assign(size, 0.0);

  for (int k = 0; k < n; ++k) {
    const int j = order[k];
    lower_start_[k] = static_cast<int>(lower_row_.size());
    upper_start_[k] = static_cast<int>(upper_row_.size());
    find_reach(row, column_start[j], column_start[j + 1], k);
    const double largest = eliminate(row, value, column_start[j], column_start[j + 1]);
    const int pivot = choose_pivot(j, k);
    if (pivot < 0 || !(std::fabs(x_[pivot]) > kSingular * largest)) return false;

    const double inverse = 1 / x_[pivot];
    diagonal_[k] = inverse;
    pivot_of_row_[pivot] = k;
    lower_row_.push_back(pivot);
    lower_value_.push_back(1);
    x_[pivot] = 0;
    for (const int i : candidate_) {
      if (i == pivot) continue;
      lower_row_.push_back(i);
      lower_value_.push_back(x_[i] * inverse);
      x_[i] = 0;
    }
    lower_start_[k + 1] = search_end_[k] = static_cast<int>(lower_row_.size());
    prune(k, pivot);
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
