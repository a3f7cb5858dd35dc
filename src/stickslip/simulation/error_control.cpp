// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/simulation/error_control.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::simulation {

double estimate_error(const std::vector<double>& differences, int order) {
  const std::size_t n = differences.size();
  if (n < 2) return std::numeric_limits<double>::infinity();
  const double last = differences[n - 1], before = differences[n - 2];
  if (last == 0) return 0;
  bool regular = true;
  double p = order;
  for (std::size_t k = n > 2 ? n - 2 : n - 1; k < n; ++k) {
    const double observed = std::log2(differences[k - 1] / differences[k]);
    regular = regular && observed >= 0.5 && observed <= order + 1;
    p = std::min(p, std::max(1.0, observed));
  }
  return regular ? last / (std::exp2(p) - 1) : 0.5 * (last + 0.5 * before);
}

StepChoice choose_step(double accuracy, double first_step, int order, int most_runs, const RunWithStep& run) {
  StepChoice choice{first_step, std::numeric_limits<double>::infinity(), 0, false};
  std::vector<double> differences;
  std::vector<Vec3> before;
  for (double step = first_step; choice.runs < most_runs; step *= 0.5) {
    choice.step = step;
    const std::vector<Vec3> end = run(step);
    ++choice.runs;
    if (end.size() != before.size() || end.empty()) {  // the first one, or one of the two failed
      differences.clear();
    } else {
      double distance = 0;
      for (std::size_t i = 0; i < end.size(); ++i) distance = std::max(distance, (end[i] - before[i]).norm());
      differences.push_back(distance);
      choice.estimate = estimate_error(differences, order);
    }
    before = end;
    choice.reached = choice.estimate <= accuracy;
    if (choice.reached) break;
  }
  return choice;
}

}  // namespace stickslip::simulation
