// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which algorithms are tried on an island, in which order.
//
//   auto:  a warm start as it is; a few sweeps of Gauss-Seidel; semismooth Newton, damped contact by contact where
//          there are many of them or they start warm, then with one proximal weight. If that does not reach the goal,
//          further attempts that differ in method (smoothing, Newton, the pyramid problem), start (zero, scattered, the
//          best point so far), proximal weight and map step, until one succeeds or the work budget is used up
//
// Named algorithms run only themselves. Keeps all workspaces: no allocation in repeated solves of one size.
#pragma once

#include "stickslip/complementarity/cone/local_newton.h"
#include "stickslip/complementarity/cone/momentum_sweeps.h"
#include "stickslip/complementarity/cone/proximal_newton.h"
#include "stickslip/complementarity/cone/pyramid_start.h"

#include <optional>

namespace stickslip::complementarity {

enum class ContactAlgorithm { Auto, GaussSeidel, Newton, Smoothing, Pyramid, Sweeps };

struct IslandOutcome {
  const char* answered_by = "";
  int attempts = 0;
};

template <int D>
class IslandSolver {
 public:
  ScaledIsland<D>& island() { return island_; }
  // Solves island() from the start r (scaled), which is overwritten with the best point found. Sweeps with momentum may
  // use several threads of the pool.
  IslandOutcome solve(ContactAlgorithm algorithm, double goal, Budget& budget, EliminationPlan& plan,
                      std::vector<double>& r, std::vector<IterationRecord>* history, int threads, WorkerPool& pool);
  [[nodiscard]] const IslandSearch<D>& search() const { return search_; }

 private:
  bool sweep(int sweeps, bool check_often);
  int count_mode_changes();
  bool sweep_until_modes_settle(double share);
  bool sweep_and_try_newton(IslandOutcome& outcome);
  bool sweep_and_damp(int sweeps, IslandOutcome& outcome);
  bool sweep_with_momentum(int threads, WorkerPool& pool);
  bool from_pyramid(int directions);
  bool first_attempt(bool warm, IslandOutcome& outcome);
  bool further_attempts(IslandOutcome& outcome);
  void scatter(unsigned& random, int attempt);
  void shake(unsigned& random, int attempt);

  ScaledIsland<D> island_;
  IslandSearch<D> search_;
  ProximalNewton<D> engine_;
  MomentumSweeps<D> momentum_;
  LocalNewton<D> local_;
  std::vector<ContactMode> mode_;
  std::optional<PyramidStart<D>> pyramid_;  // made when first needed
};

}  // namespace stickslip::complementarity
