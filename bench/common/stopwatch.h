// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How every benchmark measures, ours and theirs alike.
//
// The time of a solve is the smallest of many repeats: what disturbs a measurement only ever adds to it. Solves shorter
// than a few clock readings are timed in batches. From 1 ms upward the processor time of the process is taken where it
// is smaller than the wall clock, so that other work on the machine does not count; a program that used several threads
// would gain nothing by that, because processor time adds them up.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace stickslip::bench {

class Stopwatch {
 public:
  Stopwatch() : cpu_(cpu_seconds()), wall_(std::chrono::steady_clock::now()) {}

  [[nodiscard]] double seconds() const {
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_).count();
    return wall < 1e-3 ? wall : std::min(wall, cpu_seconds() - cpu_);
  }

  [[nodiscard]] static double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

 private:
  double cpu_;  // read before the wall clock: its system call stays outside the short measurements
  std::chrono::steady_clock::time_point wall_;
};

struct RepeatPolicy {
  double budget = 0.03;  // seconds to spend on repeats of one solve
  int max_measurements = 400;
  int min_measurements = 3;  // also when one solve is longer than the budget, up to `patience` altogether
  double patience = 0.4;
  double batch = 3e-6;  // shortest stretch between two clock readings; a reading takes about 30 ns
};

// How many solves to put between two clock readings, and how often to measure, when one solve takes `once` seconds.
struct RepeatPlan {
  int batch = 1;
  int measurements = 1;
};

[[nodiscard]] inline RepeatPlan plan_repeats(double once, const RepeatPolicy& policy = {}) {
  RepeatPlan plan;
  const double safe = std::max(once, 1e-8);
  plan.batch = static_cast<int>(std::clamp(policy.batch / safe, 1.0, 64.0));
  const double each = safe * plan.batch;
  plan.measurements = static_cast<int>(std::min(policy.budget / each, static_cast<double>(policy.max_measurements)));
  const int wanted = static_cast<int>(std::min(policy.patience / each, static_cast<double>(policy.min_measurements)));
  plan.measurements = std::max({plan.measurements, wanted, 1});
  return plan;
}

// Smallest time of one call of `solve`, which must start from the same state each time.
template <class Solve>
[[nodiscard]] double best_seconds(Solve&& solve, const RepeatPolicy& policy = {}) {
  Stopwatch first;
  solve();
  double best = first.seconds();
  // The first call may have sized workspaces and missed every cache: plan with the second one.
  if (best < policy.patience) {
    Stopwatch second;
    solve();
    best = std::min(best, second.seconds());
  }
  const RepeatPlan plan = plan_repeats(best, policy);
  for (int measurement = 0; measurement < plan.measurements; ++measurement) {
    Stopwatch watch;
    for (int i = 0; i < plan.batch; ++i) solve();
    best = std::min(best, watch.seconds() / plan.batch);
  }
  return best;
}

}  // namespace stickslip::bench
