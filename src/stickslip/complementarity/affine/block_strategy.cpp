// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/block_strategy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace stickslip::complementarity {
namespace {

constexpr Eigen::Index kDenseActiveSetFrom = 16;  // below, Lemke is as fast and does not depend on the start
constexpr Eigen::Index kSparseActiveSetFrom = 40;
// A sweep over a sparse matrix is far cheaper than a factorisation, so many are worth one iteration less (64 x 64
// obstacle: 16 iterations after 8 sweeps, 6 after 100).
constexpr int kSparseSweeps = 100;
constexpr Eigen::Index kSchurFrom = 13;
constexpr std::size_t kLargestTrialBasis = 300;  // dense factor of a warm basis
// A warm basis is taken as it is only when clearly better than asked for; otherwise a few pivots improve it.
constexpr double kWarmMargin = 1e-2;
constexpr int kOtherStarts = 8;

class Lottery {
 public:
  explicit Lottery(unsigned seed) : state_(seed * 2654435761U + 77U) {}
  unsigned next() { return state_ = state_ * 1664525U + 1013904223U; }
  double unit() { return static_cast<double>(next() >> 8) / static_cast<double>(1U << 24); }

 private:
  unsigned state_;
};

Status status_of(LemkeExit exit) {
  switch (exit) {
    case LemkeExit::Ray: return Status::Ray;
    case LemkeExit::PivotLimit: return Status::IterationLimit;
    case LemkeExit::TimeLimit: return Status::TimeLimit;
    default: return Status::Stalled;
  }
}

Status status_of(ActiveSetExit exit) {
  switch (exit) {
    case ActiveSetExit::IterationLimit: return Status::IterationLimit;
    case ActiveSetExit::TimeLimit: return Status::TimeLimit;
    default: return Status::Stalled;
  }
}

}  // namespace

void BlockStrategy::begin(const AffineProblem& problem, const SolverOptions& options, const Deadline& deadline,
                          std::vector<IterationRecord>* history) {
  problem_ = &problem;
  options_ = options;
  deadline_ = deadline;
  history_ = history;
  outcome_ = {};
  ray_seen_ = false;
  bound_ = has_candidate_ = has_guess_ = false;
}

LemkeOptions BlockStrategy::lemke_options() const {
  LemkeOptions lemke;
  lemke.max_pivots =
      options_.max_iterations > 0 ? options_.max_iterations : 20 * static_cast<int>(problem_->size()) + 200;
  lemke.deadline = deadline_;
  return lemke;
}

bool BlockStrategy::out_of_time() const {
  return !deadline_.never() && deadline_.passed();
}

bool BlockStrategy::accept(const Residual& residual, const char* name, const Eigen::VectorXd& z) {
  const bool certified = residual.error <= options_.tolerance;
  if (certified || residual.error < outcome_.residual.error) {
    outcome_.residual = residual;
    outcome_.solver = name;
    if (!certified) {
      candidate_ = z;
      has_candidate_ = true;
    }
  }
  if (certified) outcome_.status = Status::Solved;
  return certified;
}

void BlockStrategy::give_best(Eigen::VectorXd& z) {
  if (has_candidate_) {
    z = candidate_;
  } else {
    z.setZero(problem_->size());
  }
}

bool BlockStrategy::all_diagonals_positive() const {
  const Eigen::Index n = problem_->size();
  for (Eigen::Index i = 0; i < n; ++i) {
    if (problem_->is_dense) {
      if (!(problem_->dense(i, i) > 0)) return false;
      continue;
    }
    if (problem_->lower[i] == -kInfinity && problem_->upper[i] == kInfinity) continue;
    if (!(problem_->sparse.coeff(i, i) > 0)) return false;
  }
  return true;
}

