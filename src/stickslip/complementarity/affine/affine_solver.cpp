// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/affine_solver.h"

#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/block_strategy.h"
#include "stickslip/complementarity/affine/presolve.h"
#include "stickslip/complementarity/affine/tiny_lemke.h"
#include "stickslip/complementarity/external_solver.h"
#include "stickslip/complementarity/solver_catalogue.h"

#include <array>
#include <chrono>
#include <cmath>
#include <vector>

namespace stickslip::complementarity {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array kAlgorithms = {
    AlgorithmInfo{"lemke", "revised complementary pivoting with a small basis"},
    AlgorithmInfo{"active-set", "primal-dual active set after Gauss-Seidel sweeps, for regular principal blocks"},
    AlgorithmInfo{"enumeration", "all bases of a problem with at most 10000 of them"},
    AlgorithmInfo{"least-squares", "Levenberg-Marquardt on the Fischer-Burmeister function, up to 400 unknowns"},
};

constexpr double kTinyMargin = 1e-3;

SolverCatalogue<ExternalAffineFactory>& catalogue() {
  static SolverCatalogue<ExternalAffineFactory> instance(kAlgorithms);
  return instance;
}

// What can be checked without reading M. A NaN in M reaches the residual and is refused there.
bool well_formed(const AffineProblem& problem) {
  const Eigen::Index n = problem.size();
  const Eigen::Index rows = problem.is_dense ? problem.dense.rows() : problem.sparse.rows();
  const Eigen::Index columns = problem.is_dense ? problem.dense.cols() : problem.sparse.cols();
  if (rows != n || columns != n || problem.lower.size() != n || problem.upper.size() != n) return false;
  if (!problem.is_dense && !problem.sparse.isCompressed()) return false;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double lower = problem.lower[i], upper = problem.upper[i];
    if (!std::isfinite(problem.q[i]) || !(lower <= upper) || lower == kInfinity || upper == -kInfinity) return false;
  }
  return true;
}

}  // namespace

struct AffineSolver::Workspace {
  BlockStrategy strategy;
  Presolve presolve;
  TinyLemke tiny;
  ResidualWorkspace residual;
  Basis basis, warm, block_start;
  // One set per block, so that blocks of different sizes keep their storage from solve to solve.
  std::vector<AffineProblem> blocks;
  std::vector<Eigen::VectorXd> block_z;

  [[nodiscard]] bool solve_tiny(const AffineProblem& problem, double tolerance, Eigen::VectorXd& z,
                                SolverSummary& summary);
  void solve_automatically(const AffineProblem& problem, const VariableStatus* start, const SolverOptions& options,
                           const Deadline& deadline, Eigen::VectorXd& z, SolverSummary& summary);
  void solve_blocks(const AffineProblem& problem, const VariableStatus* start, const SolverOptions& options,
                    const Deadline& deadline, Eigen::VectorXd& z, SolverSummary& summary);
  void adopt(const BlockOutcome& outcome, SolverSummary& summary) const;
  void solve_externally(std::string_view algorithm, const AffineProblem& problem, const SolverOptions& options,
                        Eigen::VectorXd& z, SolverSummary& summary);
  void basis_of_decided(const AffineProblem& problem, const Eigen::VectorXd& z);
};

AffineSolver::AffineSolver() = default;  // the workspace is made when it is needed: many solvers never are
AffineSolver::~AffineSolver() = default;
AffineSolver::AffineSolver(AffineSolver&&) noexcept = default;
AffineSolver& AffineSolver::operator=(AffineSolver&&) noexcept = default;

std::span<const AlgorithmInfo> AffineSolver::algorithms() {
  return catalogue().infos();
}

void register_affine_solver(AlgorithmInfo info, ExternalAffineFactory factory) {
  catalogue().add(info, factory);
}

void AffineSolver::warm_start(const Basis& basis) {
  if (!workspace_) workspace_ = std::make_unique<Workspace>();
  workspace_->warm = basis;
}
const Basis& AffineSolver::basis() const {
  static const Basis none;
  return workspace_ ? workspace_->basis : none;
}

void AffineSolver::Workspace::adopt(const BlockOutcome& outcome, SolverSummary& summary) const {
  summary.status = outcome.status;
  summary.solver = outcome.solver;
  summary.iterations += outcome.iterations;
  summary.attempts += outcome.attempts;
  summary.residual = outcome.residual;
}

void AffineSolver::Workspace::basis_of_decided(const AffineProblem& problem, const Eigen::VectorXd& z) {
  basis.resize(static_cast<std::size_t>(problem.size()));
  for (Eigen::Index i = 0; i < problem.size(); ++i) {
    basis[i] = z[i] == problem.lower[i]   ? VariableStatus::AtLower
               : z[i] == problem.upper[i] ? VariableStatus::AtUpper
                                          : VariableStatus::Basic;
  }
}

void AffineSolver::Workspace::solve_blocks(const AffineProblem& problem, const VariableStatus* start,
                                           const SolverOptions& options, const Deadline& deadline, Eigen::VectorXd& z,
                                           SolverSummary& summary) {
  std::vector<IterationRecord>* history = options.record_history ? &summary.history : nullptr;
  const int count = presolve.blocks();
  summary.blocks = count;
  if (static_cast<int>(blocks.size()) < count) {
    blocks.resize(static_cast<std::size_t>(count));
    block_z.resize(static_cast<std::size_t>(count));
  }
  basis_of_decided(problem, z);
  Status worst = Status::Solved;
  for (int b = 0; b < count; ++b) {
    presolve.extract(problem, b, blocks[b]);
    const int size = presolve.block_size(b);
    const int* members = presolve.members(b);
    if (start != nullptr) {
      block_start.resize(static_cast<std::size_t>(size));
      for (int k = 0; k < size; ++k) block_start[k] = start[members[k]];
    }
    const BlockOutcome outcome = strategy.solve(blocks[b], start != nullptr ? block_start.data() : nullptr, options,
                                                deadline, history, block_z[b]);
    adopt(outcome, summary);
    presolve.scatter(b, block_z[b], z);
    if (outcome.status == Status::Solved) {
      for (int k = 0; k < size; ++k) basis[members[k]] = strategy.basis()[k];
    } else if (worst == Status::Solved || outcome.status == Status::Infeasible) {
      worst = outcome.status;
      if (worst == Status::Infeasible) break;  // no solution of a block, none of the whole
    }
  }
  summary.status = worst;
}

