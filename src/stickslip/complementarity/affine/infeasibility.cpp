// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/infeasibility.h"

#include "stickslip/complementarity/affine/problem_columns.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stickslip::complementarity {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kMargin = 1e-8;
constexpr double kNearlyZero = 1e-9;             // of the sum of its terms: meant to be zero
constexpr std::size_t kLargestPolish = 1000000;  // entries of the least-squares problem
constexpr Eigen::Index kLargestProgram = 600;    // unknowns of the original problem

bool sign_allowed(const AffineProblem& problem, Eigen::Index i, double y) {
  if (y > 0) return problem.upper[i] == kInfinity;
  if (y < 0) return problem.lower[i] == -kInfinity;
  return true;
}

}  // namespace

bool proves_infeasible(const AffineProblem& problem, const double* y) {
  const Eigen::Index n = problem.size();
  double maximum = 0, size = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!std::isfinite(y[i]) || !sign_allowed(problem, i, y[i])) return false;
    maximum += problem.q[i] * y[i];
    size += std::fabs(problem.q[i] * y[i]);
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    double c = 0, terms = 0, count = 0;
    for_each_in_column(problem, j, [&](Eigen::Index i, double value) {
      c += value * y[i];
      terms += std::fabs(value * y[i]);
      count += value * y[i] != 0;
    });
    const double noise = (4 * count + 16) * kEpsilon * terms;
    const double bound = c > 0 ? problem.upper[j] : problem.lower[j];
    if (std::isinf(bound)) {
      if (std::fabs(c) > noise) return false;
      continue;
    }
    // Rounding of c may turn its sign: allow for it on both bounds that exist.
    maximum += c * bound + noise * std::fabs(bound);
    size += std::fabs(c * bound);
  }
  return maximum < -kMargin * size && size > 0;
}

bool InfeasibilityProver::prove_by_row(const AffineProblem& problem) {
  const Eigen::Index n = problem.size();
  // Row maxima and minima of M z over the box, all rows in one pass over the columns; then the full check decides.
  std::vector<double>& high = y_;
  high.assign(static_cast<std::size_t>(2 * n), 0.0);
  double* low = high.data() + n;
  for (Eigen::Index j = 0; j < n; ++j) {
    const double lower = problem.lower[j], upper = problem.upper[j];
    for_each_in_column(problem, j, [&](Eigen::Index i, double value) {
      if (value == 0) return;
      high[i] += value > 0 ? value * upper : value * lower;
      low[i] += value > 0 ? value * lower : value * upper;
    });
  }
  Eigen::Index row = -1;
  double sign = 0;
  for (Eigen::Index i = 0; i < n && row < 0; ++i) {
    if (problem.upper[i] == kInfinity && high[i] + problem.q[i] < 0) {
      row = i;
      sign = 1;
    } else if (problem.lower[i] == -kInfinity && low[i] + problem.q[i] > 0) {
      row = i;
      sign = -1;
    }
  }
  y_.assign(static_cast<std::size_t>(n), 0.0);
  if (row < 0) return false;
  y_[row] = sign;
  return proves_infeasible(problem, y_.data());
}

// The ray comes from a factor that has been updated many times: sums (M' y)_j that should vanish do so to 1e-12 only.
// The smallest change of y that makes them vanish is found by least squares; the check itself stays strict.
void InfeasibilityProver::polish(const AffineProblem& problem) {
  const Eigen::Index n = problem.size();
  std::vector<Eigen::Index> support, vanishing;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!sign_allowed(problem, i, y_[i])) y_[i] = 0;  // rounding
    if (y_[i] != 0) support.push_back(i);
  }
  for (Eigen::Index j = 0; j < n; ++j) {
    if (std::isfinite(problem.lower[j]) && std::isfinite(problem.upper[j])) continue;
    double c = 0, terms = 0;
    for_each_in_column(problem, j, [&](Eigen::Index i, double value) {
      c += value * y_[i];
      terms += std::fabs(value * y_[i]);
    });
    if (terms > 0 && std::fabs(c) <= kNearlyZero * terms) vanishing.push_back(j);
  }
  if (vanishing.empty() || support.size() * vanishing.size() > kLargestPolish) return;

  std::vector<Eigen::Index> place(static_cast<std::size_t>(n), -1);
  for (std::size_t k = 0; k < support.size(); ++k) place[support[k]] = static_cast<Eigen::Index>(k);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(vanishing.size(), support.size());
  for (std::size_t row = 0; row < vanishing.size(); ++row) {
    for_each_in_column(problem, vanishing[row], [&](Eigen::Index i, double value) {
      if (place[i] >= 0) A(static_cast<Eigen::Index>(row), place[i]) = value;
    });
  }
  Eigen::VectorXd y(support.size());
  for (std::size_t k = 0; k < support.size(); ++k) y[k] = y_[support[k]];
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor(A);
  for (int pass = 0; pass < 2; ++pass) y -= factor.solve(A * y);
  for (std::size_t k = 0; k < support.size(); ++k) y_[support[k]] = sign_allowed(problem, support[k], y[k]) ? y[k] : 0;
}

