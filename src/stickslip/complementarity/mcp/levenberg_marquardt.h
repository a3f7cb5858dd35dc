// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One Levenberg-Marquardt step on the Fischer-Burmeister system, for where Newton's method has no usable direction
// (singular Jacobian, linearisation without solution):
//
//     d = argmin |H d + Phi|^2 + lambda |d|^2,   x+ = P(x + d),   lambda = nu |Phi| c^2
//
// with c the largest column of H. The factor |Phi| keeps convergence fast at solutions that are not isolated but
// satisfy an error bound (Yamashita, Fukushima 2001); nu falls by 5 after a good step and grows by 6 after a bad one.
// Unknowns at a bound against which the gradient pushes are kept there. A step is good when the merit falls by 1e-4
// of what the model promised. For nu -> inf the step becomes a short projected gradient step, so failure after
// kTrials means a stationary point of the merit within the box.
#pragma once

#include "stickslip/complementarity/mcp/mcp_search.h"

#include <vector>

namespace stickslip::complementarity {

class LevenbergMarquardt {
 public:
  static constexpr int kTrials = 14;
  static constexpr double kGoodStep = 1e-4;

  void reset() { nu_ = 1e-2; }

  // From search.current with J known and linearise() done; false at a stationary point.
  [[nodiscard]] bool step(McpSearch& search);

 private:
  [[nodiscard]] double predicted_decrease(const McpSearch& search);

  double nu_ = 1e-2;
  std::vector<char> frozen_;
  Eigen::VectorXd model_;
};

}  // namespace stickslip::complementarity
