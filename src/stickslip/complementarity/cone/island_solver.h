// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which algorithms are tried on an island, in which order.
//
//   auto:  sweeps of Gauss-Seidel, then semismooth Newton; if that does not reach the goal, further attempts that differ
//          in start, proximal weight, map step and method (smoothing, Newton), until the work budget is used up
//
// Named algorithms run only themselves. Keeps all workspaces: no allocation in repeated solves of one size.
#pragma once

#include "stickslip/complementarity/cone/proximal_newton.h"

#include <string_view>

namespace stickslip::complementarity {

enum class ContactAlgorithm { Auto, GaussSeidel, Newton, Smoothing };

struct IslandOutcome {
  const char* answered_by = "";
  int attempts = 0;
};

template <int D>
class IslandSolver {
 public:
  Island<D>& island() { return island_; }
  // Solves island() from the start r (scaled), which is overwritten with the best point found.
  IslandOutcome solve(ContactAlgorithm algorithm, double goal, Budget& budget, EliminationPlan& plan,
                      std::vector<double>& r, std::vector<IterationRecord>* history);
  [[nodiscard]] const Search<D>& search() const { return search_; }

 private:
  bool sweep(int sweeps, bool check_often);
  bool first_attempt(IslandOutcome& outcome);
  bool further_attempts(IslandOutcome& outcome);
  void scattered_start(int attempt, unsigned& random);

  Island<D> island_;
  Search<D> search_;
  ProximalNewton<D> engine_;
};

}  // namespace stickslip::complementarity
