// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/lemke.h"

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/lazy_schur.h"
#include "stickslip/complementarity/affine/matrix_columns.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stickslip::complementarity {
namespace {

// Among tied candidates, those with a pivot below this part of the largest are left out: they would spoil the factor.
constexpr double kSmallPivot = 1e-7;
constexpr int kClockInterval = 32;  // pivots between looks at the clock

}  // namespace

template <class Matrix>
double Lemke<Matrix>::bound_value(int j) const {
  const double value = status_[j] == VariableStatus::AtUpper ? upper_[j] : lower_[j];
  return std::isinf(value) ? 0 : value;  // an undetermined free unknown rests at 0
}

template <class Matrix>
void Lemke<Matrix>::set_status(const VariableStatus* start) {
  using enum VariableStatus;
  status_.resize(n_);
  for (int j = 0; j < n_; ++j) {
    const bool has_lower = lower_[j] > -kInfinity, has_upper = upper_[j] < kInfinity;
    const VariableStatus fallback = has_lower ? AtLower : has_upper ? AtUpper : Basic;
    VariableStatus wanted = start != nullptr ? start[j] : fallback;
    if ((wanted == AtLower && !has_lower) || (wanted == AtUpper && !has_upper)) wanted = fallback;
    if (wanted == Basic && lower_[j] == upper_[j]) wanted = AtLower;
    status_[j] = wanted;
  }
}

template <class Matrix>
bool Lemke<Matrix>::factor_start() {
  basis_.reset(*M_, cover_.data());
  for (int j = 0; j < n_; ++j) {
    if (status_[j] == VariableStatus::Basic) basis_.append(j, j);
  }
  if (!basis_.factor()) {
    if (!repair_.repair(*M_, lower_, upper_, basis_, status_)) return false;
    // A repair may leave the equation of one bounded unknown and the column of another: no complementary basis.
    for (int j = 0; j < n_; ++j) {
      const bool bounded = lower_[j] > -kInfinity || upper_[j] < kInfinity;
      if (bounded && (basis_.position_of_row(j) < 0) != (basis_.position_of_column(j) < 0)) return false;
    }
  }
  for (int c = 0; c < basis_.order(); ++c) enter_basic(c, basis_.column(c), 0, 0);
  return true;
}

template <class Matrix>
void Lemke<Matrix>::enter_basic(int position, int j, double value, double eps) {
  if (position >= static_cast<int>(x_.size())) {
    const std::size_t room = std::max<std::size_t>(16, static_cast<std::size_t>(position) * 3 / 2 + 1);
    for (auto* v : {&x_, &x_eps_, &dx_, &x_lower_, &x_upper_, &x_inverse_unit_, &u_, &rhs_}) v->resize(room);
  }
  x_[position] = value;
  x_eps_[position] = eps;
  const bool artificial = j == n_;
  x_lower_[position] = artificial ? 0 : lower_[j];
  x_upper_[position] = artificial ? kInfinity : upper_[j];
  x_inverse_unit_[position] = artificial ? 1 : 1 / units_.column[j];
}

template <class Matrix>
void Lemke<Matrix>::set_factor(int i) {
  const bool blocks =
      basis_.position_of_row(i) < 0 && lower_[i] < upper_[i] && (lower_[i] > -kInfinity || upper_[i] < kInfinity);
  factor_[i] = !blocks ? 0 : (status_[i] == VariableStatus::AtUpper ? -1 : 1) / units_.row[i];
}

// x = -K^-1 (q + M z_nonbasic)_R,  w = q + M z + d z0, refined with the true matrix as often as asked.
template <class Matrix>
void Lemke<Matrix>::compute_values(int refinements) {
  std::copy(q_, q_ + n_, w_.begin());
  for (int j = 0; j < n_; ++j) {
    if (status_[j] == VariableStatus::Basic) continue;
    if (const double value = bound_value(j); value != 0) M_->add_column(j, value, w_.data());
  }
  const int k = basis_.order();
  std::fill_n(x_.begin(), k, 0.0);
  for (int pass = 0; pass <= refinements && k > 0; ++pass) {
    basis_.gather(w_.data(), rhs_.data());
    basis_.solve(rhs_.data(), u_.data());
    for (int c = 0; c < k; ++c) {
      u_[c] = -u_[c];
      x_[c] += u_[c];
    }
    basis_.price(u_.data(), w_.data());
  }
}

// How x (dx_) and the slacks (-rate_) change per unit of the driving unknown.
template <class Matrix>
void Lemke<Matrix>::find_direction() {
  const int k = basis_.order();
  std::fill(rate_.begin(), rate_.end(), 0.0);
  if (driver_.is_z) {
    basis_.solve_column(driver_.index, u_.data());
    for (int c = 0; c < k; ++c) dx_[c] = -driver_.sign * u_[c];
    M_->add_column(driver_.index, driver_.sign, rate_.data());
  } else {
    basis_.solve_unit(basis_.position_of_row(driver_.index), u_.data());
    for (int c = 0; c < k; ++c) dx_[c] = driver_.sign * u_[c];
  }
  basis_.price(dx_.data(), rate_.data());
}

