// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/lazy_schur.h"

#include "stickslip/complementarity/union_find.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

constexpr int kLargestBlock = 24;     // beyond, the free unknowns are better kept in the basis
constexpr int kLargestSize = 600;     // the cache of columns is dense, and a large basis is better factored sparsely
constexpr double kWorstBlock = 1e10;  // |A|_max |A^-1|_max of a block; more would cost digits that pivoting needs

}  // namespace

bool LazySchur::set(const SparseColumns& M, const Eigen::VectorXd& q, const Eigen::VectorXd& lower,
                    const Eigen::VectorXd& upper) {
  M_ = &M;
  const int total = M.size();
  bounded_.clear();
  free_.clear();
  position_.resize(total);
  for (int i = 0; i < total; ++i) {
    if (lower[i] == -kInfinity && upper[i] == kInfinity) {
      position_[i] = -1 - static_cast<int>(free_.size());
      free_.push_back(i);
    } else {
      position_[i] = static_cast<int>(bounded_.size());
      bounded_.push_back(i);
    }
  }
  n_ = static_cast<int>(bounded_.size());
  if (free_.empty() || n_ == 0 || n_ > kLargestSize) return false;
  if (!find_blocks() || !invert_blocks()) return false;

  q_.resize(n_);
  lower_.resize(n_);
  upper_.resize(n_);
  for (int i = 0; i < n_; ++i) {
    q_[i] = q[bounded_[i]];
    lower_[i] = lower[bounded_[i]];
    upper_[i] = upper[bounded_[i]];
  }
  const int free = static_cast<int>(free_.size());
  free_q_.resize(free);
  free_value_.resize(free);
  solved_.resize(free);
  free_column_.assign(free, 0.0);
  for (int f = 0; f < free; ++f) free_q_[f] = q[free_[f]];
  for (const Block& block : blocks_) apply_inverse(block, free_q_.data(), free_value_.data());
  for (int f = 0; f < free; ++f) subtract_free_column(f, free_value_[f], q_.data());

  formed_.assign(n_, 0);
  columns_.resize(static_cast<std::size_t>(n_) * n_);
  estimate_diagonal();
  return true;
}

// Connected parts of the free block, by union and find over its entries.
bool LazySchur::find_blocks() {
  const int free = static_cast<int>(free_.size());
  parent_.resize(free);
  for (int f = 0; f < free; ++f) parent_[f] = f;
  for (int f = 0; f < free; ++f) {
    M_->for_each_in_column(free_[f], [&](int i, double) {
      if (position_[i] < 0) parent_[find_root(parent_, -1 - position_[i])] = find_root(parent_, f);
    });
  }
  blocks_.clear();
  block_of_.assign(free, -1);
  for (int f = 0; f < free; ++f) {
    const int root = find_root(parent_, f);
    if (block_of_[root] < 0) {
      block_of_[root] = static_cast<int>(blocks_.size());
      blocks_.push_back({0, 0, 0});
    }
    block_of_[f] = block_of_[root];
    if (++blocks_[block_of_[f]].size > kLargestBlock) return false;
  }
  int start = 0;
  for (Block& block : blocks_) {
    block.start = start;
    start += block.size;
    block.size = 0;
  }
  members_.resize(free);
  local_.resize(free);
  for (int f = 0; f < free; ++f) {
    Block& block = blocks_[block_of_[f]];
    local_[f] = block.size;
    members_[block.start + block.size++] = f;
  }
  return true;
}

bool LazySchur::invert_blocks() {
  std::size_t total = 0;
  for (Block& block : blocks_) {
    block.inverse = total;
    total += static_cast<std::size_t>(block.size) * block.size;
  }
  inverse_.resize(total);
  block_rows_.resize(static_cast<std::size_t>(kLargestBlock) * kLargestBlock);
  for (const Block& block : blocks_) {
    const int m = block.size;
    std::fill_n(block_rows_.begin(), m * m, 0.0);
    double largest = 0, largest_inverse = 0;
    for (int c = 0; c < m; ++c) {
      M_->for_each_in_column(free_[members_[block.start + c]], [&](int i, double value) {
        if (position_[i] >= 0) return;
        block_rows_[local_[-1 - position_[i]] * m + c] = value;
        largest = std::max(largest, std::fabs(value));
      });
    }
    if (!inverter_.invert(block_rows_.data(), m, m)) return false;
    for (int r = 0; r < m; ++r) {
      for (int c = 0; c < m; ++c) {
        const double value = inverter_.column(r)[c];
        inverse_[block.inverse + c * m + r] = value;
        largest_inverse = std::max(largest_inverse, std::fabs(value));
      }
    }
    if (!(largest * largest_inverse < kWorstBlock)) return false;
  }
  return true;
}

void LazySchur::estimate_diagonal() {
  diagonal_.assign(n_, 0.0);
  for (int i = 0; i < n_; ++i) {
    double own = 0, through = 0;
    M_->for_each_in_column(bounded_[i], [&](int row, double value) {
      if (row == bounded_[i]) own = value;
      if (position_[row] >= 0) return;
      const int f = -1 - position_[row];
      const Block& block = blocks_[block_of_[f]];
      through += value * value * std::fabs(inverse_[block.inverse + local_[f] * block.size + local_[f]]);
    });
    diagonal_[i] = std::fabs(own) + through;
  }
}

void LazySchur::apply_inverse(const Block& block, const double* r, double* y) const {
  const int* member = members_.data() + block.start;
  const double* inverse = inverse_.data() + block.inverse;
  for (int i = 0; i < block.size; ++i) {
    double sum = 0;
    for (int j = 0; j < block.size; ++j) sum += inverse[i * block.size + j] * r[member[j]];
    y[member[i]] = sum;
  }
}

void LazySchur::subtract_free_column(int f, double s, double* out) const {
  if (s == 0) return;
  M_->for_each_in_column(free_[f], [&](int i, double value) {
    if (position_[i] >= 0) out[position_[i]] -= s * value;
  });
}

void LazySchur::form(int j) const {
  formed_[j] = 1;
  double* out = columns_.data() + static_cast<std::size_t>(j) * n_;
  std::fill_n(out, n_, 0.0);
  touched_.clear();
  M_->for_each_in_column(bounded_[j], [&](int i, double value) {
    if (position_[i] >= 0) {
      out[position_[i]] += value;
      return;
    }
    const int f = -1 - position_[i];
    free_column_[f] += value;
    if (std::find(touched_.begin(), touched_.end(), block_of_[f]) == touched_.end()) touched_.push_back(block_of_[f]);
  });
  for (const int b : touched_) {
    const Block& block = blocks_[b];
    apply_inverse(block, free_column_.data(), solved_.data());
    for (int m = 0; m < block.size; ++m) {
      const int f = members_[block.start + m];
      free_column_[f] = 0;
      subtract_free_column(f, solved_[f], out);
    }
  }
}

void LazySchur::expand(const double* v, Eigen::VectorXd& z) {
  z.resize(static_cast<Eigen::Index>(position_.size()));
  std::copy(free_q_.begin(), free_q_.end(), solved_.begin());
  for (int j = 0; j < n_; ++j) {
    z[bounded_[j]] = v[j];
    if (v[j] == 0) continue;
    M_->for_each_in_column(bounded_[j], [&](int i, double value) {
      if (position_[i] < 0) solved_[-1 - position_[i]] += value * v[j];
    });
  }
  for (const Block& block : blocks_) apply_inverse(block, solved_.data(), free_value_.data());
  for (std::size_t f = 0; f < free_.size(); ++f) z[free_[f]] = -free_value_[f];
}

}  // namespace stickslip::complementarity
