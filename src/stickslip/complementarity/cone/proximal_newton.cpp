// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/proximal_newton.h"

#include "stickslip/complementarity/cone/alart_curnier.h"

namespace stickslip::complementarity {
namespace {

constexpr int kWatchdog = 6;            // full steps without descent
constexpr double kDescent = 0.99;       // |F| relative to the reference that counts as descent
constexpr double kTolerableRise = 1e3;  // of |F| within the watchdog
constexpr int kLineSearchSteps = 7;
constexpr int kMaxSweepFallbacks = 4;
constexpr int kFallbackSweeps = 3;
constexpr double kWorkPerContact = 1500;  // time of a step besides its products, as multiplications
constexpr double kLargestWeight = 10;
constexpr int kFollowed = 100;       // contacts from which weights follow the modes too
constexpr double kRounding = 1e-14;  // |F| relative to max(|q|, |r|) where nothing can be gained any more

}  // namespace

double euclidean_norm(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += v * v;
  return std::sqrt(sum);
}

template <int D>
void ProximalNewton<D>::begin(const ScaledIsland<D>& island, EliminationPlan& plan) {
  const int n = island.unknowns();
  system_.begin(island, plan);
  r_.resize(n), u_.resize(n), F_.resize(n), dr_.resize(n), rbar_.resize(n), J_.resize(n * D);
  reference_.r.resize(n), reference_.direction.resize(n);
  mode_.resize(island.contacts);
  sweeps_.reset(island);
}

template <int D>
bool ProximalNewton<D>::look(IslandSearch<D>& search) {
  island_velocity(search.island(), r_.data(), u_.data());
  return search.offer(r_.data(), u_.data());
}

// |F| at r; sets u, F and, on request, J and the modes.
template <int D>
double ProximalNewton<D>::evaluate(const ScaledIsland<D>& island, const Subproblem& problem, bool with_derivative) {
  island_velocity(island, r_.data(), u_.data());
  double sum = 0;
  for (int i = 0; i < island.contacts; ++i) {
    double z[D], P[D];
    for (int k = 0; k < D; ++k) {
      const int n = i * D + k;
      z[k] = r_[n] - problem.rho * (u_[n] + problem.alpha * (r_[n] - rbar_[n]));
    }
    double* J = with_derivative ? J_.data() + i * D * D : nullptr;
    ContactMode mode = ContactMode::Slip;
    if (problem.width > 0)
      project_smoothed<D>(island.kind[i], island.mu[i], island.given[i], problem.width, z, P, J);
    else
      mode = project<D>(island.kind[i], island.mu[i], island.given[i], z, P, J);
    if (with_derivative) mode_[i] = mode;
    for (int k = 0; k < D; ++k) F_[i * D + k] = r_[i * D + k] - P[k], sum += F_[i * D + k] * F_[i * D + k];
  }
  return std::sqrt(sum);
}

template <int D>
void ProximalNewton<D>::newton_direction(const Subproblem& problem) {
  const int replaced = system_.factor(J_.data(), mode_.data(), problem.rho, problem.alpha);
  for (double& f : F_) f = -f;
  system_.solve(F_.data(), dr_.data(), problem.refine + (replaced > 0 ? 1 : 0));
  if (!reference_.has_direction) reference_.direction = dr_, reference_.has_direction = true;
}

template <int D>
void ProximalNewton<D>::make_reference(double norm) {
  reference_.r = r_;
  reference_.norm = norm;
  reference_.has_direction = false;
}

// From the reference along its direction; failing that, sweeps of the proximal problem. Returns |F| at the new r.
template <int D>
double ProximalNewton<D>::step_back(IslandSearch<D>& search, const Subproblem& problem, int& sweeps_used) {
  const ScaledIsland<D>& island = search.island();
  double t = 0.5;
  for (int k = 0; k < kLineSearchSteps && reference_.has_direction; ++k, t *= 0.4) {
    for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = reference_.r[i] + t * reference_.direction[i];
    if (evaluate(island, problem, false) <= (1 - 1e-3 * t) * reference_.norm) return evaluate(island, problem, true);
  }
  ++sweeps_used;
  r_ = reference_.r;
  for (int k = 0; k < kFallbackSweeps; ++k) sweeps_.proximal_sweep(island, r_.data(), problem.alpha, rbar_.data());
  return evaluate(island, problem, true);
}

// weight_ of each contact, from u_ at r_.
template <int D>
void ProximalNewton<D>::weigh_contacts(const ScaledIsland<D>& island, double c, double floor) {
  weight_.resize(island.contacts);
  const double data = std::max(euclidean_norm(island.q), euclidean_norm(r_));
  const double size = data > 0 ? data / std::sqrt(static_cast<double>(island.contacts)) : 1.0;
  for (int i = 0; i < island.contacts; ++i) {
    const double defect = std::sqrt(
        natural_defect_squared<D>(island.kind[i], island.mu[i], island.given[i], r_.data() + i * D, u_.data() + i * D));
    weight_[i] = std::min(kLargestWeight, c * std::sqrt(defect / size) + floor);
  }
}

// The factors of weight_ (damped_newton.h), from the modes before and now.
template <int D>
void ProximalNewton<D>::follow_modes(double floor) {
  constexpr double kUp = 3, kDown = 0.5, kLeast = 1e-3, kMost = 30;
  if (mode_before_.empty()) factor_.assign(mode_.size(), 1.0), mode_before_ = mode_;
  for (std::size_t i = 0; i < mode_.size(); ++i) {
    factor_[i] =
        mode_[i] != mode_before_[i] ? std::clamp(kUp * factor_[i], 1.0, kMost) : std::max(kLeast, kDown * factor_[i]);
    weight_[i] = std::min(kLargestWeight, factor_[i] * weight_[i]) + floor;
  }
  mode_before_ = mode_;
}

template <int D>
bool ProximalNewton<D>::damped_step(IslandSearch<D>& search, double c, double floor) {
  constexpr double kLeast = 1e-13;  // redundant contacts need some
  const ScaledIsland<D>& island = search.island();
  rbar_ = r_;
  evaluate(island, Subproblem{0.0}, true);
  weigh_contacts(island, c, std::max(floor, kLeast));
  if (island.contacts > kFollowed) follow_modes(std::max(floor, kLeast));
  const int replaced = system_.factor(J_.data(), mode_.data(), 1.0, ProximalWeight(weight_.data()));
  for (double& f : F_) f = -f;
  system_.solve(F_.data(), dr_.data(), replaced > 0 ? 1 : 0);
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] += dr_[i];
  const double products = 2.0 * static_cast<double>(island.W.size());
  const bool more = search.budget().spend(system_.work() + products + kWorkPerContact * island.contacts);
  look(search);
  search.record(euclidean_norm(dr_), "damped");
  return more;
}

