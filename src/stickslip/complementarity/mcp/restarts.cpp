// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/restarts.h"

#include <cmath>

namespace stickslip::complementarity {

// A linear congruential generator: the same numbers on every machine.
double RestartPoints::uniform() {
  state_ = state_ * 1664525U + 1013904223U;
  return static_cast<double>(state_ >> 8) / static_cast<double>(1U << 24);
}

void RestartPoints::point(int k, const McpEvaluation& box, const Eigen::VectorXd& x0, const McpPoint& best,
                          Eigen::VectorXd& x) {
  const double radius = 0.5 * std::exp2(k / 3);
  const bool around_best = k % 3 == 2 && std::isfinite(best.natural);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double centre = around_best ? best.x[i] : x0[i];
    const double u = uniform();
    const double reach = radius * (1 + std::abs(centre));
    const double width = box.upper[i] - box.lower[i];
    x[i] = width <= reach ? box.lower[i] + u * width : centre + reach * (k % 3 == 1 ? 2 * u - 1 : u);
  }
}

}  // namespace stickslip::complementarity
