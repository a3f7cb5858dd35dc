// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the iterative MCP algorithms of this folder share: the current, trial and best point, the acceptance of steps,
// the Fischer-Burmeister system at the current point, limits, counters and history.
//
// Acceptance is non-monotone (Grippo, Lampariello, Lucidi): a step of length t is taken when
//
//     Psi(x(t)) <= (1 - sigma t) R,     R = max of the merit over the last kMemory points, sigma = 1e-4,
//
// so that Newton's method may climb out of the curved valleys of the merit function. Trial points are always inside
// the box, hence F is never asked for outside it; where F is undefined the step is shortened.
//
// An attempt counts as stationary when kPatience iterations have halved neither its best merit nor its best residual.
#pragma once

#include "stickslip/complementarity/mcp/evaluation.h"
#include "stickslip/complementarity/mcp/generalised_system.h"
#include "stickslip/complementarity/options.h"
#include "stickslip/complementarity/summary.h"

#include <array>
#include <chrono>

namespace stickslip::complementarity {

enum class McpOutcome { Converged, Stationary, Undefined, IterationLimit, TimeLimit };

class McpSearch {
 public:
  static constexpr int kMemory = 5;
  static constexpr int kPatience = 30;
  static constexpr double kSufficient = 1e-4;

  // Binds problem and limits; forgets the best point.
  void start(const McpProblem& problem, const SolverOptions& options, std::vector<IterationRecord>* history);

  // Projects x0 into the box and makes it the current point; where F or J is undefined there, nearby interior points
  // are tried. False when none of them helps.
  [[nodiscard]] bool begin_at(const Eigen::VectorXd& x0);

  // Counts an iteration, notes the best point, records history. Says whether to go on (true) or why not (outcome).
  [[nodiscard]] bool next_iteration(const char* phase, McpOutcome& outcome);

  // Phi, D_x, D_f and the system H at the current point, with the smoothing of the evaluation.
  void linearise();

  // Tries x(t) = P(x + t d) for t = 1, 1/2, ...; accepts as above. The trial becomes the current point.
  // The first `free_trials` lengths are measured against R, the shorter ones against the current merit.
  [[nodiscard]] bool line_search(const Eigen::VectorXd& d, int trials, int free_trials);

  // Takes the trial point (already evaluated) as the current one.
  void accept_trial(double step);
  [[nodiscard]] double reference_merit() const;

  // Another merit function (scaling, smoothing) makes the remembered values meaningless.
  void forget_merits();

  [[nodiscard]] bool out_of_time() const;

  McpEvaluation evaluation;
  GeneralisedSystem system;
  McpPoint current, trial, best;
  Eigen::VectorXd phi, dx, df, direction, gradient;
  double target = 1e-9;  // natural residual at which an attempt stops
  double last_step = 0;
  int iterations = 0;       // of all attempts
  int iteration_limit = 0;  // of all attempts

 private:
  [[nodiscard]] bool no_progress();

  std::array<double, kMemory> merits_{};
  int remembered_ = 0;
  double checkpoint_natural_ = 0, checkpoint_merit_ = 0;  // best values when progress was last judged
  double best_natural_ = 0, best_merit_ = 0;              // of this attempt
  std::vector<IterationRecord>* history_ = nullptr;
  std::chrono::steady_clock::time_point started_;
  double time_limit_ = 0;
};

}  // namespace stickslip::complementarity
