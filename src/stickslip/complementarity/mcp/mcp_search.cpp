// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/mcp_search.h"

#include "stickslip/complementarity/mcp/fischer_burmeister.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {

void McpSearch::start(const McpProblem& problem, const SolverOptions& options, std::vector<IterationRecord>* history) {
  evaluation.start(problem);
  const Eigen::Index n = problem.size();
  for (McpPoint* point : {&current, &trial, &best}) point->resize(n);
  for (Eigen::VectorXd* v : {&phi, &dx, &df, &direction, &gradient}) v->resize(n);
  best.natural = kInfinity;
  // A tenth of the tolerance: the independent certificate must not fail by a rounding error.
  target = 0.1 * options.tolerance;
  iterations = 0;
  iteration_limit = options.max_iterations > 0 ? options.max_iterations : 1 << 30;
  history_ = history;
  time_limit_ = options.time_limit;
  if (std::isfinite(time_limit_)) started_ = std::chrono::steady_clock::now();
  forget_merits();
}

void McpSearch::forget_merits() {
  remembered_ = 0;
  checkpoint_natural_ = checkpoint_merit_ = best_natural_ = best_merit_ = kInfinity;
}

bool McpSearch::out_of_time() const {
  if (!std::isfinite(time_limit_)) return false;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count() > time_limit_;
}

bool McpSearch::begin_at(const Eigen::VectorXd& x0) {
  forget_merits();
  current.x = x0;
  evaluation.project(current.x);
  if (evaluation.function(current) && evaluation.jacobian(current)) return true;
  // Typically 0/0, log 0 or a root's infinite slope on the boundary: go inside, a little first, then more.
  for (const double inside : {1e-6, 1e-3, 1e-1, 1.0, 10.0}) {
    for (Eigen::Index i = 0; i < x0.size(); ++i) {
      const double lower = evaluation.lower[i], upper = evaluation.upper[i];
      const double margin = std::min(inside, (upper - lower) / 4);
      double x = x0[i];
      if (std::isfinite(lower)) x = std::max(x, lower + margin);
      if (std::isfinite(upper)) x = std::min(x, upper - margin);
      current.x[i] = x;
    }
    if (evaluation.function(current) && evaluation.jacobian(current)) return true;
  }
  return false;
}

bool McpSearch::next_iteration(const char* phase, McpOutcome& outcome) {
  if (current.natural < best.natural) {
    best.x = current.x;
    best.natural = current.natural;
  }
  if (history_) history_->push_back({iterations, current.natural, last_step, phase});
  merits_[static_cast<std::size_t>(remembered_ % kMemory)] = current.merit;
  ++remembered_;
  if (current.natural <= target) {
    outcome = McpOutcome::Converged;
    return false;
  }
  if (iterations >= iteration_limit) {
    outcome = McpOutcome::IterationLimit;
    return false;
  }
  if (out_of_time()) {
    outcome = McpOutcome::TimeLimit;
    return false;
  }
  if (no_progress()) {
    outcome = McpOutcome::Stationary;
    return false;
  }
  ++iterations;
  return true;
}

bool McpSearch::no_progress() {
  best_natural_ = std::min(best_natural_, current.natural);
  best_merit_ = std::min(best_merit_, current.merit);
  if (remembered_ % kPatience != 0) return false;
  const bool halved = best_natural_ <= checkpoint_natural_ / 2 || best_merit_ <= checkpoint_merit_ / 2;
  checkpoint_natural_ = best_natural_;
  checkpoint_merit_ = best_merit_;
  return !halved;
}

double McpSearch::reference_merit() const {
  double reference = current.merit;
  for (int k = 0; k < std::min(remembered_, kMemory); ++k)
    reference = std::max(reference, merits_[static_cast<std::size_t>(k)]);
  return reference;
}

void McpSearch::linearise() {
  for (Eigen::Index i = 0; i < phi.size(); ++i) {
    const auto v = fischer_burmeister::evaluate_with_derivatives(evaluation.lower[i], evaluation.upper[i], current.x[i],
                                                                 current.f[i], evaluation.smoothing);
    phi[i] = v.value;
    dx[i] = v.dx;
    df[i] = v.df;
  }
  system.set(evaluation.J, dx, df);
}

bool McpSearch::line_search(const Eigen::VectorXd& d, int trials, int free_trials) {
  const double reference = reference_merit();
  bool jacobian_lost = false;
  double step = 1;
  for (int k = 0; k < trials; ++k, step /= 2) {
    trial.x = current.x + step * d;
    evaluation.project(trial.x);
    if (!evaluation.function(trial)) continue;
    const double bound = k < free_trials ? reference : current.merit;
    if (trial.merit > (1 - kSufficient * step) * bound) continue;
    if (!evaluation.jacobian(trial)) {
      jacobian_lost = true;
      continue;
    }
    accept_trial(step);
    return true;
  }
  // J belongs to the current point again, where it was defined before.
  if (jacobian_lost) static_cast<void>(evaluation.jacobian(current));
  return false;
}

void McpSearch::accept_trial(double step) {
  std::swap(current, trial);
  last_step = step;
}

}  // namespace stickslip::complementarity
