// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/contact_solver.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/island_solver.h"
#include "stickslip/complementarity/cone/reduction.h"

#include <array>
#include <cmath>
#include <cstring>
#include <optional>

namespace stickslip::complementarity {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<AlgorithmInfo, 5> kAlgorithms{{
    {"auto", "islands, Gauss-Seidel sweeps, semismooth Newton, then smoothing, restarts and the pyramid"},
    {"gauss-seidel", "block Gauss-Seidel with the exact one-contact solution"},
    {"newton", "proximal semismooth Newton with a watchdog (Alart-Curnier)"},
    {"smoothing", "smoothing homotopy (Chen-Harker-Kanzow-Smale), then semismooth Newton"},
    {"pyramid", "Lemke on an eight-sided pyramid, then semismooth Newton on the exact cone"},
}};

std::optional<ContactAlgorithm> find_algorithm(std::string_view name) {
  for (std::size_t k = 0; k < kAlgorithms.size(); ++k)
    if (name == kAlgorithms[k].name) return static_cast<ContactAlgorithm>(k);
  return std::nullopt;
}

// Several islands are solved to half the tolerance: their errors add up to at most sqrt(3) times theirs. One alone has
// the tolerance for itself, but for rounding in its other scaling.
constexpr double kIslandShare = 0.5, kOnlyIslandShare = 0.98;

// Work (multiplications) after which an island is given up: some tenfold of what the hardest of 40 contacts took, about
// one second; and room for a few thousand steps of larger ones.
constexpr double kLeastWork = 4e9, kWorkPerBlock = 6e6;

}  // namespace

// Per dimension: the solver of one island and the plans of all that are large enough to need one.
template <int D>
struct Workbench {
  static constexpr int kSmallIsland = 12;

  IslandSplitter<D> splitter;
  IslandSolver<D> solver;
  EliminationPlan small_plan;
  std::vector<EliminationPlan> plans;
  std::vector<double> island_r;

  EliminationPlan& plan_for(int index, int contacts) {
    if (contacts <= kSmallIsland) return small_plan;
    if (static_cast<int>(plans.size()) <= index) plans.resize(index + 1);
    return plans[index];
  }

  void solve(const ContactProblem& problem, ContactAlgorithm algorithm, const SolverOptions& options, Budget& budget,
             std::vector<double>& r, SolverSummary& summary);
};

template <int D>
void Workbench<D>::solve(const ContactProblem& problem, ContactAlgorithm algorithm, const SolverOptions& options,
                         Budget& budget, std::vector<double>& r, SolverSummary& summary) {
  summary.blocks = splitter.split(problem);
  summary.solver = "none";  // stands when there is no contact
  const double goal = (summary.blocks == 1 ? kOnlyIslandShare : kIslandShare) * options.tolerance;
  double hardest = -1;
  for (int index = 0; index < summary.blocks; ++index) {
    Island<D>& island = solver.island();
    splitter.extract(problem, index, island);
    island_r.resize(island.unknowns());
    for (int a = 0; a < island.contacts; ++a)
      for (int k = 0; k < D; ++k) island_r[a * D + k] = r[island.member[a] * D + k] / island.scale[a];
    const int before = budget.used_iterations;
    budget.work = std::max(kLeastWork, kWorkPerBlock * static_cast<double>(island.column.size()));
    const IslandOutcome outcome = solver.solve(algorithm, goal, budget, plan_for(index, island.contacts), island_r,
                                               options.record_history ? &summary.history : nullptr);
    for (int a = 0; a < island.contacts; ++a)
      for (int k = 0; k < D; ++k) r[island.member[a] * D + k] = island_r[a * D + k] * island.scale[a];
    summary.attempts = std::max(summary.attempts, outcome.attempts);
    // The summary names the algorithm that answered the island that took longest.
    const double effort = budget.used_iterations - before;
    if (effort > hardest) hardest = effort, summary.solver = outcome.answered_by;
  }
}

struct ContactSolver::Workspace {
  Workbench<2> planar;
  Workbench<3> spatial;
  Reduction reduction;
  std::vector<int> validation;
};

ContactSolver::ContactSolver() : workspace_(std::make_unique<Workspace>()) {}
ContactSolver::~ContactSolver() = default;
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;

std::span<const AlgorithmInfo> ContactSolver::algorithms() {
  return kAlgorithms;
}

SolverSummary ContactSolver::solve(const ContactProblem& problem, std::vector<double>& r, const SolverOptions& options,
                                   std::string_view algorithm) {
  const auto begin = Clock::now();
  SolverSummary summary;
  const auto chosen = find_algorithm(algorithm);
  if (!chosen || !validate(problem, workspace_->validation).empty()) {
    summary.status = Status::BadInput;
    return summary;
  }
  if (r.size() != problem.q.size()) r.assign(problem.q.size(), 0.0);
  for (double& x : r)
    if (!std::isfinite(x)) x = 0;

  Budget budget;
  if (options.max_iterations > 0) budget.iterations = options.max_iterations;
  if (std::isfinite(options.time_limit)) {
    budget.has_deadline = true;
    budget.deadline =
        begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.time_limit));
  }
  if (problem.dimension() == 2)
    workspace_->planar.solve(problem, *chosen, options, budget, r, summary);
  else
    workspace_->spatial.solve(problem, *chosen, options, budget, r, summary);

  summary.iterations = budget.used_iterations;
  summary.residual = contact_residual(problem, r);
  if (summary.residual.error <= options.tolerance)
    summary.status = Status::Solved;
  else if (budget.late)
    summary.status = Status::TimeLimit;
  else if (budget.used_iterations >= budget.iterations)
    summary.status = Status::IterationLimit;
  else
    summary.status = Status::Stalled;
  summary.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return summary;
}

SolverSummary ContactSolver::solve(const GlobalContactProblem& problem, std::vector<double>& r, Eigen::VectorXd& v,
                                   const SolverOptions& options, std::string_view algorithm) {
  const auto begin = Clock::now();
  SolverSummary summary;
  Reduction& reduction = workspace_->reduction;
  if (!validate(problem).empty() || !reduction.reduce(problem)) {
    summary.status = Status::BadInput;
    return summary;
  }
  // The local form's verdict is not enough: the global error is relative to other norms and adds the dynamics. Where
  // it misses, the local problem is solved more accurately, from where it stands.
  SolverOptions local_options = options;
  for (int pass = 0; pass < 3; ++pass, local_options.tolerance *= 0.05) {
    const int iterations = summary.iterations;
    summary = solve(reduction.local(), r, local_options, algorithm);
    summary.iterations += iterations;
    reduction.velocities(problem, r, v);
    summary.residual = contact_residual(problem, r, v, reduction.block_trace(), reduction.local().q);
    if (summary.residual.error <= options.tolerance || summary.status != Status::Solved) break;
  }
  if (summary.residual.error <= options.tolerance)
    summary.status = Status::Solved;
  else if (summary.status == Status::Solved)
    summary.status = Status::Stalled;
  summary.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return summary;
}

}  // namespace stickslip::complementarity