bool InfeasibilityProver::prove_by_ray(const AffineProblem& problem, const std::vector<double>& ray) {
  if (static_cast<Eigen::Index>(ray.size()) != problem.size()) return false;
  y_ = ray;
  polish(problem);
  return proves_infeasible(problem, y_.data());
}

// Equations alone: the part of q_E that M_E z cannot reach, y = -(q_E projected on the null space of M_E').
bool InfeasibilityProver::prove_by_equations(const AffineProblem& problem) {
  const Eigen::Index n = problem.size();
  std::vector<Eigen::Index> equations, place(static_cast<std::size_t>(n), -1);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (problem.lower[i] != -kInfinity || problem.upper[i] != kInfinity) continue;
    place[i] = static_cast<Eigen::Index>(equations.size());
    equations.push_back(i);
  }
  if (equations.empty() || equations.size() * static_cast<std::size_t>(n) > kLargestPolish) return false;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, static_cast<Eigen::Index>(equations.size()));
  for (Eigen::Index j = 0; j < n; ++j) {
    for_each_in_column(problem, j, [&](Eigen::Index i, double value) {
      if (place[i] >= 0) A(j, place[i]) = value;
    });
  }
  Eigen::VectorXd y(equations.size());
  for (std::size_t k = 0; k < equations.size(); ++k) y[k] = -problem.q[equations[k]];
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor(A);
  for (int pass = 0; pass < 2; ++pass) y -= factor.solve(A * y);
  y_.assign(static_cast<std::size_t>(n), 0.0);
  for (std::size_t k = 0; k < equations.size(); ++k) y_[equations[k]] = y[k];
  return proves_infeasible(problem, y_.data());
}

// [0 -M'; M 0](z, y) + (0, q), z in its box, y with the signs of a Farkas vector.
void InfeasibilityProver::build_linear_program(const AffineProblem& problem) {
  const Eigen::Index n = problem.size();
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index j = 0; j < n; ++j) {
    for_each_in_column(problem, j, [&](Eigen::Index i, double value) {
      if (value == 0) return;
      entries.emplace_back(static_cast<int>(n + i), static_cast<int>(j), value);
      entries.emplace_back(static_cast<int>(j), static_cast<int>(n + i), -value);
    });
  }
  Eigen::SparseMatrix<double> matrix(2 * n, 2 * n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::VectorXd q = Eigen::VectorXd::Zero(2 * n), lower(2 * n), upper(2 * n);
  q.tail(n) = problem.q;
  lower.head(n) = problem.lower;
  upper.head(n) = problem.upper;
  for (Eigen::Index i = 0; i < n; ++i) {
    upper[n + i] = problem.upper[i] == kInfinity ? kInfinity : 0;
    lower[n + i] = problem.lower[i] == -kInfinity ? -kInfinity : 0;
  }
  program_ = make_box_lcp(std::move(matrix), std::move(q), std::move(lower), std::move(upper));
}

bool InfeasibilityProver::prove_by_linear_program(const AffineProblem& problem, const Deadline& deadline) {
  if (problem.size() > kLargestProgram) return false;
  build_linear_program(problem);
  lemke_.bind(program_);
  LemkeOptions options;
  options.max_pivots = 40 * static_cast<int>(problem.size()) + 400;
  options.deadline = deadline;
  const auto result = lemke_.run(nullptr, options, 1e-8, false, point_);
  if (result.exit != LemkeExit::Ray) return false;
  const std::vector<double>& ray = lemke_.ray();
  y_.assign(ray.begin() + problem.size(), ray.end());
  polish(problem);
  return proves_infeasible(problem, y_.data());
}

}  // namespace stickslip::complementarity
