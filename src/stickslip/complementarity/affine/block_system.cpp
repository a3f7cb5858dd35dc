// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/block_system.h"

#include "stickslip/complementarity/affine/vector_kernels.h"
#include "stickslip/complementarity/dense_lu.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stickslip::complementarity {
namespace {

constexpr double kSmallestPivot = 1e-13;    // relative to the block; smaller ones mean a singular guess
constexpr int kIterativeFrom = 150;         // blocks below are faster by elimination
constexpr double kDominance = 0.99;         // sum of off-diagonals over diagonal
constexpr double kKrylovTolerance = 1e-14;  // relative residual: the block must be solved, not approximated
constexpr int kKrylovSteps = 300;

}  // namespace

bool DenseBlock::solve(const std::vector<int>& members, double* x) {
  const auto k = static_cast<int>(members.size());
  if (k == 0) return true;
  const std::size_t entries = static_cast<std::size_t>(k) * k;
  block_.resize(std::max(block_.size(), entries));
  factor_.resize(std::max(factor_.size(), entries));
  residual_.resize(std::max<std::size_t>(residual_.size(), 2 * static_cast<std::size_t>(k)));
  exchange_.resize(std::max<std::size_t>(exchange_.size(), static_cast<std::size_t>(k)));
  for (int c = 0; c < k; ++c) {
    const double* column = M_->column(members[c]);
    for (int r = 0; r < k; ++r) block_[static_cast<std::size_t>(r) * k + c] = column[members[r]];
  }
  std::copy_n(block_.begin(), entries, factor_.begin());
  if (partial_lu(factor_.data(), k, k, k, kSmallestPivot, exchange_.data()) > 0) return false;

  double* right_hand_side = residual_.data() + k;
  std::copy_n(x, k, right_hand_side);
  substitute(k, x);
  for (int r = 0; r < k; ++r) {
    residual_[r] = right_hand_side[r] - kernels::dot(block_.data() + static_cast<std::size_t>(r) * k, x, k);
  }
  substitute(k, residual_.data());
  for (int r = 0; r < k; ++r) x[r] += residual_[r];
  return true;
}

// x <- U^-1 L^-1 P x, factors by rows.
void DenseBlock::substitute(int k, double* x) const {
  for (int r = 0; r < k; ++r) {
    if (exchange_[r] != r) std::swap(x[r], x[exchange_[r]]);
  }
  for (int r = 1; r < k; ++r) x[r] -= kernels::dot(factor_.data() + static_cast<std::size_t>(r) * k, x, r);
  for (int r = k - 1; r >= 0; --r) {
    const double* row = factor_.data() + static_cast<std::size_t>(r) * k;
    x[r] = (x[r] - kernels::dot(row + r + 1, x + r + 1, k - 1 - r)) / row[r];
  }
}

void SparseBlock::set(const SparseColumns& M) {
  M_ = &M;
  order_ = nullptr;
  const int n = M.size();
  dominant_ = true;
  for (int i = 0; i < n && dominant_; ++i) {
    double diagonal = 0, others = 0;
    M.for_each_in_row(i, [&](int j, double value) { (j == i ? diagonal : others) += std::fabs(value); });
    dominant_ = others < kDominance * diagonal;
  }
}

void SparseBlock::gather(const std::vector<int>& members) {
  const auto k = static_cast<int>(members.size());
  position_.assign(static_cast<std::size_t>(M_->size()), -1);
  for (int c = 0; c < k; ++c) position_[members[c]] = c;
  block_start_.resize(static_cast<std::size_t>(k) + 1);
  block_row_.clear();
  block_value_.clear();
  for (int c = 0; c < k; ++c) {
    block_start_[c] = static_cast<int>(block_row_.size());
    M_->for_each_in_column(members[c], [&](int i, double value) {
      if (position_[i] < 0) return;
      block_row_.push_back(position_[i]);
      block_value_.push_back(value);
    });
  }
  block_start_[k] = static_cast<int>(block_row_.size());
}

