// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/least_squares.h"

#include "stickslip/complementarity/affine/matrix_columns.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

constexpr int kStarts = 4;
constexpr double kFirstDamping = 1e-2, kDampingDown = 0.2, kDampingUp = 8, kLeastDamping = 1e-14, kMostDamping = 1e12;

// phi and its derivatives; at the kink one element of the generalised gradient.
struct FischerBurmeister {
  double value, da, db;
  FischerBurmeister(double a, double b) {
    const double norm = std::hypot(a, b);
    value = norm > 0 && a + b > 0 ? 2 * a * b / (a + b + norm) : a + b - norm;  // without cancellation
    da = norm > 0 ? 1 - a / norm : 1 - M_SQRT1_2;
    db = norm > 0 ? 1 - b / norm : 1 - M_SQRT1_2;
  }
};

}  // namespace

// z = column unit * y, w scaled by 1 / row unit.
void LeastSquares::scale(const AffineProblem& problem) {
  const Eigen::Index n = problem.size();
  if (problem.is_dense) {
    M_ = problem.dense;
  } else {
    M_ = problem.sparse;
  }
  DenseColumns view;
  view.set(M_);
  find_natural_units(view, problem.q.data(), units_);
  const Eigen::Map<const Eigen::VectorXd> row(units_.row.data(), n), column(units_.column.data(), n);
  M_ = row.cwiseInverse().asDiagonal() * M_;
  M_ = M_ * column.asDiagonal();
  q_ = problem.q.cwiseQuotient(row);
  lower_ = problem.lower.cwiseQuotient(column);
  upper_ = problem.upper.cwiseQuotient(column);
  for (auto* v : {&y_, &trial_, &w_, &phi_, &gradient_, &step_}) v->resize(n);
  J_.resize(n, n);
}

void LeastSquares::start_at(int attempt) {
  for (Eigen::Index i = 0; i < y_.size(); ++i) {
    const double guess = attempt == 0 ? 0 : attempt == 1 ? 1 : attempt == 2 ? 0.1 * static_cast<double>(i % 7) : 10;
    y_[i] = std::min(upper_[i], std::max(lower_[i], guess));
  }
}

double LeastSquares::evaluate(const Eigen::VectorXd& y, bool with_jacobian) {
  w_.noalias() = M_ * y;
  w_ += q_;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const bool has_lower = lower_[i] > -kInfinity, has_upper = upper_[i] < kInfinity;
    double value = w_[i], dz = 0, dw = 1;
    if (has_upper) {
      const FischerBurmeister outer(upper_[i] - y[i], -w_[i]);
      value = -outer.value;
      dz = outer.da;
      dw = outer.db;
    }
    if (has_lower) {
      const FischerBurmeister outer(y[i] - lower_[i], value);
      value = outer.value;
      dz = outer.da + outer.db * dz;
      dw = outer.db * dw;
    }
    phi_[i] = value;
    if (with_jacobian) {
      J_.row(i) = dw * M_.row(i);
      J_(i, i) += dz;
    }
  }
  return phi_.squaredNorm();
}

Residual LeastSquares::certificate(const AffineProblem& problem, Eigen::VectorXd& z) {
  const Eigen::Map<const Eigen::VectorXd> column(units_.column.data(), y_.size());
  z = (y_.cwiseMax(lower_).cwiseMin(upper_)).cwiseProduct(column);
  return affine_residual(problem, z, residual_);
}

LeastSquares::Result LeastSquares::solve(const AffineProblem& problem, double tolerance, int max_iterations,
                                         const Deadline& deadline, Eigen::VectorXd& z) {
  Result result;
  if (problem.size() > kLargest) return result;
  scale(problem);
  for (int attempt = 0; attempt < kStarts; ++attempt) {
    start_at(attempt);
    double damping = kFirstDamping, merit = evaluate(y_, true);
    for (int iteration = 0; iteration < max_iterations && merit > 0; ++iteration) {
      if (deadline.passed()) return result;
      ++result.iterations;
      H_.noalias() = J_.transpose() * J_;
      H_.diagonal().array() += damping * std::min(1.0, merit) + kLeastDamping;
      gradient_.noalias() = J_.transpose() * phi_;
      factor_.compute(H_);
      step_ = factor_.solve(gradient_);
      trial_ = y_ - step_;
      const double trial_merit = evaluate(trial_, false);
      if (trial_merit < merit) {
        y_ = trial_;
        damping = std::max(damping * kDampingDown, kLeastDamping);
        merit = evaluate(y_, true);
        if (merit < tolerance) {
          const Residual residual = certificate(problem, best_);
          if (residual.error < result.residual.error) {
            result.residual = residual;
            z = best_;
          }
          if (residual.error <= 1e-3 * tolerance) break;
        }
      } else {
        damping *= kDampingUp;
        if (damping > kMostDamping) break;
        evaluate(y_, true);
      }
    }
    const Residual residual = certificate(problem, best_);
    if (residual.error < result.residual.error || z.size() != problem.size()) {
      result.residual = residual;
      z = best_;
    }
    result.certified = result.residual.error <= tolerance;
    if (result.certified) break;
  }
  return result;
}

}  // namespace stickslip::complementarity
