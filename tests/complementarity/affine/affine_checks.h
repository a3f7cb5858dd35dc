// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the tests of affine solvers share: a residual that is computed in the plainest way, and enumeration.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

namespace stickslip::tests {

using complementarity::AffineProblem;

inline Eigen::MatrixXd dense_matrix(const AffineProblem& problem) {
  return problem.is_dense ? problem.dense : Eigen::MatrixXd(problem.sparse);
}

// |z - mid(lower, upper, z - M z - q)|_inf, not scaled, not shared with the library.
inline double plain_residual(const AffineProblem& problem, const Eigen::VectorXd& z) {
  if (z.size() != problem.size() || !z.allFinite()) return INFINITY;
  const Eigen::VectorXd w = dense_matrix(problem) * z + problem.q;
  double worst = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double middle = std::min(problem.upper[i], std::max(problem.lower[i], z[i] - w[i]));
    worst = std::max(worst, std::fabs(z[i] - middle));
  }
  return worst;
}

// All solutions of an LCP that belong to a regular basis, by trying all 2^n bases.
inline std::vector<Eigen::VectorXd> enumerate_lcp(const Eigen::MatrixXd& M, const Eigen::VectorXd& q) {
  const auto n = static_cast<int>(q.size());
  std::vector<Eigen::VectorXd> solutions;
  for (int mask = 0; mask < 1 << n; ++mask) {
    Eigen::MatrixXd K = Eigen::MatrixXd::Identity(n, n);
    for (int j = 0; j < n; ++j) {
      if ((mask >> j & 1) != 0) K.col(j) = -M.col(j);
    }
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(K);
    if (!lu.isInvertible()) continue;
    const Eigen::VectorXd x = lu.solve(q);
    if (x.minCoeff() < -1e-10) continue;
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    for (int j = 0; j < n; ++j) {
      if ((mask >> j & 1) != 0) z[j] = x[j];
    }
    solutions.push_back(z);
  }
  return solutions;
}

}  // namespace stickslip::tests
