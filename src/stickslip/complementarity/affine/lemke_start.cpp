// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of lemke.h.
//
// The start of Lemke's method (lemke.h): which unknowns of the start basis are violated, the covering vector, the
// perturbation, and the first pivot, in which the artificial unknown enters.
#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/lazy_schur.h"
#include "stickslip/complementarity/affine/lemke.h"
#include "stickslip/complementarity/affine/matrix_columns.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

// Violations of the start basis below this (natural units) are rounding, not reasons to pivot.
constexpr double kFeasible = 1e-12;

}  // namespace

// A linear congruential generator: the same numbers on every machine, and good enough to be generic.
template <class Matrix>
double Lemke<Matrix>::next_random() {
  random_ = random_ * 1664525U + 1013904223U;
  return 0.5 + 0.5 * static_cast<double>(random_ >> 8) / static_cast<double>(1U << 24);
}

// Distance of basic unknown i of the complementary basis (z_i or w_i) outside its range, signed towards the range.
template <class Matrix>
double Lemke<Matrix>::violation(int i) const {
  if (status_[i] == VariableStatus::Basic) {
    const double value = x_[basis_.position_of_column(i)];
    return value < lower_[i] ? lower_[i] - value : value > upper_[i] ? upper_[i] - value : 0;
  }
  if (factor_[i] == 0) return 0;
  return factor_[i] > 0 ? std::max(0.0, -w_[i]) : std::min(0.0, -w_[i]);
}

template <class Matrix>
bool Lemke<Matrix>::is_tight(int i) const {
  if (status_[i] != VariableStatus::Basic) return std::fabs(w_[i] * factor_[i]) <= kFeasible;
  const double value = x_[basis_.position_of_column(i)], tolerance = kFeasible * units_.column[i];
  return value <= lower_[i] + tolerance || value >= upper_[i] - tolerance;
}

// A stack at rest has many friction rows at exactly 0: without cover each would block a pivot of length 0. A sliding
// block has few; covering its satisfied rows would only add pivots.
template <class Matrix>
bool Lemke<Matrix>::mostly_tight() const {
  int tight = 0, violated = 0;
  for (int i = 0; i < n_; ++i) {
    const bool is_z = status_[i] == VariableStatus::Basic;
    if (is_z ? lower_[i] == -kInfinity && upper_[i] == kInfinity : factor_[i] == 0) continue;
    const bool wrong = std::fabs(violation(i)) > kFeasible * (is_z ? units_.column[i] : units_.row[i]);
    violated += wrong;
    tight += !wrong && is_tight(i);
  }
  return tight > violated;
}

template <class Matrix>
bool Lemke<Matrix>::choose_cover(const LemkeOptions& options) {
  const bool cover_all = options.cover_by_count ? mostly_tight() : options.cover_all;
  bool any = false;
  for (int i = 0; i < n_; ++i) {
    const bool is_z = status_[i] == VariableStatus::Basic;
    const double unit = is_z ? units_.column[i] : units_.row[i];
    const double v = violation(i);
    double direction = 0;
    if (std::fabs(v) > kFeasible * unit) {
      any = true;
      direction = v > 0 ? 1 : -1;
    } else if (cover_all) {
      if (!is_z) direction = factor_[i] > 0 ? 1 : factor_[i] < 0 ? -1 : 0;
      if (is_z && lower_[i] > -kInfinity && upper_[i] == kInfinity) direction = 1;
      if (is_z && lower_[i] == -kInfinity && upper_[i] < kInfinity) direction = -1;
    }
    shift_[i] = direction * unit * (options.cover_weight != nullptr ? options.cover_weight[i] : 1);
  }
  if (!any) return false;
  // d such that raising z0 moves the basic unknowns by shift_:  d = shift on rows with a basic w, minus M shift_C.
  const int k = basis_.order();
  for (int i = 0; i < n_; ++i) cover_[i] = status_[i] == VariableStatus::Basic ? 0 : shift_[i];
  for (int c = 0; c < k; ++c) u_[c] = -shift_[basis_.column(c)];
  basis_.price(u_.data(), cover_.data());
  return true;
}