template <int D>
bool ProximalNewton<D>::offer(IslandSearch<D>& search, Outcome& outcome) const {
  outcome.solved = search.offer(r_.data(), u_.data());
  outcome.best = std::min(outcome.best, search.last());
  return outcome.solved;
}

template <int D>
auto ProximalNewton<D>::solve(IslandSearch<D>& search, const Subproblem& problem, const char* note) -> Outcome {
  const ScaledIsland<D>& island = search.island();
  const double size = std::max(euclidean_norm(island.q), euclidean_norm(r_));
  rbar_ = r_;
  Outcome outcome;
  double norm = outcome.start = evaluate(island, problem, true);
  make_reference(norm);
  int without_descent = 0, sweeps_used = 0;
  while (outcome.iterations < problem.max_iterations) {
    ++outcome.iterations;
    newton_direction(problem);
    const double products = 2.0 * static_cast<double>(island.W.size());
    if (!search.budget().spend(system_.work() + products + kWorkPerContact * island.contacts)) break;
    bool moved = false;
    if (without_descent < kWatchdog) {
      for (std::size_t i = 0; i < r_.size(); ++i) r_[i] += dr_[i];
      norm = evaluate(island, problem, true);
      if (offer(search, outcome)) return outcome;
      if (norm < kDescent * reference_.norm) {
        make_reference(norm);
        without_descent = 0;
        moved = true;
      } else if (norm <= std::max(kTolerableRise * reference_.norm, size)) {
        ++without_descent;
        moved = true;
      }
    }
    if (!moved) {
      norm = step_back(search, problem, sweeps_used);
      if (offer(search, outcome)) return outcome;
      if (sweeps_used > kMaxSweepFallbacks) break;
      make_reference(norm);
      without_descent = 0;
    }
    search.record(euclidean_norm(dr_), note);
    if (reference_.norm <= problem.reduction * outcome.start || reference_.norm <= kRounding * size) {
      outcome.solved = true;
      break;
    }
  }
  outcome.end = reference_.norm;
  r_ = reference_.r;
  return outcome;
}

template class ProximalNewton<2>;
template class ProximalNewton<3>;

}  // namespace stickslip::complementarity
