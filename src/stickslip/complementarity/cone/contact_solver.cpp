// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/cone/contact_solver.h"

#include "stickslip/complementarity/cone/contact_residual.h"
#include "stickslip/complementarity/cone/island_solver.h"
#include "stickslip/complementarity/cone/reduction.h"
#include "stickslip/complementarity/deadline.h"
#include "stickslip/complementarity/external_solver.h"
#include "stickslip/complementarity/solver_catalogue.h"
#include "stickslip/complementarity/worker_pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

namespace stickslip::complementarity {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<AlgorithmInfo, 6> kAlgorithms{{
    {"auto", "islands, Gauss-Seidel sweeps, semismooth Newton, then smoothing, restarts and the pyramid"},
    {"gauss-seidel", "block Gauss-Seidel with the exact one-contact solution"},
    {"newton", "proximal semismooth Newton with a watchdog (Alart-Curnier)"},
    {"smoothing", "smoothing homotopy (Chen-Harker-Kanzow-Smale), then semismooth Newton"},
    {"pyramid", "Lemke on an eight-sided pyramid, then semismooth Newton on the exact cone"},
    {"sweeps", "coloured Gauss-Seidel with momentum, threads within an island; for compliant contacts"},
}};

SolverCatalogue<ExternalContactFactory>& catalogue() {
  static SolverCatalogue<ExternalContactFactory> instance(kAlgorithms);
  return instance;
}

// Several islands are solved to half the tolerance: their errors add up to at most sqrt(3) times theirs. One alone has
// the tolerance for itself, but for rounding in its other scaling.
constexpr double kIslandShare = 0.5, kOnlyIslandShare = 0.98;

// Work (multiplications) after which an island is given up: some tenfold of what the hardest of 40 contacts took, about
// one second; and room for a few thousand steps of larger ones.
constexpr double kLeastWork = 4e9, kWorkPerBlock = 6e6;

}  // namespace

// What a thread needs to solve an island.
template <int D>
struct Worker {
  IslandSolver<D> solver;
  EliminationPlan small_plan;
  std::vector<double> r;
};

struct IslandReport {
  const char* answered_by = "";
  int attempts = 0, iterations = 0;
  bool late = false, out_of_iterations = false;
};

// Per dimension: the workers, and the plans of all islands that are large enough to need one.
template <int D>
struct Workbench {
  static constexpr int kSmallIsland = 12;
  static constexpr int kWorthSharing = 150;  // contacts per thread: a colour then takes longer than a meeting

  IslandSplitter<D> splitter;
  std::vector<Worker<D>> workers;
  std::vector<EliminationPlan> plans;
  std::vector<IslandReport> reports;

  void prepare(int threads, int islands);
  void solve(const ContactProblem& problem, ContactAlgorithm algorithm, const SolverOptions& options,
             const Budget& budget, WorkerPool& pool, std::vector<double>& r, SolverSummary& summary);
  IslandReport solve_island(const ContactProblem& problem, int index, ContactAlgorithm algorithm, double goal,
                            Budget budget, Worker<D>& worker, std::vector<double>& r,
                            std::vector<IterationRecord>* history, int threads, WorkerPool& pool);
  void summarise(SolverSummary& summary) const;
};

template <int D>
void Workbench<D>::prepare(int threads, int islands) {
  if (static_cast<int>(workers.size()) < threads) workers.resize(threads);
  reports.resize(islands);
  int planned = static_cast<int>(plans.size());
  for (int index = planned; index < islands; ++index)
    if (splitter.contacts(index) > kSmallIsland) planned = index + 1;
  plans.resize(planned);
}

template <int D>
IslandReport Workbench<D>::solve_island(const ContactProblem& problem, int index, ContactAlgorithm algorithm,
                                        double goal, Budget budget, Worker<D>& worker, std::vector<double>& r,
                                        std::vector<IterationRecord>* history, int threads, WorkerPool& pool) {
  ScaledIsland<D>& island = worker.solver.island();
  splitter.extract(problem, index, island);
  worker.r.resize(island.unknowns());
  for (int a = 0; a < island.contacts; ++a)
    for (int k = 0; k < D; ++k) worker.r[a * D + k] = r[island.member[a] * D + k] / island.scale[a];
  budget.work = std::max(kLeastWork, kWorkPerBlock * static_cast<double>(island.column.size()));
  EliminationPlan& plan = island.contacts <= kSmallIsland ? worker.small_plan : plans[index];
  const IslandOutcome outcome = worker.solver.solve(algorithm, goal, budget, plan, worker.r, history, threads, pool);
  for (int a = 0; a < island.contacts; ++a)
    for (int k = 0; k < D; ++k) r[island.member[a] * D + k] = worker.r[a * D + k] * island.scale[a];
  return {outcome.answered_by, outcome.attempts, budget.used_iterations, budget.late,
          budget.used_iterations >= budget.iterations};
}

