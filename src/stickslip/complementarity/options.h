// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Options that every solver understands. Algorithm-specific constants live beside the algorithm.
#pragma once

#include <limits>

namespace stickslip::complementarity {

struct SolverOptions {
  // Largest Residual::error that counts as solved (dimensionless, see residual.h). Sane range 1e-14 .. 1e-2.
  double tolerance = 1e-8;

  // Iterations (pivots, sweeps or Newton steps, as the algorithm counts them); 0 leaves the algorithm's own limit.
  // Contact problems: of each island.
  int max_iterations = 0;

  // Wall-clock limit in seconds, checked between iterations.
  double time_limit = std::numeric_limits<double>::infinity();

  // Threads that solve the islands of a contact problem; the answer has the same bits for any number. Worth while for
  // islands that take more than some 50 microseconds. Solves that record a history use one.
  int threads = 1;

  // Sweeps: end when their pace tells that another algorithm, which the caller has at hand, is cheaper from here.
  bool give_up_early = false;

  // Keep one IterationRecord per iteration in the summary. Costs memory and, for some solvers, a residual each.
  bool record_history = false;
};

}  // namespace stickslip::complementarity
