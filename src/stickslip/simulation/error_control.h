// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which step makes a run as accurate as asked?
//
// Comparing one step of h with two of h/2 and adjusting h does not control the error of runs with stick and slip: the
// error is made at the changes of mode, where both agree on the wrong side, and is not a sum of local ones. So the
// whole run is repeated with h, h/2, h/4, ... and the ends are compared, until the estimated error of the last one is
// small enough:
//
//     d_k = largest distance between the ends of runs k and k-1,   p_k = log2(d_(k-1) / d_k)
//     regular     the last two p_k lie between 1/2 and the stepper's order + 1: the error falls like h^p, with p the
//                 smaller of them, at most the order and at least 1; estimate d_k / (2^p - 1)
//     irregular   estimate (d_k + d_(k-1) / 2) / 2, the mean of what two differences say at first order. A difference
//                 that is small by chance does not count alone.
//
// Cost: the last run, once more in all for those before it.
#pragma once

#include "stickslip/math/types.h"

#include <functional>
#include <vector>

namespace stickslip::simulation {

// Positions of the bodies at the end of a run with the given step; empty when the run failed.
using RunWithStep = std::function<std::vector<Vec3>(double step)>;

struct StepChoice {
  double step = 0;
  double estimate = 0;  // error of the positions at the end; infinite when no two runs could be compared
  int runs = 0;
  bool reached = false;  // estimate <= accuracy
};

// Halves the step from first_step until the estimate is at most `accuracy`, or most_runs are done.
[[nodiscard]] StepChoice choose_step(double accuracy, double first_step, int order, int most_runs,
                                     const RunWithStep& run);

// d_k in the order of the runs; infinite for less than two.
[[nodiscard]] double estimate_error(const std::vector<double>& differences, int order);

}  // namespace stickslip::simulation
