// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Newton's method on those contacts of an island that keep sweeps from ending.
//
// What is left of the error of a large island after some hundred sweeps (momentum_sweeps.h) stands in some tens of its thousands of
// contacts as a rule: ones that slide slowly, or change between sticking and slipping for ever, which sweeps resolve slowly
// or not at all. These, and their neighbours in W, are a problem of their own while the impulses of all others are held:
//
//     u_S = W_SS r_S + (q_S + W_SR r_R),      S: the contacts with the largest defects, and their neighbours;  R: all others
//
// A few damped Newton steps (damped_newton.h) solve it, at the cost of a tenth or less of one step on the whole; the next sweeps
// carry to the others what has changed.
//
// Cost: one product with W, a copy of the rows of S, an elimination plan, and a factorisation of S per step.
#pragma once

#include "stickslip/complementarity/cone/elimination_plan.h"
#include "stickslip/complementarity/cone/proximal_newton.h"

#include <utility>
#include <vector>

namespace stickslip::complementarity {

template <int D>
class LocalNewton {
 public:
  // Goes on from r, which it changes where it found something better for S. Budget and goal are those of the search for the
  // island. False, and nothing done: S is more than half of the island.
  bool run(const ScaledIsland<D>& island, IslandSearch<D>& search, std::vector<double>& r);

 private:
  void choose(const ScaledIsland<D>& island, const std::vector<double>& r);
  void extract(const ScaledIsland<D>& island, const std::vector<double>& r);

  std::vector<double> u_;
  std::vector<std::pair<double, int>> defect_;  // squared, contact
  std::vector<int> place_, block_;              // in the part: of each contact, of each block; -1: not there
  ScaledIsland<D> part_;                        // member: contacts of the island
  IslandSearch<D> part_search_;
  ProximalNewton<D> engine_;
  EliminationPlan plan_;
};

}  // namespace stickslip::complementarity