bool AffineSolver::Workspace::solve_tiny(const AffineProblem& problem, double tolerance, Eigen::VectorXd& z,
                                         SolverSummary& summary) {
  ++summary.attempts;
  const bool found = tiny.solve(problem, z, basis);
  summary.iterations += tiny.pivots();
  if (!found) return false;
  summary.residual = affine_residual(problem, z, residual);
  // The tableau is not refined: whatever is not far better than asked for goes to the revised method.
  if (!(summary.residual.error <= kTinyMargin * tolerance)) return false;
  summary.status = Status::Solved;
  summary.solver = "tiny-lemke";
  return true;
}

void AffineSolver::Workspace::solve_automatically(const AffineProblem& problem, const VariableStatus* start,
                                                  const SolverOptions& options, const Deadline& deadline,
                                                  Eigen::VectorXd& z, SolverSummary& summary) {
  std::vector<IterationRecord>* history = options.record_history ? &summary.history : nullptr;
  // A warm start is for a problem whose structure is known: nothing to split before the basis has been tried.
  Presolve::Outcome outcome = Presolve::Outcome::Nothing;
  if (start == nullptr) {
    const bool singleton = presolve.any_singleton(problem);
    if (!singleton && !options.record_history && options.max_iterations == 0 && TinyLemke::applies(problem) &&
        solve_tiny(problem, options.tolerance, z, summary))
      return;
    outcome = presolve.run(problem, singleton, z);
  }
  switch (outcome) {
    case Presolve::Outcome::Nothing:
      adopt(strategy.solve(problem, start, options, deadline, history, z), summary);
      basis = strategy.basis();
      return;
    case Presolve::Outcome::Infeasible:
      summary.status = Status::Infeasible;
      summary.solver = "presolve";
      break;
    case Presolve::Outcome::Solved:
      summary.status = Status::Solved;
      summary.solver = "presolve";
      summary.blocks = 0;
      basis_of_decided(problem, z);
      break;
    case Presolve::Outcome::Reduced: solve_blocks(problem, start, options, deadline, z, summary); break;
  }
  summary.residual = affine_residual(problem, z, residual);
  if (summary.status == Status::Solved && summary.residual.error <= options.tolerance) return;
  const bool unproven = summary.status == Status::Infeasible && presolve.rounded();
  if (summary.status != Status::Solved && !unproven) return;
  // Forced values that rounding spoilt, or that only seem to contradict a row: the whole problem, without presolve.
  summary.blocks = 1;
  adopt(strategy.solve(problem, nullptr, options, deadline, history, z), summary);
  basis = strategy.basis();
}

void AffineSolver::Workspace::solve_externally(std::string_view algorithm, const AffineProblem& problem,
                                               const SolverOptions& options, Eigen::VectorXd& z,
                                               SolverSummary& summary) {
  const auto chosen = catalogue().find(algorithm);
  if (!chosen) {
    summary.status = Status::BadInput;
    return;
  }
  z.setZero(problem.size());
  catalogue().factory (*chosen)()->solve(problem, z, options);
  summary.solver = catalogue().infos()[*chosen].name;
  summary.residual = affine_residual(problem, z, residual);
  summary.status = summary.residual.error <= options.tolerance ? Status::Solved : Status::Stalled;
  basis_of_decided(problem, z);
}

SolverSummary AffineSolver::solve(const AffineProblem& problem, Eigen::VectorXd& z, const SolverOptions& options,
                                  std::string_view algorithm) {
  const auto begin = Clock::now();
  const Deadline deadline(begin, options.time_limit);
  if (!workspace_) workspace_ = std::make_unique<Workspace>();
  Workspace& w = *workspace_;
  SolverSummary summary;
  std::vector<IterationRecord>* history = options.record_history ? &summary.history : nullptr;
  if (!well_formed(problem)) {
    summary.status = Status::BadInput;
    w.warm.clear();
    return summary;
  }
  const Eigen::Index n = problem.size();
  const VariableStatus* start = static_cast<Eigen::Index>(w.warm.size()) == n && n > 0 ? w.warm.data() : nullptr;
  if (algorithm == "auto") {
    w.solve_automatically(problem, start, options, deadline, z, summary);
  } else if (algorithm == "lemke") {
    w.adopt(w.strategy.lemke(problem, start, options, deadline, z), summary);
    w.basis = w.strategy.basis();
  } else if (algorithm == "active-set") {
    w.adopt(w.strategy.active_set(problem, start, options, deadline, history, z), summary);
    w.basis = w.strategy.basis();
  } else if (algorithm == "enumeration") {
    w.adopt(w.strategy.enumeration(problem, options, deadline, z), summary);
    w.basis = w.strategy.basis();
  } else if (algorithm == "least-squares") {
    w.adopt(w.strategy.least_squares(problem, options, deadline, z), summary);
    w.basis = w.strategy.basis();
  } else {
    w.solve_externally(algorithm, problem, options, z, summary);
  }
  w.warm.clear();
  summary.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return summary;
}

}  // namespace stickslip::complementarity
