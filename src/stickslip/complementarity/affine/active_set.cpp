// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/active_set.h"

#include "stickslip/complementarity/affine/affine_problem.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stickslip::complementarity {

template <class Matrix, class Block>
bool ActiveSet<Matrix, Block>::sweep(const Matrix& M, const double* q, const double* lower, const double* upper,
                                     int sweeps) {
  n_ = M.size();
  const auto size = static_cast<std::size_t>(n_);
  z_.resize(size);
  status_.resize(size);
  inverse_diagonal_.resize(size);
  w_.assign(q, q + n_);
  for (int i = 0; i < n_; ++i) {
    const double diagonal = M.diagonal(i);
    if (!(diagonal > 0)) return false;
    inverse_diagonal_[i] = 1 / diagonal;
    z_[i] = lower[i] > -kInfinity ? lower[i] : upper[i] < kInfinity ? upper[i] : 0;
    if (z_[i] != 0) M.add_column(i, z_[i], w_.data());
  }
  // w is kept up to date, so that unknowns which rest at a bound cost nothing.
  int settled = 0;
  for (int sweep = 0; sweep < sweeps && settled < 2; ++sweep) {
    bool changed = false;
    for (int i = 0; i < n_; ++i) {
      const double target = std::min(upper[i], std::max(lower[i], z_[i] - w_[i] * inverse_diagonal_[i]));
      const double step = target - z_[i];
      if (step == 0) continue;
      const bool was_inside = z_[i] > lower[i] && z_[i]<upper[i], is_inside = target> lower[i] && target < upper[i];
      changed = changed || was_inside != is_inside;
      z_[i] = target;
      M.add_column(i, step, w_.data());
    }
    settled = changed ? 0 : settled + 1;
  }
  using enum VariableStatus;
  for (int i = 0; i < n_; ++i) {
    const double target = z_[i] - w_[i] * inverse_diagonal_[i];
    status_[i] = target <= lower[i] ? AtLower : target >= upper[i] ? AtUpper : Basic;
  }
  return true;
}

template <class Matrix, class Block>
void ActiveSet<Matrix, Block>::guess_from_signs() {
  using enum VariableStatus;
  for (int i = 0; i < n_; ++i) {
    const bool has_lower = lower_[i] > -kInfinity, has_upper = upper_[i] < kInfinity;
    if (!has_lower && !has_upper) {
      status_[i] = Basic;
    } else if (has_lower) {
      status_[i] = q_[i] < 0 ? Basic : AtLower;
    } else {
      status_[i] = q_[i] > 0 ? Basic : AtUpper;
    }
  }
}

// z and w of the present guess.
template <class Matrix, class Block>
bool ActiveSet<Matrix, Block>::solve_block() {
  members_.clear();
  std::copy(q_, q_ + n_, w_.begin());
  for (int i = 0; i < n_; ++i) {
    if (status_[i] == VariableStatus::Basic) {
      members_.push_back(i);
      continue;
    }
    z_[i] = status_[i] == VariableStatus::AtLower ? lower_[i] : upper_[i];
    if (z_[i] != 0) M_->add_column(i, z_[i], w_.data());
  }
  const auto k = static_cast<int>(members_.size());
  for (int c = 0; c < k; ++c) x_[c] = -w_[members_[c]];
  if (!block_.solve(members_, x_.data())) return false;
  for (int c = 0; c < k; ++c) z_[members_[c]] = x_[c];
  M_->add_columns(members_.data(), x_.data(), k, w_.data());
  return true;
}

template <class Matrix, class Block>
int ActiveSet<Matrix, Block>::violations(double tolerance_z, double tolerance_w) {
  wrong_.clear();
  for (int i = 0; i < n_; ++i) {
    if (lower_[i] == upper_[i]) continue;
    bool wrong = false;
    switch (status_[i]) {
      case VariableStatus::Basic: wrong = z_[i] < lower_[i] - tolerance_z || z_[i] > upper_[i] + tolerance_z; break;
      case VariableStatus::AtLower: wrong = w_[i] < -tolerance_w; break;
      case VariableStatus::AtUpper: wrong = w_[i] > tolerance_w; break;
    }
    if (wrong) wrong_.push_back(i);
  }
  return static_cast<int>(wrong_.size());
}

template <class Matrix, class Block>
void ActiveSet<Matrix, Block>::exchange(bool only_last) {
  using enum VariableStatus;
  for (std::size_t k = only_last ? wrong_.size() - 1 : 0; k < wrong_.size(); ++k) {
    const int i = wrong_[k];
    if (status_[i] != Basic) {
      status_[i] = Basic;
    } else {
      status_[i] = z_[i] < lower_[i] ? AtLower : AtUpper;
    }
  }
}

template <class Matrix, class Block>
ActiveSetExit ActiveSet<Matrix, Block>::solve(const Matrix& M, const double* q, const double* lower,
                                              const double* upper, const VariableStatus* start,
                                              const ActiveSetOptions& options) {
  M_ = &M;
  q_ = q;
  lower_ = lower;
  upper_ = upper;
  n_ = M.size();
  const auto size = static_cast<std::size_t>(n_);
  for (auto* v : {&z_, &w_, &x_}) v->resize(size);
  members_.reserve(size);
  wrong_.reserve(size);
  status_.resize(size);
  iterations_ = 0;
  if (start != nullptr) {
    using enum VariableStatus;
    for (int i = 0; i < n_; ++i) {  // nothing rests at a bound that does not exist
      const bool exists = start[i] == Basic || (start[i] == AtLower ? lower[i] > -kInfinity : upper[i] < kInfinity);
      status_[i] = exists ? start[i] : Basic;
    }
  } else if (options.sweeps == 0 || !sweep(M, q, lower, upper, options.sweeps)) {
    guess_from_signs();
  }
  block_.set(M);
  const double q_size = kernels::abs_max(q, n_);

  int best = n_ + 1, patience = options.patience, singles = options.single_exchanges;
  while (iterations_ < options.max_iterations) {
    if (options.deadline.passed()) return ActiveSetExit::TimeLimit;
    ++iterations_;
    if (!solve_block()) return ActiveSetExit::Singular;
    const double z_size = kernels::abs_max(z_.data(), n_);
    const int wrong = violations(options.tolerance * z_size, options.tolerance * q_size);
    if (options.history != nullptr) {
      options.history->push_back({iterations_, static_cast<double>(wrong), 0, "active set: violated signs"});
    }
    if (wrong == 0) {
      for (int i = 0; i < n_; ++i) z_[i] = std::min(upper[i], std::max(lower[i], z_[i]));
      return ActiveSetExit::Solved;
    }
    bool only_last = false;
    if (wrong < best) {
      best = wrong;
      patience = options.patience;
    } else if (patience > 0) {
      --patience;
    } else if (singles-- > 0) {
      only_last = true;
    } else {
      return ActiveSetExit::Stalled;
    }
    exchange(only_last);
  }
  return ActiveSetExit::IterationLimit;
}

template class ActiveSet<DenseColumns, DenseBlock>;
template class ActiveSet<SparseColumns, SparseBlock>;

}  // namespace stickslip::complementarity