bool SparseBlock::solve(const std::vector<int>& members, double* x) {
  const auto k = static_cast<int>(members.size());
  if (k == 0) return true;
  gather(members);
  if (dominant_ && k >= kIterativeFrom && solve_iteratively(k, x)) return true;

  if (order_ == nullptr) order_ = &elimination_.order_of(M_->size(), M_->column_start(), M_->column_row());
  block_order_.clear();
  for (const int i : *order_) {
    if (position_[i] >= 0) block_order_.push_back(position_[i]);
  }
  if (!lu_.factor(k, block_start_.data(), block_row_.data(), block_value_.data(), block_order_.data())) return false;
  residual_.resize(static_cast<std::size_t>(k));
  right_hand_side_.assign(x, x + k);
  lu_.solve(x);
  multiply(k, x, residual_.data());
  for (int i = 0; i < k; ++i) residual_[i] = right_hand_side_[i] - residual_[i];
  lu_.solve(residual_.data());
  for (int i = 0; i < k; ++i) x[i] += residual_[i];
  return true;
}

void SparseBlock::multiply(int k, const double* x, double* y) const {
  std::fill_n(y, k, 0.0);
  for (int c = 0; c < k; ++c) {
    for (int p = block_start_[c]; p < block_start_[c + 1]; ++p) y[block_row_[p]] += block_value_[p] * x[c];
  }
}

// Bi-CGSTAB (van der Vorst 1992), preconditioned from the right by the diagonal. Leaves x alone when it fails.
bool SparseBlock::solve_iteratively(int k, double* x) {
  for (auto& v : krylov_) v.assign(static_cast<std::size_t>(k), 0.0);
  auto& [solution, residual, shadow, p, v, t] = krylov_;
  inverse_diagonal_.assign(static_cast<std::size_t>(k), 0.0);
  for (int c = 0; c < k; ++c) {
    for (int e = block_start_[c]; e < block_start_[c + 1]; ++e) {
      if (block_row_[e] == c) inverse_diagonal_[c] += block_value_[e];
    }
  }
  for (double& d : inverse_diagonal_) d = 1 / d;
  right_hand_side_.resize(static_cast<std::size_t>(k));
  const auto apply = [&](const std::vector<double>& in, std::vector<double>& out) {
    for (int i = 0; i < k; ++i) right_hand_side_[i] = in[i] * inverse_diagonal_[i];
    multiply(k, right_hand_side_.data(), out.data());
  };
  std::copy_n(x, k, residual.begin());
  shadow = residual;
  const double target = kKrylovTolerance * std::sqrt(kernels::dot(x, x, k));
  double rho = 1, alpha = 1, omega = 1;
  for (int step = 0; step < kKrylovSteps; ++step) {
    const double rho_next = kernels::dot(shadow.data(), residual.data(), k);
    const double beta = rho_next / rho * alpha / omega;
    rho = rho_next;
    for (int i = 0; i < k; ++i) p[i] = residual[i] + beta * (p[i] - omega * v[i]);
    apply(p, v);
    alpha = rho / kernels::dot(shadow.data(), v.data(), k);
    for (int i = 0; i < k; ++i) residual[i] -= alpha * v[i];
    apply(residual, t);
    const double tt = kernels::dot(t.data(), t.data(), k);
    omega = tt > 0 ? kernels::dot(t.data(), residual.data(), k) / tt : 0;
    for (int i = 0; i < k; ++i) {
      solution[i] += alpha * p[i] + omega * residual[i];
      residual[i] -= omega * t[i];
    }
    const double size = std::sqrt(kernels::dot(residual.data(), residual.data(), k));
    if (size <= target) {
      for (int i = 0; i < k; ++i) x[i] = solution[i] * inverse_diagonal_[i];
      return true;
    }
    if (!(size < 1e3 * target / kKrylovTolerance) || omega == 0) return false;
  }
  return false;
}

}  // namespace stickslip::complementarity
