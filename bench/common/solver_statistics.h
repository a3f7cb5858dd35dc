// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Summaries of many runs. Notation: t(p, s) time of solver s on problem p, infinite where it failed.
//
//     geometric mean   exp(mean log t) over the problems that both compared solvers solved
//     profile          rho_s(tau) = share of the problems (solved by anyone) with t(p, s) <= tau min_s' t(p, s')
//                      (Dolan and More's performance profile: rho(1) = how often fastest, rho(inf) = how often solved)
#pragma once

#include "bench/common/runs.h"

#include <span>
#include <string>
#include <vector>

namespace stickslip::bench {

[[nodiscard]] double geometric_mean(std::span<const double> values);
[[nodiscard]] double median(std::vector<double> values);

constexpr const char* kOurName = "stickslip";
constexpr const char* kVirtualBest = "best Siconos";

struct SolverStatistics {
  std::string solver;
  int tried = 0, solved = 0;
  double geometric_mean = 0;           // over its own solved problems
  double median_time = 0;              // the same
  int common = 0;                      // problems that it and we solved
  double ratio = 0;                    // geometric mean of its time over ours on those
  std::vector<double> time_over_best;  // t / fastest of all, one per problem solved by anyone; infinite where it failed

  [[nodiscard]] double rho(double tau) const;
};

struct ClassStatistics {
  int problems = 0;         // that have a solution, as far as anyone found one
  int infeasible = 0;       // shown to have none
  int unsolved = 0;         // neither
  int ours_within_two = 0;  // ours fastest, or at most twice the fastest Siconos time (or nobody else solved it)
  int ours_fastest = 0;
  SolverStatistics ours, virtual_best;  // virtual best: the fastest Siconos solver of each problem, chosen afterwards
  std::vector<SolverStatistics> peers;  // most solved first, then fastest

  // The peer that comes closest to us on common problems, among those that solve at least half of the class.
  [[nodiscard]] const SolverStatistics* closest_rival() const;
};

[[nodiscard]] ClassStatistics summarise(std::span<const ProblemRuns> runs);

}  // namespace stickslip::bench
