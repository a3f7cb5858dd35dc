// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/mcp/mcp_solver.h"

#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/mcp/mcp_residual.h"
#include "stickslip/complementarity/mcp/newton.h"
#include "stickslip/complementarity/mcp/restarts.h"
#include "stickslip/complementarity/mcp/semismooth.h"
#include "stickslip/complementarity/mcp/smoothing_newton.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace stickslip::complementarity {
namespace {

constexpr std::array<AlgorithmInfo, 5> kAlgorithms{{
    {"auto", "newton or semismooth by size, affine if F is, then the others, scaled rows and restarts"},
    {"newton", "Josephy-Newton: linearised complementarity problems by pivoting, non-monotone line search"},
    {"semismooth", "semismooth Newton with active-set and Fischer-Burmeister steps, for large sparse problems"},
    {"smoothing", "smoothed Fischer-Burmeister equations followed to the limit"},
    {"affine", "the affine solver, for problems whose F is found to be affine"},
}};

constexpr Eigen::Index kPivotingSize = 300;  // beyond, pivoting is slower than sparse factorisation
constexpr int kNewtonLimit = 100, kSemismoothLimit = 200, kSmoothingLimit = 200;
constexpr int kRestarts = 30, kRestartsLarge = 6;

enum class McpAlgorithm { Newton, Semismooth, Smoothing, Affine };

const char* name_of(McpAlgorithm algorithm) {
  return kAlgorithms[1 + static_cast<std::size_t>(algorithm)].name;
}

}  // namespace

struct McpSolver::Workspace {
  McpSearch search;
  Linearisation inner;
  LevenbergMarquardt fallback;
  RestartPoints restarts;
  McpResidualWorkspace certificate;
  AffineSolver affine;
  AffineProblem affine_problem;
  Eigen::VectorXd start;
  SolverSummary summary;
  double tolerance = 0;

  // One algorithm from one start. True when it ends the solve: certified, or a limit of the user is reached.
  bool attempt(const McpProblem& problem, McpAlgorithm algorithm, const Eigen::VectorXd& x0, bool scaled);
  bool certify(const McpProblem& problem, McpAlgorithm algorithm);
  McpOutcome solve_affine();
  bool find_affine_form();
  void run_auto(const McpProblem& problem, const Eigen::VectorXd& x0);
  void run_restarts(const McpProblem& problem, const Eigen::VectorXd& x0, McpAlgorithm first);
};

bool McpSolver::Workspace::attempt(const McpProblem& problem, McpAlgorithm algorithm, const Eigen::VectorXd& x0,
                                   bool scaled) {
  ++summary.attempts;
  search.evaluation.unscale_rows();
  fallback.reset();
  McpOutcome outcome = McpOutcome::Undefined;
  if (search.begin_at(x0) &&
      (!scaled || (search.evaluation.scale_rows(search.current) && search.evaluation.jacobian(search.current)))) {
    switch (algorithm) {
      case McpAlgorithm::Newton: outcome = josephy_newton(search, inner, fallback, kNewtonLimit); break;
      case McpAlgorithm::Semismooth: outcome = semismooth_newton(search, fallback, kSemismoothLimit); break;
      case McpAlgorithm::Smoothing: outcome = smoothing_newton(search, fallback, kSmoothingLimit, 0); break;
      case McpAlgorithm::Affine: outcome = solve_affine(); break;
    }
  }
  search.evaluation.smoothing = 0;
  if (certify(problem, algorithm)) return true;
  if (outcome == McpOutcome::TimeLimit || search.out_of_time()) {
    summary.status = Status::TimeLimit;
    return true;
  }
  if (search.iterations >= search.iteration_limit) {
    summary.status = Status::IterationLimit;
    return true;
  }
  summary.status = outcome == McpOutcome::IterationLimit ? Status::IterationLimit : Status::Stalled;
  return false;
}

bool McpSolver::Workspace::certify(const McpProblem& problem, McpAlgorithm algorithm) {
  if (!std::isfinite(search.best.natural)) return false;
  // The certificate costs an evaluation of J: not worth it far from the tolerance, except at the very end.
  summary.residual = mcp_residual(problem, search.best.x, certificate);
  summary.solver = name_of(algorithm);
  if (summary.residual.error > tolerance) return false;
  summary.status = Status::Solved;
  return true;
}

// The current point's F and J describe an affine F if they also do so at another, far point.
bool McpSolver::Workspace::find_affine_form() {
  constexpr double kSame = 1e-12;
  McpPoint &here = search.current, &there = search.trial;
  affine_problem.is_dense = false;
  affine_problem.sparse = search.evaluation.J;
  affine_problem.q = here.f;
  affine_problem.q.noalias() -= affine_problem.sparse * here.x;
  affine_problem.lower = search.evaluation.lower;
  affine_problem.upper = search.evaluation.upper;
  restarts.reset();
  restarts.point(4, search.evaluation, here.x, search.best, there.x);
  search.evaluation.project(there.x);
  if (!search.evaluation.function(there) || !search.evaluation.jacobian(there)) return false;
  const Eigen::SparseMatrix<double>&J = search.evaluation.J, &J0 = affine_problem.sparse;
  if (J.nonZeros() != J0.nonZeros() ||
      !std::equal(J.outerIndexPtr(), J.outerIndexPtr() + J.cols() + 1, J0.outerIndexPtr()) ||
      !std::equal(J.innerIndexPtr(), J.innerIndexPtr() + J.nonZeros(), J0.innerIndexPtr()))
    return false;
  const Eigen::Map<const Eigen::VectorXd> values(J.valuePtr(), J.nonZeros()), first(J0.valuePtr(), J.nonZeros());
  if (!((values - first).lpNorm<Eigen::Infinity>() <= kSame * values.lpNorm<Eigen::Infinity>())) return false;
  Eigen::VectorXd& deviation = search.direction;
  deviation = affine_problem.q - there.f;
  deviation.noalias() += J * there.x;
  return deviation.lpNorm<Eigen::Infinity>() <= 1e-10 * (1 + there.f.lpNorm<Eigen::Infinity>());
}

