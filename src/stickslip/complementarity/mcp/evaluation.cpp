// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/evaluation.h"

#include "stickslip/complementarity/mcp/fischer_burmeister.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::complementarity {

void McpEvaluation::start(const McpProblem& problem) {
  problem_ = &problem;
  lower = problem.lower;
  upper = problem.upper;
  for (Eigen::Index i = 0; i < size(); ++i) {
    if (lower[i] <= -kNoBound) lower[i] = -kInfinity;
    if (upper[i] >= kNoBound) upper[i] = kInfinity;
  }
  if (J.rows() != size() || J.cols() != size()) J.resize(size(), size());
  functions = jacobians = 0;
  smoothing = 0;
  unscale_rows();
}

void McpEvaluation::unscale_rows() {
  scaled_ = false;
  scale_.setOnes(size());
}

bool McpEvaluation::function(McpPoint& point) {
  ++functions;
  if (!problem_->function(point.x, point.f) || !point.f.allFinite()) return false;
  double natural = 0;
  for (Eigen::Index i = 0; i < size(); ++i) {
    const double x = point.x[i], f = point.f[i], target = x - f;
    const double r = target <= lower[i] ? x - lower[i] : target >= upper[i] ? x - upper[i] : f;
    natural = std::max(natural, std::abs(r));
    if (scaled_) point.f[i] *= scale_[i];
  }
  point.natural = natural;
  refresh_merit(point);
  return std::isfinite(point.merit);
}

void McpEvaluation::refresh_merit(McpPoint& point) const {
  double sum = 0;
  for (Eigen::Index i = 0; i < size(); ++i) {
    const double phi = fischer_burmeister::evaluate(lower[i], upper[i], point.x[i], point.f[i], smoothing);
    sum += phi * phi;
  }
  point.merit = sum / 2;
}

bool McpEvaluation::jacobian(const McpPoint& point) {
  ++jacobians;
  if (!problem_->jacobian) return finite_differences(point);
  if (!problem_->jacobian(point.x, J) || J.rows() != size() || J.cols() != size()) return false;
  if (!J.isCompressed()) J.makeCompressed();
  double* value = J.valuePtr();
  const auto* row = J.innerIndexPtr();
  for (Eigen::Index k = 0; k < J.nonZeros(); ++k) {
    if (!std::isfinite(value[k])) return false;
    if (scaled_) value[k] *= scale_[row[k]];
  }
  return true;
}

bool McpEvaluation::finite_differences(const McpPoint& point) {
  const Eigen::Index n = size();
  if (J.nonZeros() != n * n) {  // full pattern, once
    J.resize(n, n);
    J.reserve(Eigen::VectorXi::Constant(n, static_cast<int>(n)));
    for (Eigen::Index j = 0; j < n; ++j)
      for (Eigen::Index i = 0; i < n; ++i) J.insert(i, j) = 0;
    J.makeCompressed();
  }
  probe_.resize(n);
  probe_.x = point.x;
  const double root_epsilon = std::sqrt(std::numeric_limits<double>::epsilon());
  for (Eigen::Index j = 0; j < n; ++j) {
    const double x = point.x[j];
    double h = root_epsilon * std::max(1.0, std::abs(x));
    if (x + h > upper[j]) h = -h;
    if (x + h < lower[j]) h = upper[j] - x > x - lower[j] ? upper[j] - x : lower[j] - x;  // a narrow box: its far end
    Eigen::Map<Eigen::VectorXd> column(J.valuePtr() + j * n, n);
    column.setZero();
    if (h == 0) continue;  // a fixed unknown never moves
    probe_.x[j] = x + h;
    bool defined = function(probe_);
    if (!defined && x - h >= lower[j] && x - h <= upper[j]) {
      h = -h;
      probe_.x[j] = x + h;
      defined = function(probe_);
    }
    if (!defined) return false;
    column = (probe_.f - point.f) / (probe_.x[j] - x);
    probe_.x[j] = x;
  }
  return true;
}

bool McpEvaluation::scale_rows(McpPoint& point) {
  unscale_rows();
  if (!function(point) || !jacobian(point)) return false;
  Eigen::VectorXd& largest = probe_.f;
  largest.setZero(size());
  for (Eigen::Index j = 0; j < size(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator entry(J, j); entry; ++entry)
      largest[entry.row()] = std::max(largest[entry.row()], std::abs(entry.value()));
  for (Eigen::Index i = 0; i < size(); ++i)
    if (largest[i] > 0) scale_[i] = std::exp2(-std::round(std::log2(largest[i])));
  scaled_ = true;
  return function(point);
}

}  // namespace stickslip::complementarity
