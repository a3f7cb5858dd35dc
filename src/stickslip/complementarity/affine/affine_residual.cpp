// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/affine_residual.h"

#include "stickslip/complementarity/affine/vector_kernels.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {
namespace {

double ratio(double numerator, double denominator) {
  if (numerator == 0) return 0;
  return numerator / denominator;  // x/0 = inf: honestly not solved
}

// Keeps NaN: a maximum that drops it would certify garbage.
double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

// w = M z + q; returns max |M_ij| over the columns that were used.
double product(const AffineProblem& problem, const Eigen::VectorXd& z, std::vector<double>& w) {
  const int n = static_cast<int>(problem.size());
  w.assign(problem.q.data(), problem.q.data() + n);
  double largest = 0;
  if (problem.is_dense) {
    const double* column[4];
    double weight[4];
    int count = 0;
    for (int j = 0; j < n; ++j) {
      if (z[j] == 0) continue;
      column[count] = problem.dense.data() + static_cast<std::ptrdiff_t>(j) * n;
      weight[count] = z[j];
      largest = std::max(largest, kernels::abs_max(column[count], n));
      if (++count == 4) {
        kernels::add_scaled4(w.data(), weight, column, n);
        count = 0;
      }
    }
    for (int k = 0; k < count; ++k) kernels::add_scaled(w.data(), weight[k], column[k], n);
    return largest;
  }
  const int* start = problem.sparse.outerIndexPtr();
  const int* row = problem.sparse.innerIndexPtr();
  const double* value = problem.sparse.valuePtr();
  for (int j = 0; j < n; ++j) {
    if (z[j] == 0) continue;
    for (int p = start[j]; p < start[j + 1]; ++p) {
      w[row[p]] += value[p] * z[j];
      largest = std::max(largest, std::fabs(value[p]));
    }
  }
  return largest;
}

}  // namespace

Residual affine_residual(const AffineProblem& problem, const Eigen::VectorXd& z, ResidualWorkspace& workspace) {
  const Eigen::Index n = problem.size();
  Residual residual;
  if (z.size() != n) return residual;
  std::vector<double>& w = workspace.w;
  const double largest = product(problem, z, w);
  // With z = 0 only w/a appears, so that a cancels.
  const double a = largest > 0 ? std::sqrt(largest) : 1, inverse_a = 1 / a;

  double natural = 0, scaled = 0, size_z = 0, size_w = 0, size_q = 0, primal = 0, dual = 0, slackness = 0;
  double finite = 0;  // becomes NaN with the first NaN or infinity, which min and max below might drop
  for (Eigen::Index i = 0; i < n; ++i) {
    const double lower = problem.lower[i], upper = problem.upper[i], zi = z[i], wi = w[i];
    finite += 0 * zi + 0 * wi;
    natural = larger(std::fabs(zi - std::min(upper, std::max(lower, zi - wi))), natural);
    const double zs = a * zi, ws = wi * inverse_a;
    scaled = larger(std::fabs(zs - std::min(a * upper, std::max(a * lower, zs - ws))), scaled);
    size_z = std::max(size_z, std::fabs(zi));
    size_w = std::max(size_w, std::fabs(wi));
    size_q = std::max(size_q, std::fabs(problem.q[i]));
    primal = larger(std::max({0.0, lower - zi, zi - upper}), primal);
    // w > 0 is allowed only where there is a lower bound to push against, w < 0 only at an upper one.
    const double gap = wi > 0 ? zi - lower : upper - zi;
    if (gap == kInfinity) {
      dual = larger(std::fabs(wi), dual);
    } else {
      slackness = larger(std::fabs(gap * wi), slackness);
    }
  }
  if (std::isnan(finite)) return residual;
  residual.natural = natural / (1 + size_q);
  residual.scaled = ratio(scaled, std::max({size_q * inverse_a, size_z * a, size_w * inverse_a}));
  residual.error = larger(residual.natural, residual.scaled);
  residual.primal = ratio(primal, size_z);
  residual.dual = ratio(dual, std::max(size_q, size_w));
  residual.complementarity = ratio(slackness, size_z * std::max(size_q, size_w));
  residual.cone = 0;
  return residual;
}

Residual affine_residual(const AffineProblem& problem, const Eigen::VectorXd& z) {
  ResidualWorkspace workspace;
  return affine_residual(problem, z, workspace);
}

}  // namespace stickslip::complementarity
