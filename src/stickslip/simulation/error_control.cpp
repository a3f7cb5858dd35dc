// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/simulation/error_control.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::simulation {
namespace {

constexpr double kAgree = 0.3;  // of observed orders with the stepper's

double distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

}  // namespace

ErrorEstimate estimate_error(const std::vector<std::vector<Vec3>>& ends, int order) {
  const std::size_t n = ends.size();
  if (n < 3) return {};
  if (n > 3) {
    double d[3];
    for (std::size_t k = 0; k < 3; ++k) d[k] = distance(ends[n - 3 + k], ends[n - 4 + k]);
    const auto agrees = [&](double before, double after) {
      return after > 0 && std::fabs(std::log2(before / after) - order) <= kAgree;
    };
    if (agrees(d[0], d[1]) && agrees(d[1], d[2])) return {static_cast<int>(n) - 1, d[2] / (std::exp2(order) - 1)};
  }
  return {static_cast<int>(n) - 3, std::max(distance(ends[n - 3], ends[n - 1]), distance(ends[n - 2], ends[n - 1]))};
}

StepChoice choose_step(double tolerance, double first_step, int order, int most_runs, const RunWithStep& run) {
  StepChoice choice{first_step, std::numeric_limits<double>::infinity(), 0, false};
  std::vector<std::vector<Vec3>> ends;
  double first = first_step;  // of ends
  for (double step = first_step; choice.runs < most_runs && !choice.reached; step *= 0.5) {
    std::vector<Vec3> end = run(step);
    ++choice.runs;
    if (end.empty()) {  // it failed: what went before says nothing
      ends.clear();
      first = 0.5 * step;
      continue;
    }
    ends.push_back(std::move(end));
    const ErrorEstimate estimate = estimate_error(ends, order);
    if (estimate.run < 0) continue;
    choice.step = first * std::exp2(-estimate.run);
    choice.estimate = estimate.error;
    choice.reached = estimate.error <= tolerance;
  }
  return choice;
}

}  // namespace stickslip::simulation