// The equations of the given basis and nothing else: what a simulator needs in most steps.
bool BlockStrategy::try_basis(const VariableStatus* start, Eigen::VectorXd& z) {
  const Eigen::Index n = problem_->size();
  if (!problem_->is_dense) return false;
  members_.clear();
  for (int i = 0; i < n; ++i) {
    if (start[i] == VariableStatus::Basic) members_.push_back(i);
  }
  if (members_.size() > kLargestTrialBasis) return false;
  ++outcome_.attempts;
  dense_.set(problem_->dense);
  z.resize(n);
  rhs_.assign(problem_->q.data(), problem_->q.data() + n);
  for (int i = 0; i < n; ++i) {
    if (start[i] == VariableStatus::Basic) continue;
    z[i] = start[i] == VariableStatus::AtLower ? problem_->lower[i] : problem_->upper[i];
    if (!std::isfinite(z[i])) return false;
    if (z[i] != 0) dense_.add_column(i, z[i], rhs_.data());
  }
  const std::size_t k = members_.size();
  for (std::size_t c = 0; c < k; ++c) rhs_[c] = -rhs_[members_[c]];  // members ascend: nothing is overwritten too early
  trial_block_.set(dense_);
  if (!trial_block_.solve(members_, rhs_.data())) return false;
  for (std::size_t c = 0; c < k; ++c) {
    const int i = members_[c];
    z[i] = std::min(problem_->upper[i], std::max(problem_->lower[i], rhs_[c]));
  }
  const Residual residual = affine_residual(*problem_, z, residual_);
  if (!(residual.error <= kWarmMargin * options_.tolerance)) return false;
  outcome_.residual = residual;
  outcome_.solver = "warm-basis";
  outcome_.status = Status::Solved;
  basis_.assign(start, start + n);
  return true;
}

bool BlockStrategy::try_lemke(const VariableStatus* start, const LemkeOptions& lemke, bool schur, const char* name,
                              Eigen::VectorXd& z) {
  ++outcome_.attempts;
  if (!bound_) {
    lemke_.bind(*problem_);
    bound_ = true;
  }
  const auto result = lemke_.run(start, lemke, options_.tolerance, schur, z);
  outcome_.iterations += result.pivots;
  if (history_ != nullptr) history_->push_back({outcome_.iterations, result.residual.error, 0, name});
  if (result.certified) {
    basis_ = lemke_.basis();
    return accept(result.residual, name, z);
  }
  if (result.exit == LemkeExit::Ray) ray_seen_ = true;
  if (outcome_.status == Status::Stalled) outcome_.status = status_of(result.exit);
  if (result.exit == LemkeExit::Solved) return accept(result.residual, name, z);
  return false;
}

// Covering only what is violated takes far fewer pivots on sliding contacts (64 friction directions: 9 instead of 39),
// more on stacks at rest and on matrices with a positive diagonal, and the theory that says when a ray cannot happen
// asks for a positive covering vector: hence the choice, and the second run.
bool BlockStrategy::try_lemke_cold(bool positive_diagonal, Eigen::VectorXd& z) {
  const bool schur = problem_->size() >= kSchurFrom;
  LemkeOptions lemke = lemke_options();
  lemke.cover_by_count = !positive_diagonal;
  if (try_lemke(nullptr, lemke, schur, "lemke", z)) return true;
  if (positive_diagonal || out_of_time() || options_.max_iterations > 0) return false;
  outcome_.status = Status::Stalled;
  lemke.cover_by_count = false;
  return try_lemke(nullptr, lemke, schur, "lemke", z);
}

bool BlockStrategy::try_active_set(const VariableStatus* start, const ActiveSetOptions& active, Eigen::VectorXd& z) {
  ++outcome_.attempts;
  const AffineProblem& p = *problem_;
  const auto run = [&](auto& solver, const auto& matrix) {
    const ActiveSetExit exit = solver.solve(matrix, p.q.data(), p.lower.data(), p.upper.data(), start, active);
    outcome_.iterations += solver.iterations();
    guess_ = solver.basis();
    has_guess_ = true;
    if (exit != ActiveSetExit::Solved) {
      if (outcome_.status == Status::Stalled) outcome_.status = status_of(exit);
      return false;
    }
    z = Eigen::Map<const Eigen::VectorXd>(solver.z().data(), p.size());
    if (!accept(affine_residual(p, z, residual_), "active-set", z)) return false;
    basis_ = guess_;
    return true;
  };
  if (p.is_dense) {
    dense_.set(p.dense);
    return run(dense_active_set_, dense_);
  }
  sparse_.set(p.sparse);
  return run(sparse_active_set_, sparse_);
}

