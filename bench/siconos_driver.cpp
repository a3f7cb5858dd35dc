// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/siconos_driver.h"

#include "bench/common/sandbox.h"
#include "bench/common/stopwatch.h"
#include "bench/siconos_problems.h"

#include <Friction_cst.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

namespace stickslip::bench {
namespace {

using namespace complementarity;

constexpr int kNoIterationLimit = 100'000'000;

SolverOptions* make_options(const SiconosSolver& solver, double tolerance, SiconosProblem& problem) {
  SolverOptions* options = solver_options_create(solver.id);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (solver.raise_iterations) options->iparam[SICONOS_IPARAM_MAX_ITER] = kNoIterationLimit;
  if (solver.local_solver != 0) solver_options_update_internal(options, 0, solver.local_solver);
  if (solver.hybrid != 0) options->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = solver.hybrid;
  problem.prepare(options);
  return options;
}

// A repeat counts only when it did the work again: some solvers leave traces in the problem or in their options.
bool same_answer(const std::vector<double>& first, const std::vector<double>& again) {
  double scale = 0, difference = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    scale = std::max(scale, std::abs(first[i]));
    difference = std::max(difference, std::abs(first[i] - again[i]));
  }
  return difference <= 1e-6 * scale;
}

// In the child. Messages: {} with a mark (ready), {info, iterations, seconds, answer...}, {best seconds}.
void solve_and_report(const SiconosSolver& solver, SiconosProblem& problem, double tolerance, const Send& send) {
  numerics_set_verbose(0);
  SolverOptions* options = make_options(solver, tolerance, problem);
  send({1.0});
  Stopwatch watch;
  const int info = problem.solve(options);
  double best = watch.seconds();
  const std::vector<double> first = problem.answer;
  Message report{static_cast<double>(info), static_cast<double>(options->iparam[SICONOS_IPARAM_ITER_DONE]), best};
  report.insert(report.end(), first.begin(), first.end());
  send(report);

  for (int phase = 0; phase < 2; ++phase) {  // the second solve tells better how many repeats are affordable
    const RepeatPlan plan = phase == 0 ? RepeatPlan{} : plan_repeats(best);
    if (phase == 0 && best > RepeatPolicy{}.patience) return;
    std::vector<SolverOptions*> fresh(static_cast<std::size_t>(plan.batch));
    for (int measurement = 0; measurement < plan.measurements; ++measurement) {
      for (SolverOptions*& each : fresh) each = make_options(solver, tolerance, problem);
      Stopwatch again;
      for (SolverOptions* each : fresh) problem.solve(each);
      const double seconds = again.seconds() / plan.batch;
      if (same_answer(first, problem.answer)) best = std::min(best, seconds);
      for (SolverOptions* each : fresh) solver_options_delete(each);
    }
    send({best});
  }
}

using MakeProblem = std::function<std::unique_ptr<SiconosProblem>()>;

SiconosRun run(const SiconosSolver& solver, const MakeProblem& make, const SiconosLimits& limits) {
  const ChildReport child = run_in_child(
      [&](const Send& send) {
        const std::unique_ptr<SiconosProblem> problem = make();
        if (limits.start != nullptr) problem->start = *limits.start;
        solve_and_report(solver, *problem, limits.tolerance, send);
      },
      {.seconds_per_message = limits.seconds, .preparation = 30});
  SiconosRun result;
  if (child.messages.size() < 2) {
    result.failure = child.end == ChildEnd::OutOfTime ? "time" : "crash";
    return result;
  }
  const Message& report = child.messages[1];
  result.answered = true;
  result.info = static_cast<int>(report[0]);
  result.iterations = static_cast<int>(report[1]);
  result.seconds = child.messages.size() > 2 ? child.messages.back()[0] : report[2];
  result.answer.assign(report.begin() + 3, report.end());
  return result;
}

}  // namespace

SiconosRun run_siconos(const SiconosSolver& solver, const AffineProblem& problem, const SiconosLimits& limits) {
  return run(
      solver,
      [&] {
        return solver.form == SiconosForm::Relay ? make_siconos_relay(problem)
                                                 : make_siconos_lcp(problem, solver.storage);
      },
      limits);
}

SiconosRun run_siconos(const SiconosSolver& solver, const MixedLcp& problem, const SiconosLimits& limits) {
  return run(solver, [&] { return make_siconos_mlcp(problem); }, limits);
}

SiconosRun run_siconos(const SiconosSolver& solver, const ContactProblem& problem, const SiconosLimits& limits) {
  return run(solver, [&] { return make_siconos_friction(problem, solver.storage); }, limits);
}

SiconosRun run_siconos(const SiconosSolver& solver, const GlobalContactProblem& problem, const SiconosLimits& limits) {
  return run(solver, [&] { return make_siconos_global(problem, solver.storage); }, limits);
}

}  // namespace stickslip::bench
