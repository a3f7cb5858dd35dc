// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Runs one Siconos solver on one of our problem forms, in a child process, and brings back its answer and its time.
//
// The answer is judged by the caller with our residual functions; what Siconos says about itself is only carried along.
// Timed is the driver call alone (matrix conversion, options and Siconos' one-time caches are not), cold start unless
// impulses are given, smallest of repeats, one thread. Iteration limits are raised so that the time limit decides; all else is Siconos'
// default.
#pragma once

#include "bench/siconos_catalogue.h"
#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/cone/contact_problem.h"

#include <Eigen/Core>
#include <string>
#include <vector>

namespace stickslip::bench {

struct SiconosLimits {
  double tolerance = 1e-8;
  double seconds = 1;                          // processor time of the first solve
  const std::vector<double>* start = nullptr;  // of contact problems in local form; null: zero
};

struct SiconosRun {
  bool answered = false;
  const char* failure = "";  // "time" or "crash" when not answered
  int info = 0;              // Siconos' return value: 0 when it believes it has solved the problem
  double seconds = 0;
  int iterations = 0;
  std::vector<double> answer;  // z; (u, v) of a mixed LCP; r; r and then v of a global problem
};

[[nodiscard]] SiconosRun run_siconos(const SiconosSolver& solver, const complementarity::AffineProblem& problem,
                                     const SiconosLimits& limits = {});
[[nodiscard]] SiconosRun run_siconos(const SiconosSolver& solver, const complementarity::MixedLcp& problem,
                                     const SiconosLimits& limits = {});
[[nodiscard]] SiconosRun run_siconos(const SiconosSolver& solver, const complementarity::ContactProblem& problem,
                                     const SiconosLimits& limits = {});
[[nodiscard]] SiconosRun run_siconos(const SiconosSolver& solver, const complementarity::GlobalContactProblem& problem,
                                     const SiconosLimits& limits = {});

}  // namespace stickslip::bench