// Every bounded basic unknown moves into its range by a random part of eps times its unit.
template <class Matrix>
void Lemke<Matrix>::perturb(const LemkeOptions& options) {
  for (int i = 0; i < n_; ++i) {
    const double amount = options.perturb ? next_random() : 0;
    if (status_[i] != VariableStatus::Basic) {
      slack_eps_[i] = factor_[i] == 0 ? 0 : amount;
      continue;
    }
    const int c = basis_.position_of_column(i);
    double sign = lower_[i] > -kInfinity ? 1 : upper_[i] < kInfinity ? -1 : 0;
    if (lower_[i] > -kInfinity && upper_[i] < kInfinity) sign = x_[c] - lower_[i] < upper_[i] - x_[c] ? 1 : -1;
    x_eps_[c] = sign * amount * units_.column[i];
  }
}

// z0 enters at the value that just makes everything feasible; the worst violated (first under perturbation) leaves.
template <class Matrix>
bool Lemke<Matrix>::enter_artificial() {
  double worst = 0, first = kInfinity;
  for (int i = 0; i < n_; ++i) {
    if (shift_[i] != 0) worst = std::max(worst, violation(i) / shift_[i]);
  }
  int leaving = -1;
  for (int i = 0; i < n_; ++i) {
    if (shift_[i] == 0 || violation(i) / shift_[i] < worst * (1 - 1e-12)) continue;
    const bool is_z = status_[i] == VariableStatus::Basic;
    const double eps =
        is_z ? x_eps_[basis_.position_of_column(i)] / shift_[i] : slack_eps_[i] / (factor_[i] * shift_[i]);
    if (eps < first) {
      first = eps;
      leaving = i;
    }
  }
  if (leaving < 0) return false;

  const double z0 = worst, z0_eps = -first;
  artificial_start_ = z0;
  for (int i = 0; i < n_; ++i) {
    if (status_[i] == VariableStatus::Basic) continue;
    slack_[i] = factor_[i] * (w_[i] + shift_[i] * z0);
    slack_eps_[i] += factor_[i] * shift_[i] * z0_eps;
  }
  for (int c = 0; c < basis_.order(); ++c) {
    x_[c] += shift_[basis_.column(c)] * z0;
    x_eps_[c] += shift_[basis_.column(c)] * z0_eps;
  }
  basis_.reserve(basis_.order() + 2);
  basis_.solve_column(n_, u_.data());
  if (status_[leaving] == VariableStatus::Basic) {
    const int c = basis_.position_of_column(leaving);
    if (!basis_.replace_column(c, n_, u_.data())) return false;
    enter_basic(c, n_, z0, z0_eps);
    status_[leaving] = shift_[leaving] > 0 ? VariableStatus::AtLower : VariableStatus::AtUpper;
    driver_ = {leaving, false, shift_[leaving] > 0 ? 1.0 : -1.0};
  } else {
    if (!basis_.grow(leaving, n_, u_.data())) return false;
    enter_basic(basis_.order() - 1, n_, z0, z0_eps);
    driver_ = {leaving, true, status_[leaving] == VariableStatus::AtLower ? 1.0 : -1.0};
  }
  factor_[leaving] = slack_[leaving] = slack_eps_[leaving] = 0;
  artificial_basic_ = true;
  return true;
}

template double Lemke<DenseColumns>::next_random();
template double Lemke<DenseColumns>::violation(int) const;
template bool Lemke<DenseColumns>::is_tight(int) const;
template bool Lemke<DenseColumns>::mostly_tight() const;
template bool Lemke<DenseColumns>::choose_cover(const LemkeOptions&);
template void Lemke<DenseColumns>::perturb(const LemkeOptions&);
template bool Lemke<DenseColumns>::enter_artificial();
template double Lemke<SparseColumns>::next_random();
template double Lemke<SparseColumns>::violation(int) const;
template bool Lemke<SparseColumns>::is_tight(int) const;
template bool Lemke<SparseColumns>::mostly_tight() const;
template bool Lemke<SparseColumns>::choose_cover(const LemkeOptions&);
template void Lemke<SparseColumns>::perturb(const LemkeOptions&);
template bool Lemke<SparseColumns>::enter_artificial();
template double Lemke<LazySchur>::next_random();
template double Lemke<LazySchur>::violation(int) const;
template bool Lemke<LazySchur>::is_tight(int) const;
template bool Lemke<LazySchur>::mostly_tight() const;
template bool Lemke<LazySchur>::choose_cover(const LemkeOptions&);
template void Lemke<LazySchur>::perturb(const LemkeOptions&);
template bool Lemke<LazySchur>::enter_artificial();

}  // namespace stickslip::complementarity
