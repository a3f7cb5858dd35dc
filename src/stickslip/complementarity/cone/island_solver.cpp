// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/island_solver.h"

#include "stickslip/complementarity/cone/semismooth_newton.h"
#include "stickslip/complementarity/cone/smoothing.h"

namespace stickslip::complementarity {
namespace {

constexpr int kFirstSweeps = 8;
constexpr int kMaxSweeps = 20000;  // of Gauss-Seidel alone
constexpr int kMaxAttempts = 60;

// The attempts after the first: each row one combination, taken in turn.
struct Attempt {
  bool smoothing;
  int sweeps;  // of Gauss-Seidel before
  double alpha, rho;
};
constexpr Attempt kAttempts[] = {
    {false, 60, 1e-2, 1.0}, {true, 0, 1e-8, 1.0},   {false, 200, 1e-1, 1.0},
    {false, 20, 1e-6, 0.3}, {true, 0, 1e-8, 1.0},   {false, 500, 1e-2, 0.5},
};

}  // namespace

template <int D>
bool IslandSolver<D>::sweep(int sweeps, bool check_often) {
  for (int k = 0; k < sweeps && !search_.budget().exhausted(); ++k) {
    const auto direction = !check_often && k % 2 ? SweepDirection::Backward : SweepDirection::Forward;
    engine_.sweeps().sweep(island_, engine_.r().data(), direction);
    search_.budget().spend(static_cast<double>(island_.W.size()));
    if (check_often ? (k == 0 || k % 2) : k == sweeps - 1) {
      const bool reached = engine_.look(search_);
      search_.record(0, "gauss-seidel");
      if (reached) return true;
    }
  }
  return search_.reached();
}

template <int D>
bool IslandSolver<D>::first_attempt(IslandOutcome& outcome) {
  outcome.attempts = 1;
  outcome.answered_by = "gauss-seidel";
  if (sweep(island_.contacts == 1 ? 1 : kFirstSweeps, true)) return true;
  outcome.answered_by = "newton";
  return semismooth_newton(engine_, search_);
}

template <int D>
void IslandSolver<D>::scattered_start(int attempt, unsigned& random) {
  const auto uniform = [&random] {
    random = random * 1664525u + 1013904223u;
    return (random >> 8) / 16777216.0;
  };
  const double size = euclidean_norm(island_.q) / std::sqrt(static_cast<double>(island_.contacts));
  for (int i = 0; i < island_.contacts; ++i)
    for (int k = 0; k < D; ++k) {
      const double x = uniform();
      double& r = engine_.r()[i * D + k];
      if (attempt == 0) r = 0;
      else r = k == 0 ? x * size * (1 + attempt % 4) : (x - 0.5) * island_.mu[i] * size;
    }
}

template <int D>
bool IslandSolver<D>::further_attempts(IslandOutcome& outcome) {
  unsigned random = 12345;
  for (int k = 0; k < kMaxAttempts && !search_.budget().exhausted() && !search_.acceptable(); ++k) {
    const Attempt& attempt = kAttempts[k % std::size(kAttempts)];
    ++outcome.attempts;
    outcome.answered_by = attempt.smoothing ? "smoothing" : "newton";
    scattered_start(k, random);
    if (sweep(attempt.sweeps, false)) return true;
    const bool reached = attempt.smoothing
                             ? smoothing_homotopy(engine_, search_, {attempt.alpha, attempt.rho, 0.3, 1.0, 1})
                             : semismooth_newton(engine_, search_, {attempt.alpha, attempt.rho, 25, 1});
    if (reached) return true;
  }
  return search_.reached();
}

template <int D>
IslandOutcome IslandSolver<D>::solve(ContactAlgorithm algorithm, double goal, Budget& budget, EliminationPlan& plan,
                                     std::vector<double>& r, std::vector<IterationRecord>* history) {
  IslandOutcome outcome;
  search_.begin(island_, goal, budget, history);
  engine_.begin(island_, plan);
  engine_.r() = r;
  switch (algorithm) {
    case ContactAlgorithm::GaussSeidel:
      outcome = {"gauss-seidel", 1};
      sweep(kMaxSweeps, true);
      break;
    case ContactAlgorithm::Newton:
      outcome = {"newton", 1};
      semismooth_newton(engine_, search_);
      break;
    case ContactAlgorithm::Smoothing:
      outcome = {"smoothing", 1};
      smoothing_homotopy(engine_, search_);
      break;
    case ContactAlgorithm::Auto:
      if (!first_attempt(outcome)) further_attempts(outcome);
      break;
  }
  r = search_.best_r();
  return outcome;
}

template class IslandSolver<2>;
template class IslandSolver<3>;

}  // namespace stickslip::complementarity
