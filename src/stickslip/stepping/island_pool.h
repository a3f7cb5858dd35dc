// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Solves islands, in parallel when asked. Which thread solves which island does not influence any result: islands share
// nothing, and a solver's workspaces carry nothing from one problem to the next.
#pragma once

#include "stickslip/complementarity/worker_pool.h"
#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/method.h"
#include "stickslip/stepping/problem_solver.h"

#include <memory>
#include <span>
#include <vector>

namespace stickslip::stepping {

class IslandPool {
 public:
  // Solves every island that is not answered; each island's summary tells how it ended. True when all are certified.
  bool solve(const Method& method, std::span<contact::Island> islands);

  // One island, on the calling thread.
  bool solve(const Method& method, contact::Island& island) { return solver_.solve(method, island); }

 private:
  ProblemSolver solver_;                                 // of the calling thread
  std::vector<std::unique_ptr<ProblemSolver>> helpers_;  // of the others, made when first needed
  complementarity::WorkerPool pool_;
};

}  // namespace stickslip::stepping
