// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/levenberg_marquardt.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

// The squared size of the largest column of H, from above: |D_x| + |D_f J|.
double largest_column(const McpSearch& search) {
  double largest = 0;
  for (Eigen::Index j = 0; j < search.dx.size(); ++j) {
    double sum = search.dx[j] * search.dx[j];
    for (Eigen::SparseMatrix<double>::InnerIterator entry(search.evaluation.J, j); entry; ++entry) {
      const double h = search.df[entry.row()] * entry.value();
      sum += h * h;
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

bool LevenbergMarquardt::step(McpSearch& search) {
  const Eigen::Index n = search.phi.size();
  const McpEvaluation& box = search.evaluation;
  search.system.gradient(search.phi, search.gradient);
  frozen_.assign(static_cast<std::size_t>(n), 0);
  double slope = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double x = search.current.x[i], g = search.gradient[i];
    frozen_[static_cast<std::size_t>(i)] = (x <= box.lower[i] && g > 0) || (x >= box.upper[i] && g < 0);
    if (!frozen_[static_cast<std::size_t>(i)]) slope = std::max(slope, std::abs(g));
  }
  const double size = std::max(largest_column(search), 1e-300);
  const double error = search.phi.norm();
  if (slope <= 1e-14 * error * std::sqrt(size)) return false;

  for (int k = 0; k < kTrials; ++k) {
    const double lambda = std::max(nu_ * std::min(error, 1.0), 1e-15) * size;
    if (search.system.levenberg_marquardt(search.phi, lambda, frozen_, search.direction)) {
      search.trial.x = search.current.x + search.direction;
      search.evaluation.project(search.trial.x);
      const double predicted = predicted_decrease(search);
      if (predicted > 0 && search.evaluation.function(search.trial) &&
          search.current.merit - search.trial.merit >= kGoodStep * predicted &&
          search.trial.merit < search.current.merit) {
        const double ratio = (search.current.merit - search.trial.merit) / predicted;
        if (search.evaluation.jacobian(search.trial)) {
          nu_ = ratio > 0.5 ? std::max(nu_ / 5, 1e-12) : std::min(nu_ * 2, 1e12);
          search.accept_trial((search.current.x - search.trial.x).cwiseAbs().maxCoeff());
          return true;
        }
        static_cast<void>(search.evaluation.jacobian(search.current));
      }
    }
    nu_ = std::min(nu_ * 6, 1e12);
  }
  return false;
}

// 1/2 |Phi|^2 - 1/2 |Phi + H s|^2 for the projected step s.
double LevenbergMarquardt::predicted_decrease(const McpSearch& search) {
  const Eigen::Index n = search.phi.size();
  model_.setZero(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const double s = search.trial.x[j] - search.current.x[j];
    if (s == 0) continue;
    for (Eigen::SparseMatrix<double>::InnerIterator entry(search.evaluation.J, j); entry; ++entry)
      model_[entry.row()] += search.df[entry.row()] * entry.value() * s;
    model_[j] += search.dx[j] * s;
  }
  return -model_.dot(search.phi) - model_.squaredNorm() / 2;
}

}  // namespace stickslip::complementarity
