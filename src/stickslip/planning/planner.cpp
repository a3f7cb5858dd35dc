// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/planner.h"

#include "stickslip/planning/objective.h"
#include "stickslip/simulation/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace stickslip::planning {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kSame = 1e-6;  // relative: unknowns of one and the same solution

// In [0, 1), the same bits everywhere.
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1.0p-53;
}

bool same(const VectorXd& a, const VectorXd& b) {
  return (a - b).cwiseAbs().maxCoeff() <= kSame * std::max(1.0, a.cwiseAbs().maxCoeff());
}

void note_closest(const Plan& plan, const Search& found, PlanResult& result) {
  if (found.ending == Search::Ending::NeverRan) {
    if (result.cause.empty()) result.cause = found.cause;
    return;
  }
  if (!(found.violation() < result.violation)) return;
  result.violation = found.violation();
  result.closest = found.unknowns;
  Index worst = 0;
  found.residual.cwiseAbs().maxCoeff(&worst);
  result.violated = plan.conditions[static_cast<std::size_t>(worst)].text;
}

}  // namespace

VectorXd start_of(const Plan& plan, int number) {
  VectorXd start(static_cast<Index>(plan.unknowns.size()));
  std::size_t guesses = 1;
  for (const Unknown& unknown : plan.unknowns) guesses = std::max(guesses, unknown.guesses.size());
  std::mt19937_64 random(plan.seed * 1000003 + static_cast<std::uint64_t>(number));
  for (std::size_t i = 0; i < plan.unknowns.size(); ++i) {
    const Unknown& unknown = plan.unknowns[i];
    double& value = start[static_cast<Index>(i)];
    if (static_cast<std::size_t>(number) < guesses) {
      value = unknown.guesses[std::min(static_cast<std::size_t>(number), unknown.guesses.size() - 1)];
    } else if (std::isfinite(unknown.low) && std::isfinite(unknown.high)) {
      value = unknown.low + (unknown.high - unknown.low) * uniform(random);
    } else {
      value = std::clamp(unknown.guesses[0] + unknown.scale * (2 * uniform(random) - 1), unknown.low, unknown.high);
    }
  }
  return start;
}

PlanResult solve(const Plan& plan) {
  PlanResult result;
  Shooter shooter(plan);
  const auto begin = std::chrono::steady_clock::now();
  result.method = "shooting";
  result.derivatives = shooter.exact() ? "exact" : "differences";
  for (int number = 0; number < plan.starts; ++number) {
    Search found = search(plan, shooter, start_of(plan, number));
    ++result.starts;
    if (plan.has_objective && found.ending == Search::Ending::Solved) found = minimise(plan, shooter, found);
    if (found.ending != Search::Ending::Solved) {
      note_closest(plan, found, result);
      continue;
    }
    ++result.searches_solved;
    const bool known =
        std::ranges::any_of(result.solutions, [&](const Solution& one) { return same(one.unknowns, found.unknowns); });
    if (!known)
      result.solutions.push_back({found.unknowns, found.violation(), found.objective, found.worst_balance,
                                  found.worst_residual, shooter.modes(), shooter.touches(), number, found.iterations});
    if (plan.wanted == Wanted::One) break;
  }
  if (plan.has_objective) std::ranges::stable_sort(result.solutions, {}, &Solution::objective);
  result.status = result.solutions.empty() ? PlanResult::Status::NotFound : PlanResult::Status::Solved;
  result.runs = shooter.runs();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

double replay(const Plan& plan, const scene::Scene& scene) {
  simulation::Simulation run(scene.model, scene.method);
  const model::State start = run.state();
  if (!run.run_until(scene.duration)) return std::numeric_limits<double>::infinity();
  EndConditions conditions(plan, scene);
  Shot shot;
  conditions.evaluate(start, run.state(), shot.values);
  VectorXd residual;
  Eigen::MatrixXd none;
  residual_of(conditions, shot, residual, none);
  return residual.cwiseAbs().maxCoeff();
}

}  // namespace stickslip::planning
