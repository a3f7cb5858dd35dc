// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/mcp_residual.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

// x - mid(lower, upper, x - f), without the rounding of x - f where the answer is f itself.
double natural_component(double lower, double upper, double x, double f) {
  const double target = x - f;
  if (target <= lower) return x - lower;
  if (target >= upper) return x - upper;
  return f;
}

// The sum of the rows' magnitudes |J| |x|; false when J is unusable, which must not hide that F is fine.
bool add_row_sizes(const McpProblem& problem, const Eigen::VectorXd& x, McpResidualWorkspace& work) {
  const Eigen::Index n = problem.size();
  if (!problem.jacobian) return false;
  if (work.J.rows() != n || work.J.cols() != n) work.J.resize(n, n);
  if (!problem.jacobian(x, work.J) || work.J.rows() != n || work.J.cols() != n) return false;
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator entry(work.J, j); entry; ++entry) {
      if (!std::isfinite(entry.value())) return false;
      work.size[entry.row()] += std::abs(entry.value() * x[j]);
    }
  return true;
}

}  // namespace

Residual mcp_residual(const McpProblem& problem, const Eigen::VectorXd& x, McpResidualWorkspace& work) {
  const Eigen::Index n = problem.size();
  Residual residual;
  if (x.size() != n || !x.allFinite()) return residual;
  work.f.resize(n);
  if (!problem.function(x, work.f) || work.f.size() != n || !work.f.allFinite()) return residual;
  work.size = x.cwiseAbs() + work.f.cwiseAbs();
  if (!add_row_sizes(problem, x, work)) work.size = x.cwiseAbs() + work.f.cwiseAbs();

  residual = Residual{.error = 0, .natural = 0, .scaled = 0, .primal = 0, .dual = 0, .complementarity = 0, .cone = 0};
  constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
  for (Eigen::Index i = 0; i < n; ++i) {
    const double lower = problem.lower[i] <= -kNoBound ? -kInfinity : problem.lower[i];
    const double upper = problem.upper[i] >= kNoBound ? kInfinity : problem.upper[i];
    const double f = work.f[i];
    const double r = std::abs(natural_component(lower, upper, x[i], f));
    const double relative = r / (1 + work.size[i]);
    residual.natural = std::max(residual.natural, r);
    residual.scaled = std::max(residual.scaled, relative);
    residual.error = std::max(residual.error, r <= kRounding * work.size[i] ? relative : r);
    residual.primal = std::max({residual.primal, lower - x[i], x[i] - upper});
    if (lower == -kInfinity) residual.dual = std::max(residual.dual, f);
    if (upper == kInfinity) residual.dual = std::max(residual.dual, -f);
    // A bound that does not exist leaves a wrong sign of F to the dual part.
    if (lower > -kInfinity) residual.complementarity = std::max(residual.complementarity, std::min(x[i] - lower, f));
    if (upper < kInfinity) residual.complementarity = std::max(residual.complementarity, std::min(upper - x[i], -f));
  }
  return residual;
}

Residual mcp_residual(const McpProblem& problem, const Eigen::VectorXd& x) {
  McpResidualWorkspace work;
  return mcp_residual(problem, x, work);
}

}  // namespace stickslip::complementarity
