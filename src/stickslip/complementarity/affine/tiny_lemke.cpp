// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/tiny_lemke.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace stickslip::complementarity {
namespace {

constexpr double kTie = 1e-12;    // relative to the largest right-hand side
constexpr double kPivot = 1e-11;  // relative to the largest entry of the driving column

}  // namespace

bool TinyLemke::applies(const AffineProblem& problem) {
  if (!problem.is_dense || problem.size() > kLargest) return false;
  for (Eigen::Index i = 0; i < problem.size(); ++i) {
    if (problem.lower[i] != 0 || problem.upper[i] != kInfinity) return false;
  }
  return true;
}

// The row that blocks first when the unknown of `column` grows; -1: none.
int TinyLemke::blocking_row(int column) const {
  double steepest = 0, size = 0;
  for (int i = 0; i < n_; ++i) {
    steepest = std::max(steepest, -table_[i][column]);
    size = std::max(size, std::fabs(table_[i][n_ + 1]));
  }
  if (!(steepest > 0)) return -1;
  const double threshold = kPivot * steepest, slack = kTie * size;
  double limit = std::numeric_limits<double>::infinity();
  for (int i = 0; i < n_; ++i) {
    const double rate = -table_[i][column];
    if (rate > threshold) limit = std::min(limit, (std::max(table_[i][n_ + 1], 0.0) + slack) / rate);
  }
  int best = -1;
  for (int i = 0; i < n_; ++i) {
    const double rate = -table_[i][column];
    if (!(rate > threshold) || table_[i][n_ + 1] > limit * rate) continue;
    if (row_unknown_[i] == 2 * n_) return i;
    if (best < 0 || rate > -table_[best][column]) best = i;
  }
  return best;
}

void TinyLemke::exchange(int row, int column) {
  auto& pivot_row = table_[row];
  const double inverse = 1 / pivot_row[column];
  for (int j = 0; j <= n_ + 1; ++j) pivot_row[j] *= -inverse;
  pivot_row[column] = inverse;
  for (int i = 0; i < n_; ++i) {
    if (i == row) continue;
    auto& target = table_[i];
    const double factor = target[column];
    if (factor == 0) continue;
    target[column] = 0;
    for (int j = 0; j <= n_ + 1; ++j) target[j] += factor * pivot_row[j];
  }
  std::swap(row_unknown_[row], column_unknown_[column]);
}

void TinyLemke::fill(const AffineProblem& problem) {
  for (int i = 0; i < n_; ++i) {
    for (int j = 0; j < n_; ++j) table_[i][j] = problem.dense(i, j);
    table_[i][n_] = 1;
    table_[i][n_ + 1] = problem.q[i];
    row_unknown_[i] = n_ + i;
    column_unknown_[i] = i;
  }
  column_unknown_[n_] = 2 * n_;
}

// The most negative right-hand side changes places with its complement, until none is left. Where that goes round in
// circles for n pivots, the last negative one instead (Murty's rule, which ends for every P-matrix).
bool TinyLemke::pivot_by_signs() {
  for (int limit = 2 * n_; limit > 0; --limit) {
    double size = 0, least = 0;
    int row = -1;
    for (int i = 0; i < n_; ++i) {
      const double value = table_[i][n_ + 1];
      size = std::max(size, std::fabs(value));
      if (value < least) least = value, row = i;
    }
    for (int i = n_ - 1; limit <= n_ && i > row; --i)
      if (table_[i][n_ + 1] < -kTie * size) row = i;
    if (!(least < -kTie * size)) return true;
    double largest = 0;
    for (int j = 0; j < n_; ++j) largest = std::max(largest, std::fabs(table_[row][j]));
    if (!(table_[row][row] > kPivot * largest)) return false;
    ++pivots_;
    exchange(row, row);
  }
  return false;
}

// z0 enters for the most negative row; then the complement of what left, until z0 leaves.
bool TinyLemke::follow_path(int worst) {
  exchange(worst, n_);
  int driving = worst;  // the complement of the w that left
  int limit = 3 * n_ + 4;
  for (;;) {
    if (--limit < 0) return false;
    ++pivots_;
    int column = 0;
    while (column_unknown_[column] != driving) ++column;
    const int row = blocking_row(column);
    if (row < 0) return false;
    const int leaving = row_unknown_[row];
    exchange(row, column);
    if (leaving == 2 * n_) return true;
    driving = leaving < n_ ? leaving + n_ : leaving - n_;
  }
}

bool TinyLemke::solve(const AffineProblem& problem, Eigen::VectorXd& z, Basis& basis) {
  n_ = static_cast<int>(problem.size());
  pivots_ = 0;
  z.setZero(n_);
  basis.assign(static_cast<std::size_t>(n_), VariableStatus::AtLower);
  const double* q = problem.q.data();
  const int worst = static_cast<int>(std::min_element(q, q + n_) - q);
  if (n_ == 0 || q[worst] >= 0) return true;
  fill(problem);
  if (!pivot_by_signs()) {
    fill(problem);
    if (!follow_path(worst)) return false;
  }
  for (int i = 0; i < n_; ++i) {
    const int unknown = row_unknown_[i];
    if (unknown >= n_) continue;
    z[unknown] = std::max(0.0, table_[i][n_ + 1]);
    basis[unknown] = VariableStatus::Basic;
  }
  return true;
}

}  // namespace stickslip::complementarity
