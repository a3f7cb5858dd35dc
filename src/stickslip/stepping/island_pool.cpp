// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/island_pool.h"

namespace stickslip::stepping {

bool IslandPool::solve(const Method& method, std::span<contact::Island> islands) {
  // Waking a thread costs some ten microseconds: a few small islands are faster alone.
  constexpr std::size_t kWorthSharing = 64;  // contacts
  std::size_t contacts = 0;
  for (const contact::Island& island : islands) contacts += island.answered ? 0 : island.contacts.size();
  if (method.threads > 1 && islands.size() > 1 && contacts >= kWorthSharing) {
    while (helpers_.size() + 1 < static_cast<std::size_t>(method.threads))
      helpers_.push_back(std::make_unique<ProblemSolver>());
    pool_.run(method.threads, static_cast<int>(islands.size()), [&](int worker, int k) {
      ProblemSolver& solver = worker == 0 ? solver_ : *helpers_[static_cast<std::size_t>(worker - 1)];
      contact::Island& island = islands[static_cast<std::size_t>(k)];
      if (!island.answered && !ProblemSolver::sweeps(island)) solver.solve(method, island);
    });
    for (contact::Island& island : islands)
      if (!island.answered && ProblemSolver::sweeps(island)) solver_.solve(method, island, method.threads);
  } else {
    for (contact::Island& island : islands)
      if (!island.answered) solver_.solve(method, island, method.threads);
  }
  bool certified = true;
  for (const contact::Island& island : islands) certified &= island.summary.solved();
  return certified;
}

}  // namespace stickslip::stepping
