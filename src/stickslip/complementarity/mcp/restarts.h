// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Start points for further attempts after the user's own has failed (a local minimum of the merit, a ray, F undefined).
// Deterministic: a fixed pseudo-random sequence U, restarted for each problem.
//
//     attempt k = 0, 1, 2, ..., radius s = 2^floor(k/3) / 2:
//         k mod 3 = 0    x0   + s U[0,1]  (1 + |x0|)       away from lower bounds, where most solutions are
//         k mod 3 = 1    x0   + s U[-1,1] (1 + |x0|)
//         k mod 3 = 2    best + s U[0,1]  (1 + |best|)     around the best point that any attempt has seen
//
// Components with two bounds are drawn inside them, once the radius exceeds the box.
#pragma once

#include "stickslip/complementarity/mcp/evaluation.h"

namespace stickslip::complementarity {

class RestartPoints {
 public:
  void reset() { state_ = 12345; }
  void point(int k, const McpEvaluation& box, const Eigen::VectorXd& x0, const McpPoint& best, Eigen::VectorXd& x);

 private:
  double uniform();
  unsigned state_ = 12345;
};

}  // namespace stickslip::complementarity
