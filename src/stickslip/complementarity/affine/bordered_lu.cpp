// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/bordered_lu.h"

#include "stickslip/complementarity/affine/vector_kernels.h"

#include <algorithm>
#include <cstddef>

namespace stickslip::complementarity {

bool BorderedLu::factor(int k, const int* column_start, const int* row, const double* value, const int* order,
                        const int* row_of) {
  if (!lu_.factor(k, column_start, row, value, order)) return false;
  k_ = base_ = k;
  borders_ = 0;
  schur_.clear();
  column_slot_.resize(static_cast<std::size_t>(k));
  for (int c = 0; c < k; ++c) column_slot_[c] = c;
  row_slot_.assign(row_of, row_of + k);
  solved_columns_.clear();
  border_row_start_.assign(1, 0);
  border_row_index_.clear();
  border_row_value_.clear();
  return true;
}

// x0 = K0^-1 x0 becomes the solution on the base columns, y (in: right-hand side of the border rows) that on the
// borders.
void BorderedLu::apply_borders(double* x0, double* y) {
  for (int b = 0; b < borders_; ++b) {
    double sum = y[b];
    for (int p = border_row_start_[b]; p < border_row_start_[b + 1]; ++p) {
      sum -= border_row_value_[p] * x0[border_row_index_[p]];
    }
    schur_column_[b] = sum;
  }
  schur_.solve(schur_column_.data(), y);
  for (int b = 0; b < borders_; ++b) {
    if (y[b] != 0) {
      kernels::add_scaled(x0, -y[b], solved_columns_.data() + static_cast<std::size_t>(b) * base_, base_);
    }
  }
}

void BorderedLu::solve(const double* a, double* x) {
  const int size = base_ + borders_;
  right_.assign(static_cast<std::size_t>(size), 0.0);
  schur_column_.resize(static_cast<std::size_t>(borders_) + 1);
  for (int r = 0; r < k_; ++r) right_[row_slot_[r]] = a[r];
  lu_.solve(right_.data());
  if (borders_ > 0) apply_borders(right_.data(), right_.data() + base_);
  for (int c = 0; c < k_; ++c) x[c] = right_[column_slot_[c]];
}

void BorderedLu::clear_border() {
  const auto size = static_cast<std::size_t>(base_ + borders_);
  column_.assign(size, 0.0);
  row_.assign(size, 0.0);
}

bool BorderedLu::append_border(double corner) {
  lu_.solve(column_.data());  // y = K0^-1 u, in place
  schur_column_.resize(static_cast<std::size_t>(borders_) + 1);
  schur_row_.resize(static_cast<std::size_t>(borders_) + 1);
  schur_solved_.resize(static_cast<std::size_t>(borders_) + 1);
  for (int b = 0; b < borders_; ++b) {
    double below = column_[base_ + b];
    for (int p = border_row_start_[b]; p < border_row_start_[b + 1]; ++p) {
      below -= border_row_value_[p] * column_[border_row_index_[p]];
    }
    schur_column_[b] = below;
    schur_row_[b] = row_[base_ + b];
  }
  const int first = border_row_start_[borders_];
  for (int c = 0; c < base_; ++c) {
    if (row_[c] == 0) continue;
    border_row_index_.push_back(c);
    border_row_value_.push_back(row_[c]);
    corner -= row_[c] * column_[c];
    for (int b = 0; b < borders_; ++b) {
      schur_row_[b] -= row_[c] * solved_columns_[static_cast<std::size_t>(b) * base_ + c];
    }
  }
  schur_.solve(schur_column_.data(), schur_solved_.data());
  if (!schur_.grow(schur_row_.data(), schur_solved_.data(), corner)) {
    border_row_index_.resize(static_cast<std::size_t>(first));
    border_row_value_.resize(static_cast<std::size_t>(first));
    return false;
  }
  solved_columns_.insert(solved_columns_.end(), column_.begin(), column_.begin() + base_);
  border_row_start_.push_back(static_cast<int>(border_row_index_.size()));
  ++borders_;
  return true;
}

bool BorderedLu::replace_column(int c, const double* a) {
  clear_border();
  for (int r = 0; r < k_; ++r) column_[row_slot_[r]] = a[r];
  row_[column_slot_[c]] = 1;
  if (!append_border(0)) return false;
  column_slot_[c] = base_ + borders_ - 1;
  return true;
}

bool BorderedLu::replace_row(int r, const double* v) {
  clear_border();
  column_[row_slot_[r]] = 1;
  for (int c = 0; c < k_; ++c) row_[column_slot_[c]] = v[c];
  if (!append_border(0)) return false;
  row_slot_[r] = base_ + borders_ - 1;
  return true;
}

bool BorderedLu::grow(const double* v, const double* a, double corner) {
  clear_border();
  for (int r = 0; r < k_; ++r) column_[row_slot_[r]] = a[r];
  for (int c = 0; c < k_; ++c) row_[column_slot_[c]] = v[c];
  if (!append_border(corner)) return false;
  column_slot_.push_back(base_ + borders_ - 1);
  row_slot_.push_back(base_ + borders_ - 1);
  ++k_;
  return true;
}

bool BorderedLu::shrink(int r, int c) {
  clear_border();
  column_[row_slot_[r]] = 1;
  row_[column_slot_[c]] = 1;
  if (!append_border(0)) return false;
  row_slot_[r] = row_slot_.back();
  column_slot_[c] = column_slot_.back();
  row_slot_.pop_back();
  column_slot_.pop_back();
  --k_;
  return true;
}

}  // namespace stickslip::complementarity
