// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the algorithms on one island share: the goal, the best point so far, and the budget.
//
// The goal is reached when the island's errors relative to its own norms are below `goal`. When an algorithm ends
// without that, the best point may still be good enough for the certificate of the whole problem (an island whose
// numbers are rounding noise beside its neighbours'): `acceptable()`.
//
// The budget counts multiplications, not time, so that the same problem takes the same decisions on every machine; a
// wall-clock limit applies only when the user sets one.
#pragma once

#include "stickslip/complementarity/cone/island.h"
#include "stickslip/complementarity/summary.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

namespace stickslip::complementarity {

struct Budget {
  double work = std::numeric_limits<double>::infinity();  // multiplications left
  int iterations = std::numeric_limits<int>::max();       // sweeps and Newton steps left
  int used_iterations = 0;
  bool has_deadline = false, late = false;
  bool give_up_early = false;  // SolverOptions
  std::chrono::steady_clock::time_point deadline;
  const std::function<bool()>* go_on = nullptr;  // Asking; null where nobody is to be asked

  // One more iteration of the given work. False: stop.
  bool spend(double multiplications) {
    ++used_iterations;
    work -= multiplications;
    if (has_deadline && std::chrono::steady_clock::now() > deadline) late = true;
    if (go_on != nullptr && !(*go_on)()) late = true;
    return !exhausted();
  }
  [[nodiscard]] bool exhausted() const { return work <= 0 || late || used_iterations >= iterations; }
};

template <int D>
class IslandSearch {
 public:
  void begin(const ScaledIsland<D>& island, double goal, Budget& budget, std::vector<IterationRecord>* history) {
    island_ = &island, budget_ = &budget, history_ = history;
    goal_ = goal;
    best_ = best_shared_ = std::numeric_limits<double>::infinity();
    best_r_.assign(island.unknowns(), 0.0);
  }

  // Looks at a point; keeps it if it is the best one. True when the goal is reached.
  bool offer(const double* r, const double* u) {
    const IslandError error = island_error(*island_, r, u);
    last_ = error.own;
    if (error.own < best_) {
      best_ = error.own;
      best_shared_ = error.shared;
      best_r_.assign(r, r + island_->unknowns());
    }
    return reached();
  }

  void record(double step, const char* note) {
    if (history_) history_->push_back({static_cast<int>(history_->size()) + 1, last_, step, note});
  }

  [[nodiscard]] const ScaledIsland<D>& island() const { return *island_; }
  [[nodiscard]] Budget& budget() { return *budget_; }
  [[nodiscard]] bool reached() const { return best_ <= goal_; }
  [[nodiscard]] bool acceptable() const { return best_shared_ <= goal_; }
  [[nodiscard]] bool finished() const { return reached() || budget_->exhausted(); }
  [[nodiscard]] double goal() const { return goal_; }
  [[nodiscard]] double best() const { return best_; }
  [[nodiscard]] double last() const { return last_; }
  [[nodiscard]] const std::vector<double>& best_r() const { return best_r_; }

 private:
  const ScaledIsland<D>* island_ = nullptr;
  Budget* budget_ = nullptr;
  std::vector<IterationRecord>* history_ = nullptr;
  double goal_ = 0, last_ = 0, best_ = 0, best_shared_ = 0;
  std::vector<double> best_r_;
};

}  // namespace stickslip::complementarity