template <class Matrix>
typename Lemke<Matrix>::Blocking Lemke<Matrix>::ratio_test(const LemkeOptions& options) {
  const int k = basis_.order(), r = driver_.index;
  const double unit = driver_.is_z ? units_.column[r] : units_.row[r];
  double fastest = std::max(kernels::scale_rates(rate_.data(), factor_.data(), n_), 1e-3 / unit);
  for (int c = 0; c < k; ++c) {
    if (x_lower_[c] > -kInfinity || x_upper_[c] < kInfinity) {
      fastest = std::max(fastest, std::fabs(dx_[c]) * x_inverse_unit_[c]);
    }
  }
  const double threshold = options.pivot_tolerance * fastest, tie = options.tie_tolerance;

  // First pass: the longest step with every bound relaxed.
  const double own = driver_.is_z ? upper_[r] - lower_[r] : kInfinity;
  double limit = own < kInfinity ? own + tie * unit : kInfinity;
  const auto slack_of = [&](int c) {
    return (dx_[c] < 0 ? x_[c] - x_lower_[c] : x_upper_[c] - x_[c]) * x_inverse_unit_[c];
  };
  for (int c = 0; c < k; ++c) {
    const double rate = std::fabs(dx_[c]) * x_inverse_unit_[c];
    if (rate <= threshold) continue;
    limit = std::min(limit, (std::max(slack_of(c), 0.0) + tie) / rate);
  }
  limit = kernels::relaxed_ratio(slack_.data(), rate_.data(), tie, threshold, limit, n_);
  if (limit == kInfinity) return {};
  limit *= 1 + 4e-16;  // rounding of the quotient must not lose the minimiser itself

  // Second pass: among all that block within the limit, the first under perturbation; z0 always wins.
  Blocking best;
  double first = kInfinity, slack = 0, pivot = 0;
  if (own <= limit) {
    best.kind = Blocking::Kind::Own;
    first = 0;
    pivot = 1 / unit;
    slack = own * pivot;
  }
  const auto consider = [&](typename Blocking::Kind kind, int position, double s, double eps, double rate) {
    const double when = eps / rate;
    const bool too_small = rate < kSmallPivot * pivot, far_larger = pivot < kSmallPivot * rate;
    if (too_small || (!far_larger && (when > first || (when == first && rate <= pivot)))) return;
    best.kind = kind;
    best.position = position;
    first = when;
    slack = s;
    pivot = rate;
  };
  const int z0 = basis_.position_of_column(n_);
  for (int c = 0; c < k; ++c) {
    const double rate = std::fabs(dx_[c]) * x_inverse_unit_[c];
    if (rate <= threshold) continue;
    const double s = slack_of(c);
    if (s > limit * rate) continue;
    const double eps = (dx_[c] < 0 ? x_eps_[c] : -x_eps_[c]) * x_inverse_unit_[c];
    if (c == z0 && dx_[c] < 0) {
      return {Blocking::Kind::Unknown, c, std::max(s, 0.0) / rate, eps / rate};
    }
    consider(Blocking::Kind::Unknown, c, s, eps, rate);
  }
  for (int i = 0; i < n_; ++i) {
    if (slack_[i] <= limit * rate_[i] && rate_[i] > threshold) {
      consider(Blocking::Kind::Row, i, slack_[i], slack_eps_[i], rate_[i]);
    }
  }
  best.step = std::max(slack, 0.0) / pivot;
  best.step_eps = best.kind == Blocking::Kind::Own ? 0 : first;
  return best;
}

template <class Matrix>
void Lemke<Matrix>::advance(const Blocking& blocking) {
  const int k = basis_.order();
  for (int c = 0; c < k; ++c) {
    x_[c] += blocking.step * dx_[c];
    x_eps_[c] += blocking.step_eps * dx_[c];
  }
  kernels::add_scaled(slack_.data(), -blocking.step, rate_.data(), n_);
  kernels::add_scaled(slack_eps_.data(), -blocking.step_eps, rate_.data(), n_);
}

