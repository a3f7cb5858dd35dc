// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/common/solver_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stickslip::bench {
namespace {

constexpr double kFailed = std::numeric_limits<double>::infinity();

double time_of(const Run& run) {
  return run.solved ? run.seconds : kFailed;
}

double best_peer_time(const ProblemRuns& problem) {
  const Run* best = problem.best_peer();
  return best != nullptr ? best->seconds : kFailed;
}

const Run* find_peer(const ProblemRuns& problem, const std::string& solver) {
  for (const Run& run : problem.peers)
    if (run.solver == solver) return &run;
  return nullptr;
}

// pick(problem): the run of this solver, null where it was not tried.
template <class Pick>
SolverStatistics statistics_of(std::string solver, std::span<const ProblemRuns> runs, Pick&& pick) {
  SolverStatistics result;
  result.solver = std::move(solver);
  std::vector<double> own, ratios;
  for (const ProblemRuns& problem : runs) {
    if (!problem.solved_by_anyone()) continue;
    const Run* run = pick(problem);
    const double time = run != nullptr ? time_of(*run) : kFailed;
    const double ours = time_of(problem.ours), fastest = std::min(ours, best_peer_time(problem));
    result.time_over_best.push_back(time / fastest);
    result.tried += run != nullptr;
    if (time == kFailed) continue;
    ++result.solved;
    own.push_back(time);
    if (ours != kFailed) ratios.push_back(time / ours);
  }
  result.geometric_mean = geometric_mean(own);
  result.median_time = median(own);
  result.common = static_cast<int>(ratios.size());
  result.ratio = geometric_mean(ratios);
  return result;
}

std::vector<std::string> peer_names(std::span<const ProblemRuns> runs) {
  std::vector<std::string> names;
  for (const ProblemRuns& problem : runs)
    for (const Run& run : problem.peers)
      if (std::find(names.begin(), names.end(), run.solver) == names.end()) names.push_back(run.solver);
  return names;
}

}  // namespace

double geometric_mean(std::span<const double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double SolverStatistics::rho(double tau) const {
  const auto within = std::count_if(time_over_best.begin(), time_over_best.end(), [tau](double t) { return t <= tau; });
  return time_over_best.empty() ? 0 : static_cast<double>(within) / static_cast<double>(time_over_best.size());
}

const SolverStatistics* ClassStatistics::closest_rival() const {
  const SolverStatistics* closest = nullptr;
  for (const SolverStatistics& peer : peers)
    if (peer.common > 0 && 2 * peer.solved >= problems && (closest == nullptr || peer.ratio < closest->ratio))
      closest = &peer;
  return closest;
}

ClassStatistics summarise(std::span<const ProblemRuns> runs) {
  ClassStatistics result;
  for (const ProblemRuns& problem : runs) {
    if (!problem.solved_by_anyone()) {
      ++(problem.infeasible ? result.infeasible : result.unsolved);
      continue;
    }
    ++result.problems;
    const double ours = time_of(problem.ours), theirs = best_peer_time(problem);
    result.ours_fastest += ours != kFailed && ours <= theirs;
    result.ours_within_two += ours != kFailed && ours <= 2 * theirs;
  }
  result.ours = statistics_of(kOurName, runs, [](const ProblemRuns& problem) { return &problem.ours; });
  result.virtual_best =
      statistics_of(kVirtualBest, runs, [](const ProblemRuns& problem) { return problem.best_peer(); });
  for (const std::string& name : peer_names(runs))
    result.peers.push_back(
        statistics_of(name, runs, [&](const ProblemRuns& problem) { return find_peer(problem, name); }));
  std::stable_sort(result.peers.begin(), result.peers.end(), [](const auto& a, const auto& b) {
    return a.solved != b.solved ? a.solved > b.solved : a.geometric_mean < b.geometric_mean;
  });
  return result;
}

}  // namespace stickslip::bench
