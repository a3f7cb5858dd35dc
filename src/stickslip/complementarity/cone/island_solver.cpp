// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/island_solver.h"

#include "stickslip/complementarity/cone/damped_newton.h"
#include "stickslip/complementarity/cone/semismooth_newton.h"
#include "stickslip/complementarity/cone/smoothing.h"

namespace stickslip::complementarity {
namespace {

constexpr int kSmallIsland = 12;   // contacts; Newton steps are so cheap there that fewer sweeps come first
constexpr int kMiddleIsland = 60;  // contacts from which Newton's steps are damped without a warm start too
constexpr int kFewSweeps = 4, kSweeps = 8, kLargeSweeps = 20;
constexpr int kFollowed = 100;       // contacts from which the weights of these steps follow the modes
constexpr double kClose = 0.1;       // error of a warm start from which Newton sets out without sweeps
constexpr double kVeryClose = 1e-3;  // the same where its steps are damped
constexpr int kMaxSweeps = 20000;    // of Gauss-Seidel alone
constexpr int kMaxMomentumSweeps = 3000;
constexpr double kLeadsOn = 0.7;  // of the best error a round before
constexpr int kPatience = 3;      // rounds in vain
constexpr int kMaxAttempts = 100;
constexpr int kDampedSteps = 50;  // before the proximal method has its turn

// Large islands, where a Newton step costs as much as tens of sweeps: sweeps and Newton steps by turns.
constexpr int kLargeIsland = 600;             // contacts
constexpr int kRounds = 8;                    // of sweeps and trials
constexpr int kBatch = 10, kMaxBatches = 15;  // sweeps of a batch, batches of a round
constexpr double kSettled = 0.002;            // share of contacts that change their mode in a batch; less each round
constexpr double kSlow = 0.98;                // of the error before a batch: sweeps lead nowhere
constexpr int kTrials = 10, kTrialSteps = 8;  // subproblems of a round, Newton steps of each
constexpr double kTrialAlpha = 3e-4;          // first proximal weight

enum class IslandAlgorithm { Newton, Smoothing, Pyramid };
enum class StartPoint { Zero, Scattered, Best, Near };

// The attempts after the first: each row one combination, taken in turn.
struct Attempt {
  IslandAlgorithm method;
  StartPoint start;
  int sweeps;         // of Gauss-Seidel before; directions of the pyramid
  double alpha, rho;  // Newton: first proximal weight, step of the map
  double width;       // smoothing: first width
};
constexpr Attempt kAttempts[] = {
    {IslandAlgorithm::Smoothing, StartPoint::Zero, 0, 1e-8, 1.0, 1.0},
    {IslandAlgorithm::Newton, StartPoint::Zero, 60, 1e-2, 1.0, 0},
    {IslandAlgorithm::Smoothing, StartPoint::Best, 0, 1e-8, 1.0, 1e-3},
    {IslandAlgorithm::Smoothing, StartPoint::Scattered, 0, 1e-8, 1.0, 1.0},
    {IslandAlgorithm::Pyramid, StartPoint::Zero, 8, 1e-6, 1.0, 0},
    {IslandAlgorithm::Smoothing, StartPoint::Best, 0, 1e-9, 1.0, 1e-5},
    {IslandAlgorithm::Newton, StartPoint::Best, 0, 1e-12, 1.0, 0},
    {IslandAlgorithm::Newton, StartPoint::Near, 4, 1e-6, 1.0, 0},
    {IslandAlgorithm::Newton, StartPoint::Near, 0, 1e-7, 1.0, 0},
    {IslandAlgorithm::Newton, StartPoint::Near, 4, 1e-6, 3.0, 0},
    {IslandAlgorithm::Smoothing, StartPoint::Near, 0, 1e-8, 1.0, 1e-4},
    {IslandAlgorithm::Newton, StartPoint::Scattered, 200, 1e-1, 1.0, 0},
    {IslandAlgorithm::Newton, StartPoint::Scattered, 20, 1e-6, 0.3, 0},
    {IslandAlgorithm::Smoothing, StartPoint::Best, 0, 1e-8, 3.0, 1e-2},
    {IslandAlgorithm::Smoothing, StartPoint::Scattered, 20, 1e-7, 0.5, 1.0},
    {IslandAlgorithm::Newton, StartPoint::Best, 500, 1e-3, 0.5, 0},
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

// Contacts that have changed between separation, stick and slip since the last call.
template <int D>
int IslandSolver<D>::count_mode_changes() {
  constexpr double kOnTheCone = 1 - 1e-12;
  int changes = 0;
  mode_.resize(island_.contacts, ContactMode::Separate);
  for (int i = 0; i < island_.contacts; ++i) {
    const double *r = engine_.r().data() + i * D, limit = island_.mu[i] * r[0];
    const ContactMode mode = !(r[0] > 0)                               ? ContactMode::Separate
                             : tangent_norm<D>(r) < kOnTheCone * limit ? ContactMode::Stick
                                                                       : ContactMode::Slip;
    changes += mode != mode_[i], mode_[i] = mode;
  }
  return changes;
}

// Sweeps until few contacts change their mode any more, or nothing is gained.
template <int D>
bool IslandSolver<D>::sweep_until_modes_settle(double share) {
  for (int batch = 0; batch < kMaxBatches; ++batch) {
    const double before = search_.last();
    if (sweep(kBatch, false)) return true;
    const bool settled = count_mode_changes() <= share * island_.contacts;
    if (batch > 0 && (settled || search_.last() > kSlow * before)) break;
  }
  return search_.reached();
}

// A large island: sweeps find the modes, a few Newton steps in settled modes do the rest. Where they do not, more
// sweeps from where the last ones ended.
template <int D>
bool IslandSolver<D>::sweep_and_try_newton(IslandOutcome& outcome) {
  double share = kSettled, alpha = kTrialAlpha;
  for (int round = 0; round < kRounds && !search_.budget().exhausted(); ++round, share *= 0.3) {
    outcome.answered_by = "gauss-seidel";
    if (sweep_until_modes_settle(share)) return true;
    outcome.answered_by = "newton";
    for (int k = 0; k < kTrials; ++k) {
      const auto trial = engine_.solve(search_, {alpha, 1.0, 0.0, 1e-2, 0, kTrialSteps}, "newton");
      if (search_.reached()) return true;
      if (!trial.solved) {
        engine_.r() = engine_.start();
        alpha *= 10;
        break;
      }
      alpha *= 0.3;
    }
  }
  return search_.reached();
}

// A few sweeps, unless they lead away from the start, and Newton with weights of the contacts' own.
template <int D>
bool IslandSolver<D>::sweep_and_damp(int sweeps, IslandOutcome& outcome) {
  outcome.answered_by = "gauss-seidel";
  if (sweep(sweeps, false)) return true;
  outcome.answered_by = "newton";
  if (search_.last() > search_.best()) {
    engine_.r() = search_.best_r();
    engine_.look(search_);
  }
  return damped_newton(engine_, search_, kDampedSteps, island_.contacts > kFollowed);
}

// Sweeps; where their pace tells that they lead nowhere, Newton's method on the contacts that are in the way, and sweeps again,
// as long as that leads on.
template <int D>
bool IslandSolver<D>::sweep_with_momentum(int threads, WorkerPool& pool) {
  int left = kMaxMomentumSweeps, in_vain = 0;
  double mark = std::numeric_limits<double>::infinity();
  for (int round = 1; left > 0; ++round) {
    if (momentum_.run(island_, search_, engine_.r(), left, threads, pool)) return true;
    left -= momentum_.iterations();
    in_vain = search_.best() < kLeadsOn * mark ? 0 : in_vain + 1;
    mark = std::min(mark, search_.best());
    if (!search_.budget().give_up_early || search_.budget().exhausted() || in_vain > kPatience) return false;
    if (round % 2 == 0) engine_.r() = search_.best_r();
    if (!local_.run(island_, search_, engine_.r())) return false;
  }
  return false;
}

template <int D>
bool IslandSolver<D>::from_pyramid(int directions) {
  if (!pyramid_) pyramid_.emplace();
  if (!pyramid_->solve(island_, directions, search_.budget(), engine_.r())) return search_.reached();
  const bool reached = engine_.look(search_);
  search_.record(0, "pyramid");
  return reached || semismooth_newton(engine_, search_, {1e-6, 1.0, 25, 1});
}

template <int D>
bool IslandSolver<D>::first_attempt(bool warm, IslandOutcome& outcome) {
  outcome = {"start", 1};
  if (warm && engine_.look(search_)) return true;
  outcome.answered_by = "gauss-seidel";
  const bool close = warm && search_.best() < kClose;  // modes are likely right: Newton at once
  const int sweeps = close                                              ? 0
                     : island_.contacts <= DenseNewton<D>::kMaxContacts ? 1
                     : island_.contacts <= kSmallIsland                 ? kFewSweeps
                                                                        : kSweeps;
  const bool large = island_.contacts > kLargeIsland;
  const bool very_close = warm && search_.best() <= kVeryClose;
  if (large && sweep_and_damp(very_close ? 0 : kLargeSweeps, outcome)) return true;
  if (large ? sweep_and_try_newton(outcome) : sweep(sweeps, true)) return true;
  if (!large && island_.contacts > (warm ? kSmallIsland : kMiddleIsland)) {
    if (sweep_and_damp(close && !very_close ? kSweeps : 0, outcome)) return true;
    engine_.r() = search_.best_r();
    if (semismooth_newton(engine_, search_, settings_near_solution(search_.best()))) return true;
    engine_.r() = search_.best_r();
  }
  outcome.answered_by = "newton";
  return semismooth_newton(engine_, search_);
}

// A start in or near the friction cones, of the size of the data.
template <int D>
void IslandSolver<D>::scatter(unsigned& random, int attempt) {
  const auto uniform = [&random] {
    random = random * 1664525u + 1013904223u;
    return (random >> 8) / 16777216.0;
  };
  const double size = euclidean_norm(island_.q) / std::sqrt(static_cast<double>(island_.contacts));
  for (int i = 0; i < island_.contacts; ++i)
    for (int k = 0; k < D; ++k) {
      const double x = uniform();
      engine_.r()[i * D + k] = k == 0 ? x * size * (1 + attempt % 4) : (x - 0.5) * island_.mu[i] * size;
    }
}

// The best point so far, with every impulse changed by a random share.
template <int D>
void IslandSolver<D>::shake(unsigned& random, int attempt) {
  constexpr double kShare[] = {1e-2, 1e-1, 1e-3, 0.5};
  const double share = kShare[attempt % std::size(kShare)];
  engine_.r() = search_.best_r();
  for (double& r : engine_.r()) {
    random = random * 1664525u + 1013904223u;
    r *= 1 + share * ((random >> 8) / 8388608.0 - 1);
  }
}

template <int D>
bool IslandSolver<D>::further_attempts(IslandOutcome& outcome) {
  unsigned random = 12345;
  for (int k = 0; k < kMaxAttempts && !search_.budget().exhausted() && !search_.acceptable(); ++k) {
    const Attempt& attempt = kAttempts[k % std::size(kAttempts)];
    ++outcome.attempts;
    engine_.allow_wrenches(k / std::size(kAttempts) % 2 == 0);
    switch (attempt.start) {
      case StartPoint::Zero: std::fill(engine_.r().begin(), engine_.r().end(), 0.0); break;
      case StartPoint::Scattered: scatter(random, k); break;
      case StartPoint::Best: engine_.r() = search_.best_r(); break;
      case StartPoint::Near: shake(random, k); break;
    }
    bool reached = false;
    if (attempt.method == IslandAlgorithm::Pyramid) {
      outcome.answered_by = "pyramid";
      reached = from_pyramid(attempt.sweeps * (1 + k / static_cast<int>(std::size(kAttempts))));
    } else if (sweep(attempt.sweeps, false)) {
      reached = true;
    } else if (attempt.method == IslandAlgorithm::Smoothing) {
      outcome.answered_by = "smoothing";
      reached = smoothing_homotopy(engine_, search_, {attempt.alpha, attempt.rho, 0.3, attempt.width, 1});
    } else {
      outcome.answered_by = "newton";
      reached = semismooth_newton(engine_, search_, {attempt.alpha, attempt.rho, 25, 1});
    }
    if (reached) return true;
  }
  return search_.reached();
}

template <int D>
IslandOutcome IslandSolver<D>::solve(ContactAlgorithm algorithm, double goal, Budget& budget, EliminationPlan& plan,
                                     std::vector<double>& r, std::vector<IterationRecord>* history, int threads,
                                     WorkerPool& pool) {
  IslandOutcome outcome;
  search_.begin(island_, goal, budget, history);
  engine_.begin(island_, plan);
  engine_.r() = r;
  const bool warm = std::any_of(r.begin(), r.end(), [](double x) { return x != 0; });
  switch (algorithm) {
    case ContactAlgorithm::GaussSeidel:
      outcome = {"gauss-seidel", 1};
      if (!engine_.look(search_)) sweep(kMaxSweeps, true);
      break;
    case ContactAlgorithm::Newton:
      outcome = {"newton", 1};
      if (!engine_.look(search_)) semismooth_newton(engine_, search_);
      break;
    case ContactAlgorithm::Smoothing:
      outcome = {"smoothing", 1};
      if (!engine_.look(search_)) smoothing_homotopy(engine_, search_);
      break;
    case ContactAlgorithm::Pyramid:
      outcome = {"pyramid", 1};
      if (!engine_.look(search_)) from_pyramid(8);
      break;
    case ContactAlgorithm::Sweeps:
      outcome = {"sweeps", 1};
      if (!engine_.look(search_)) sweep_with_momentum(threads, pool);
      break;
    case ContactAlgorithm::Auto:
      if (!first_attempt(warm, outcome)) further_attempts(outcome);
      break;
  }
  r = search_.best_r();
  return outcome;
}

template class IslandSolver<2>;
template class IslandSolver<3>;

}  // namespace stickslip::complementarity