// Exchanges driving and blocking unknown and names the next driver. False: the factor broke down.
template <class Matrix>
bool Lemke<Matrix>::exchange(const Blocking& blocking) {
  using enum VariableStatus;
  const int r = driver_.index;
  if (blocking.kind == Blocking::Kind::Own) {  // jumps to its other bound; its w drives next
    status_[r] = driver_.sign > 0 ? AtUpper : AtLower;
    driver_ = {r, false, -driver_.sign};
    return true;
  }
  const double value = driver_.sign * blocking.step, eps = driver_.sign * blocking.step_eps;
  const double z_value = driver_.is_z ? bound_value(r) + value : 0;
  const bool leaving_is_z = blocking.kind == Blocking::Kind::Unknown;
  const int leaving = leaving_is_z ? basis_.column(blocking.position) : blocking.position;
  const bool to_lower = leaving_is_z && dx_[blocking.position] < 0;

  if (leaving_is_z && driver_.is_z) {
    if (!basis_.replace_column(blocking.position, r, u_.data())) return false;
    enter_basic(blocking.position, r, z_value, eps);
  } else if (leaving_is_z) {
    const int last = basis_.order() - 1;
    if (!basis_.shrink(basis_.position_of_row(r), blocking.position)) return false;
    if (blocking.position != last)
      enter_basic(blocking.position, basis_.column(blocking.position), x_[last], x_eps_[last]);
  } else if (driver_.is_z) {
    if (!basis_.grow(leaving, r, u_.data())) return false;
    enter_basic(basis_.order() - 1, r, z_value, eps);
  } else {
    if (!basis_.replace_row(basis_.position_of_row(r), leaving)) return false;
  }
  if (driver_.is_z) {
    status_[r] = Basic;
  } else {
    set_factor(r);
    slack_[r] = factor_[r] * value;
    slack_eps_[r] = factor_[r] * eps;
  }
  if (leaving == n_) {
    artificial_basic_ = false;
  } else if (leaving_is_z) {
    status_[leaving] = to_lower ? AtLower : AtUpper;
    driver_ = {leaving, false, to_lower ? 1.0 : -1.0};
  } else {
    factor_[leaving] = slack_[leaving] = slack_eps_[leaving] = 0;
    driver_ = {leaving, true, status_[leaving] == AtUpper ? -1.0 : 1.0};
  }
  return true;
}

template <class Matrix>
void Lemke<Matrix>::record_ray() {
  std::fill(ray_.begin(), ray_.end(), 0.0);
  for (int c = 0; c < basis_.order(); ++c) {
    if (basis_.column(c) < n_) ray_[basis_.column(c)] = dx_[c];
    if (basis_.column(c) == n_) artificial_ = x_[c];
  }
  if (driver_.is_z) ray_[driver_.index] = driver_.sign;
}

template <class Matrix>
LemkeExit Lemke<Matrix>::pivot_until_done(const LemkeOptions& options) {
  const bool timed = !options.deadline.never();
  while (artificial_basic_) {
    if (pivots_ >= options.max_pivots) return LemkeExit::PivotLimit;
    if (timed && pivots_ % kClockInterval == 0 && options.deadline.passed()) {
      return LemkeExit::TimeLimit;
    }
    ++pivots_;
    basis_.reserve(basis_.order() + 1);
    find_direction();
    const Blocking blocking = ratio_test(options);
    if (blocking.kind == Blocking::Kind::None) {
      record_ray();
      return LemkeExit::Ray;
    }
    if (!std::isfinite(blocking.step)) return LemkeExit::Breakdown;
    advance(blocking);
    if (!exchange(blocking)) return LemkeExit::Breakdown;
    if (pivots_ % options.refactor_interval == 0) {
      if (!basis_.factor()) return LemkeExit::Breakdown;
      compute_values(1);
      for (int i = 0; i < n_; ++i) slack_[i] = factor_[i] * w_[i];
    }
  }
  return LemkeExit::Solved;
}

// Whether z0 may be taken for 0 where the path broke off. The basis stays as it is: without z0 it may well be singular.
template <class Matrix>
bool Lemke<Matrix>::artificial_is_negligible(double part) const {
  const int c = basis_.position_of_column(n_);
  return c >= 0 && x_[c] <= part * artificial_start_;
}

template <class Matrix>
void Lemke<Matrix>::finish() {
  for (int j = 0; j < n_; ++j) {
    z_[j] = status_[j] == VariableStatus::Basic ? std::clamp(x_[basis_.position_of_column(j)], lower_[j], upper_[j])
                                                : bound_value(j);
  }
}

template <class Matrix>
LemkeExit Lemke<Matrix>::solve(const Matrix& M, const double* q, const double* lower, const double* upper,
                               const VariableStatus* start, const LemkeOptions& options) {
  M_ = &M;
  q_ = q;
  lower_ = lower;
  upper_ = upper;
  n_ = M.size();
  pivots_ = 0;
  artificial_basic_ = false;
  random_ = options.seed * 2654435761U + 12345U;
  for (auto* v : {&z_, &ray_, &w_, &cover_, &shift_, &factor_, &slack_, &slack_eps_, &rate_}) v->resize(n_);
  find_natural_units(M, q, units_);
  set_status(start);
  if (!factor_start()) return LemkeExit::Singular;
  for (int i = 0; i < n_; ++i) set_factor(i);
  compute_values(1);
  if (choose_cover(options)) {
    perturb(options);
    if (!enter_artificial()) return LemkeExit::Breakdown;
    const LemkeExit exit = pivot_until_done(options);
    const bool broken_off = exit == LemkeExit::Ray || exit == LemkeExit::Breakdown;
    if (exit != LemkeExit::Solved && !(broken_off && artificial_is_negligible(options.negligible))) return exit;
    if (exit == LemkeExit::Solved) compute_values(2);  // else the last values of the path are the best there are
  }
  finish();
  return LemkeExit::Solved;
}

template class Lemke<DenseColumns>;
template class Lemke<SparseColumns>;
template class Lemke<LazySchur>;

}  // namespace stickslip::complementarity
