// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Solves islands, in parallel when asked. Which thread solves which island does not influence any result: islands share
// nothing, and a solver's workspaces carry nothing from one problem to the next.
#pragma once

#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/method.h"
#include "stickslip/stepping/problem_solver.h"

#include <memory>
#include <span>
#include <vector>

namespace stickslip::stepping {

class IslandPool {
 public:
  IslandPool();
  ~IslandPool();
  IslandPool(const IslandPool&) = delete;
  IslandPool& operator=(const IslandPool&) = delete;

  // Solves every island; each island's summary tells how it ended. True when all are certified.
  bool solve(const Method& method, std::span<contact::Island> islands);

  // One island, on the calling thread.
  bool solve(const Method& method, contact::Island& island) { return solver_.solve(method, island); }

 private:
  struct Workers;
  ProblemSolver solver_;
  std::unique_ptr<Workers> workers_;  // made when first needed
};

}  // namespace stickslip::stepping
