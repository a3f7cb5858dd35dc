// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which step makes a run as accurate as asked?
//
// Comparing one step of h with two of h/2 and adjusting h does not control the error of runs with stick and slip: the
// error is made at the changes of mode, where both agree on the wrong side, and is not a sum of local ones. So the
// whole run is repeated with h, h/2, h/4, ... and the ends q_0, q_1, ... are compared, in one of two ways:
//
//     d_k = |q_k - q_(k-1)|, largest over the bodies,     p_k = log2(d_(k-1) / d_k)
//
//     regular     the last two p_k are the stepper's order p, up to kAgree: the error of the last run is
//                 d_k / (2^p - 1) (Richardson).
//     irregular   the error of run k-2 is measured, not extrapolated: its distance to run k, whose step is a quarter.
//                 The error of run k itself is then a quarter of it at first order, a sixteenth at second. If runs k-1
//                 and k are farther apart than that, their distance counts.
//
// In the irregular case the two shorter steps only serve to know the error of a longer one; a guess from the last two
// runs alone is fooled where both make the same mistake (a change of mode that neither resolves).
//
// Cost: twice the last run; in the irregular case that is eight times the run that is taken.
#pragma once

#include "stickslip/math/types.h"

#include <functional>
#include <vector>

namespace stickslip::simulation {

// Positions of the bodies at the end of a run with the given step; empty when the run failed.
using RunWithStep = std::function<std::vector<Vec3>(double step)>;

struct StepChoice {
  double step = 0;
  double estimate = 0;  // error of the positions at the end; infinite when it is not known
  int runs = 0;
  bool reached = false;  // estimate <= tolerance
};

// Halves the step from first_step until the error of a run is known to be at most `tolerance`, or most_runs are done.
[[nodiscard]] StepChoice choose_step(double tolerance, double first_step, int order, int most_runs,
                                     const RunWithStep& run);

// The run whose error the ends of runs tell (counted from 0), and the error; -1 for too few.
struct ErrorEstimate {
  int run = -1;
  double error = 0;
};
[[nodiscard]] ErrorEstimate estimate_error(const std::vector<std::vector<Vec3>>& ends, int order);

}  // namespace stickslip::simulation
