// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The step of a Gauss-Newton search for an objective that is a sum of norms of residuals, F(x) = sum_i w_i |r_i(x)|:
//
//     minimise  m(d) = sum_i w_i |r_i + J_i d|      low <= d <= high
//
// m is convex and keeps what makes such objectives hard for other searches, the corners where a residual vanishes. It
// is minimised by weighted least squares,   d <- argmin sum_i w_i |r_i + J_i d|^2 / max(|r_i + J_i d_last|, e),   e
// falling to a small share of the mean residual; each within the bounds by coordinate descent. No runs.
#pragma once

#include <Eigen/Core>

#include <vector>

namespace stickslip::study {

// Residuals of an evaluation with their derivatives by the design.
struct NormModel {
  Eigen::VectorXd residuals;
  Eigen::MatrixXd slopes;      // (residual, variable)
  std::vector<int> sizes;      // of the groups whose norms are summed, in their order
  std::vector<double> weight;  // of each group

  [[nodiscard]] bool empty() const { return sizes.empty(); }
  [[nodiscard]] double value(const Eigen::VectorXd& step) const;  // m(d)
};

[[nodiscard]] Eigen::VectorXd minimising_step(const NormModel& model, const Eigen::VectorXd& low,
                                              const Eigen::VectorXd& high);

}  // namespace stickslip::study