// Lemke with other covering vectors and from other bases: a ray from one start says nothing about another.
bool BlockStrategy::try_other_bases(Eigen::VectorXd& z) {
  const auto n = static_cast<std::size_t>(problem_->size());
  weights_.resize(n);
  other_.resize(n);
  for (int attempt = 0; attempt < kOtherStarts && !out_of_time(); ++attempt) {
    Lottery lottery(static_cast<unsigned>(attempt));
    LemkeOptions lemke = lemke_options();
    if (options_.max_iterations == 0) lemke.max_pivots = 50 * static_cast<int>(n) + 1000;
    lemke.seed = 11 + static_cast<unsigned>(attempt);
    lemke.cover_all = attempt % 2 == 0;
    for (double& weight : weights_) weight = 0.1 + lottery.unit();
    lemke.cover_weight = weights_.data();
    const VariableStatus* start = nullptr;
    if (attempt < 2 && has_guess_) {
      start = guess_.data();
    } else if (attempt >= 4) {
      for (VariableStatus& s : other_)
        s = (lottery.next() >> 16 & 1U) != 0 ? VariableStatus::Basic : VariableStatus::AtLower;
      start = other_.data();
    }
    if (try_lemke(start, lemke, false, "lemke-restart", z)) return true;
  }
  return false;
}

bool BlockStrategy::prove_infeasible() {
  const bool proved = prover_.prove_by_row(*problem_) || prover_.prove_by_equations(*problem_) ||
                      (ray_seen_ && prover_.prove_by_ray(*problem_, lemke_.ray())) ||
                      (ray_seen_ && prover_.prove_by_linear_program(*problem_, deadline_));
  if (proved) {
    outcome_.status = Status::Infeasible;
    outcome_.solver = "farkas";
  }
  return proved;
}

bool BlockStrategy::try_enumeration(Eigen::VectorXd& z) {
  if (!Enumeration::applies(*problem_)) return false;
  ++outcome_.attempts;
  const auto result = enumeration_.solve(*problem_, options_.tolerance, deadline_, z);
  outcome_.iterations += result.bases;
  if (!result.certified) return false;
  basis_ = enumeration_.basis();
  return accept(result.residual, "enumeration", z);
}

bool BlockStrategy::try_least_squares(Eigen::VectorXd& z) {
  if (problem_->size() > LeastSquares::kLargest) return false;
  ++outcome_.attempts;
  const int limit = options_.max_iterations > 0 ? options_.max_iterations : 100;
  const auto result = least_squares_.solve(*problem_, options_.tolerance, limit, deadline_, z);
  outcome_.iterations += result.iterations;
  if (!accept(result.residual, "least-squares", z)) return false;
  basis_from_point(z);
  return true;
}

bool BlockStrategy::try_harder(Eigen::VectorXd& z) {
  if (lemke_.has_schur_form() && try_lemke(nullptr, lemke_options(), false, "lemke", z)) return true;
  // Test for infeasibility before the expensive fall-backs.
  if (prove_infeasible()) return true;
  if (!has_guess_ && !out_of_time()) {
    if (try_active_set(nullptr, {.deadline = deadline_, .history = history_}, z)) return true;
  }
  if (try_other_bases(z)) return true;
  if (!out_of_time() && try_enumeration(z)) return true;
  if (!out_of_time() && try_least_squares(z)) return true;
  if (out_of_time()) outcome_.status = Status::TimeLimit;
  return false;
}