// The summary names the algorithm that answered the island that took longest.
template <int D>
void Workbench<D>::summarise(SolverSummary& summary) const {
  int hardest = -1;
  bool late = false, out_of_iterations = false;
  summary.solver = "none";  // stands when there is no contact
  for (const IslandReport& report : reports) {
    summary.iterations += report.iterations;
    summary.attempts = std::max(summary.attempts, report.attempts);
    late |= report.late, out_of_iterations |= report.out_of_iterations;
    if (report.iterations > hardest) hardest = report.iterations, summary.solver = report.answered_by;
  }
  summary.status = late ? Status::TimeLimit : out_of_iterations ? Status::IterationLimit : Status::Stalled;
}

template <int D>
void Workbench<D>::solve(const ContactProblem& problem, ContactAlgorithm algorithm, const SolverOptions& options,
                         const Budget& budget, WorkerPool& pool, std::vector<double>& r, SolverSummary& summary) {
  summary.blocks = splitter.split(problem);
  const int threads = options.record_history ? 1 : std::clamp(options.threads, 1, std::max(1, summary.blocks));
  const double goal = (summary.blocks == 1 ? kOnlyIslandShare : kIslandShare) * options.tolerance;
  prepare(threads, summary.blocks);
  // Sweeps share an island between threads, everything else shares islands.
  const bool within = algorithm == ContactAlgorithm::Sweeps;
  pool.run(within ? 1 : threads, summary.blocks, [&](int worker, int index) {
    const int inner =
        within ? std::clamp(splitter.contacts(index) / kWorthSharing, 1, std::max(1, options.threads)) : 1;
    reports[index] = solve_island(problem, index, algorithm, goal, budget, workers[worker], r,
                                  options.record_history ? &summary.history : nullptr, inner, pool);
  });
  summarise(summary);
}

struct ContactSolver::Workspace {
  Workbench<2> planar;
  Workbench<3> spatial;
  Reduction reduction;
  GlobalResidualWorkspace global_residual;
  std::vector<int> validation;
  WorkerPool pool;
  std::vector<std::unique_ptr<ExternalContactSolver>> external;  // those that were asked for, by place in the catalogue

  ExternalContactSolver& external_solver(std::size_t k) {
    if (external.size() <= k) external.resize(k + 1);
    if (!external[k]) external[k] = catalogue().factory(k)();
    return *external[k];
  }
};

ContactSolver::ContactSolver() : workspace_(std::make_unique<Workspace>()) {}
ContactSolver::~ContactSolver() = default;
ContactSolver::ContactSolver(ContactSolver&&) noexcept = default;
ContactSolver& ContactSolver::operator=(ContactSolver&&) noexcept = default;

std::span<const AlgorithmInfo> ContactSolver::algorithms() {
  return catalogue().infos();
}

void register_contact_solver(AlgorithmInfo info, ExternalContactFactory factory) {
  catalogue().add(info, factory);
}

SolverSummary ContactSolver::solve(const ContactProblem& problem, std::vector<double>& r, const SolverOptions& options,
                                   std::string_view algorithm) {
  const auto begin = Clock::now();
  SolverSummary summary;
  const auto chosen = catalogue().find(algorithm);
  if (!chosen || !validate(problem, workspace_->validation).empty()) {
    summary.status = Status::BadInput;
    return summary;
  }
  if (r.size() != problem.q.size()) r.assign(problem.q.size(), 0.0);
  for (double& x : r)
    if (!std::isfinite(x)) x = 0;

  Budget budget;
  budget.give_up_early = options.give_up_early;
  if (options.threads <= 1) budget.go_on = Asking::current();  // it is for this thread alone
  if (options.max_iterations > 0) budget.iterations = options.max_iterations;
  if (std::isfinite(options.time_limit)) {
    budget.has_deadline = true;
    budget.deadline =
        begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.time_limit));
  }
  const auto own = static_cast<ContactAlgorithm>(*chosen);
  if (*chosen >= kAlgorithms.size()) {
    workspace_->external_solver(*chosen).solve(problem, r, options);
    summary.solver = algorithms()[*chosen].name;
    summary.status = Status::Stalled;  // unless the certificate finds it solved
  } else if (problem.dimension() == 2) {
    workspace_->planar.solve(problem, own, options, budget, workspace_->pool, r, summary);
  } else {
    workspace_->spatial.solve(problem, own, options, budget, workspace_->pool, r, summary);
  }

  summary.residual = contact_residual(problem, r);
  if (summary.residual.error <= options.tolerance) summary.status = Status::Solved;
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
    if (summary.status == Status::BadInput) return summary;  // masses so small that W or q overflowed
    reduction.velocities(problem, r, v);
    summary.residual =
        contact_residual(problem, r, v, reduction.block_trace(), reduction.local().q, workspace_->global_residual);
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
