// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/linearisation.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {

void Linearisation::set_matrix(const Eigen::SparseMatrix<double>& J) {
  const Eigen::Index n = J.rows();
  is_dense_ = n <= kDenseSize || (n <= 2000 && J.nonZeros() * 4 > n * n);
  if (is_dense_) {
    dense_.setZero(n, n);
    for (Eigen::Index j = 0; j < n; ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator entry(J, j); entry; ++entry)
        dense_(entry.row(), j) += entry.value();
    dense_columns_.set(dense_);
  } else {
    // The diagonal is stored even where it is zero: proximal terms go there.
    sparse_.resize(n, n);
    sparse_.setIdentity();
    sparse_ *= 0;
    sparse_ += J;
    sparse_.makeCompressed();
    sparse_columns_.set(sparse_);
  }
  proximal_ = 0;
}

void Linearisation::set_proximal(double eps) {
  const double change = eps - proximal_;
  if (is_dense_) {
    dense_.diagonal().array() += change;
  } else {
    for (Eigen::Index j = 0; j < sparse_.cols(); ++j) sparse_.coeffRef(j, j) += change;
    sparse_columns_.set(sparse_);
  }
  proximal_ = eps;
}

bool Linearisation::finite_solution() const {
  return std::all_of(solution().begin(), solution().end(), [](double z) { return std::isfinite(z); });
}

bool Linearisation::pivot(const VariableStatus* start, bool cover_all) {
  LemkeOptions options;
  options.max_pivots = static_cast<int>(20 * lower_.size() + 50);
  options.cover_all = cover_all;
  const double *q = point_->f.data(), *l = lower_.data(), *u = upper_.data();
  const LemkeExit exit = is_dense_ ? dense_lemke_.solve(dense_columns_, q, l, u, start, options)
                                   : sparse_lemke_.solve(sparse_columns_, q, l, u, start, options);
  pivots_ += is_dense_ ? dense_lemke_.pivots() : sparse_lemke_.pivots();
  return exit == LemkeExit::Solved && finite_solution();
}

bool Linearisation::solve(const McpEvaluation& evaluation, const McpPoint& point, Eigen::VectorXd& s) {
  const Eigen::Index n = evaluation.size();
  point_ = &point;
  pivots_ = 0;
  set_matrix(evaluation.J);
  lower_ = evaluation.lower - point.x;
  upper_ = evaluation.upper - point.x;
  start_.resize(static_cast<std::size_t>(n));
  for (Eigen::Index i = 0; i < n; ++i)
    start_[static_cast<std::size_t>(i)] = -point.f[i] <= lower_[i]   ? VariableStatus::AtLower
                                          : -point.f[i] >= upper_[i] ? VariableStatus::AtUpper
                                                                     : VariableStatus::Basic;

  bool found = pivot(start_.data(), false) || pivot(start_.data(), true) || pivot(nullptr, true);
  double size = 0;
  for (Eigen::Index k = 0; k < evaluation.J.nonZeros(); ++k)
    size = std::max(size, std::abs(evaluation.J.valuePtr()[k]));
  for (const double eps : {1e-6, 1e-2}) {
    if (found) break;
    set_proximal(eps * std::max(size, 1e-8));
    found = pivot(start_.data(), true);
  }
  if (!found) return false;
  s = Eigen::Map<const Eigen::VectorXd>(solution().data(), n);
  return true;
}

}  // namespace stickslip::complementarity