BlockOutcome BlockStrategy::solve(const AffineProblem& problem, const VariableStatus* start,
                                  const SolverOptions& options, const Deadline& deadline,
                                  std::vector<IterationRecord>* history, Eigen::VectorXd& z) {
  begin(problem, options, deadline, history);
  const Eigen::Index n = problem.size();
  if (start != nullptr) {
    if (try_basis(start, z)) return outcome_;
    LemkeOptions lemke = lemke_options();
    lemke.cover_all = false;
    if (try_lemke(start, lemke, n >= kSchurFrom, "lemke-warm", z)) return outcome_;
  }
  const bool large = n >= (problem.is_dense ? kDenseActiveSetFrom : kSparseActiveSetFrom);
  const bool positive_diagonal = all_diagonals_positive();
  if (large && positive_diagonal) {
    ActiveSetOptions active{.deadline = deadline, .history = history};
    if (!problem.is_dense) active.sweeps = kSparseSweeps;
    if (try_active_set(nullptr, active, z)) return outcome_;
  }
  if (try_lemke_cold(positive_diagonal, z)) return outcome_;
  if (out_of_time()) {
    outcome_.status = Status::TimeLimit;
  } else if (options.max_iterations == 0 && try_harder(z) && outcome_.status == Status::Solved) {
    return outcome_;
  }
  give_best(z);
  return outcome_;
}

BlockOutcome BlockStrategy::lemke(const AffineProblem& problem, const VariableStatus* start,
                                  const SolverOptions& options, const Deadline& deadline, Eigen::VectorXd& z) {
  begin(problem, options, deadline, nullptr);
  if (start != nullptr) {
    LemkeOptions lemke = lemke_options();
    lemke.cover_all = false;
    (void)try_lemke(start, lemke, problem.size() >= kSchurFrom, "lemke", z);
  } else {
    (void)try_lemke_cold(all_diagonals_positive(), z);
  }
  return outcome_of("lemke", z);
}

BlockOutcome BlockStrategy::active_set(const AffineProblem& problem, const VariableStatus* start,
                                       const SolverOptions& options, const Deadline& deadline,
                                       std::vector<IterationRecord>* history, Eigen::VectorXd& z) {
  begin(problem, options, deadline, history);
  ActiveSetOptions active{.deadline = deadline, .history = history};
  if (options.max_iterations > 0) active.max_iterations = options.max_iterations;
  active.single_exchanges = active.max_iterations;
  (void)try_active_set(start, active, z);
  return outcome_of("active-set", z);
}

// Of an algorithm that ran alone.
const BlockOutcome& BlockStrategy::outcome_of(const char* solver, Eigen::VectorXd& z) {
  outcome_.solver = solver;
  if (outcome_.status != Status::Solved) give_best(z);
  return outcome_;
}

BlockOutcome BlockStrategy::enumeration(const AffineProblem& problem, const SolverOptions& options,
                                        const Deadline& deadline, Eigen::VectorXd& z) {
  begin(problem, options, deadline, nullptr);
  (void)try_enumeration(z);
  return outcome_of("enumeration", z);
}

BlockOutcome BlockStrategy::least_squares(const AffineProblem& problem, const SolverOptions& options,
                                          const Deadline& deadline, Eigen::VectorXd& z) {
  begin(problem, options, deadline, nullptr);
  (void)try_least_squares(z);
  return outcome_of("least-squares", z);
}

// For algorithms without a basis: basic is whatever is farther from its bounds than w is from zero.
void BlockStrategy::basis_from_point(const Eigen::VectorXd& z) {
  const std::vector<double>& w = residual_.w;
  (void)affine_residual(*problem_, z, residual_);
  basis_.resize(static_cast<std::size_t>(z.size()));
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double target = z[i] - w[i];
    basis_[i] = target <= problem_->lower[i]   ? VariableStatus::AtLower
                : target >= problem_->upper[i] ? VariableStatus::AtUpper
                                               : VariableStatus::Basic;
  }
}

}  // namespace stickslip::complementarity