McpOutcome McpSolver::Workspace::solve_affine() {
  if (!find_affine_form()) return McpOutcome::Stationary;
  SolverOptions options;
  options.tolerance = std::min(1e-10, 0.1 * tolerance);  // relative there, absolute here
  const SolverSummary answer = affine.solve(affine_problem, search.current.x, options);
  search.iterations += answer.iterations;
  if (search.current.x.size() != search.evaluation.size() || !search.current.x.allFinite())
    return McpOutcome::Stationary;
  search.evaluation.project(search.current.x);
  if (!search.evaluation.function(search.current)) return McpOutcome::Undefined;
  if (search.current.natural < search.best.natural) {
    search.best.x = search.current.x;
    search.best.natural = search.current.natural;
  }
  return search.best.natural <= search.target ? McpOutcome::Converged : McpOutcome::Stationary;
}

void McpSolver::Workspace::run_auto(const McpProblem& problem, const Eigen::VectorXd& x0) {
  const Eigen::Index n = problem.size();
  const bool pivoting = n <= kPivotingSize;
  const McpAlgorithm first = pivoting ? McpAlgorithm::Newton : McpAlgorithm::Semismooth;
  const McpAlgorithm second = pivoting ? McpAlgorithm::Semismooth : McpAlgorithm::Smoothing;
  const McpAlgorithm third = pivoting ? McpAlgorithm::Smoothing : McpAlgorithm::Newton;
  // Newton's method solves an affine problem in one step, if pivoting succeeds; a large one belongs to its own solver.
  if (!pivoting && attempt(problem, McpAlgorithm::Affine, x0, false)) return;
  if (attempt(problem, first, x0, false)) return;
  if (pivoting && attempt(problem, McpAlgorithm::Affine, x0, false)) return;
  for (const McpAlgorithm algorithm : {second, third})
    if (attempt(problem, algorithm, x0, false)) return;
  for (const McpAlgorithm algorithm : {first, McpAlgorithm::Smoothing})
    if (attempt(problem, algorithm, x0, true)) return;
  run_restarts(problem, x0, first);
}

void McpSolver::Workspace::run_restarts(const McpProblem& problem, const Eigen::VectorXd& x0, McpAlgorithm first) {
  restarts.reset();
  const int count = problem.size() <= kPivotingSize ? kRestarts : kRestartsLarge;
  start.resize(problem.size());
  for (int k = 0; k < count; ++k) {
    restarts.point(k, search.evaluation, x0, search.best, start);
    if (attempt(problem, first, start, k % 2 == 1)) return;
    if (attempt(problem, McpAlgorithm::Smoothing, start, k % 2 == 1)) return;
  }
}

McpSolver::McpSolver() : work_(std::make_unique<Workspace>()) {}
McpSolver::~McpSolver() = default;
McpSolver::McpSolver(McpSolver&&) noexcept = default;
McpSolver& McpSolver::operator=(McpSolver&&) noexcept = default;

std::span<const AlgorithmInfo> McpSolver::algorithms() {
  return kAlgorithms;
}

int McpSolver::function_evaluations() const {
  return work_->search.evaluation.functions;
}
int McpSolver::jacobian_evaluations() const {
  return work_->search.evaluation.jacobians;
}

SolverSummary McpSolver::solve(const McpProblem& problem, Eigen::VectorXd& x, const SolverOptions& options,
                               std::string_view algorithm) {
  const auto begin = std::chrono::steady_clock::now();
  Workspace& w = *work_;
  w.summary = SolverSummary{};
  w.summary.status = Status::BadInput;
  w.tolerance = options.tolerance;
  const auto known = std::find_if(kAlgorithms.begin(), kAlgorithms.end(),
                                  [&](const AlgorithmInfo& info) { return algorithm == info.name; });
  if (known != kAlgorithms.end() && x.size() == problem.size() && x.allFinite() && validate(problem).empty()) {
    w.search.start(problem, options, options.record_history ? &w.summary.history : nullptr);
    if (known == kAlgorithms.begin())
      w.run_auto(problem, x);
    else
      w.attempt(problem, static_cast<McpAlgorithm>(known - kAlgorithms.begin() - 1), x, false);
    w.summary.iterations = w.search.iterations;
    if (std::isfinite(w.search.best.natural)) x = w.search.best.x;
  }
  w.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return std::move(w.summary);
}

}  // namespace stickslip::complementarity
