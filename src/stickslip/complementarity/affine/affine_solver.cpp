// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/complementarity/affine/affine_solver.h"

#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/certified_lemke.h"

#include <array>
#include <chrono>
#include <cmath>

namespace stickslip::complementarity {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array kAlgorithms = {
    AlgorithmInfo{"lemke", "revised complementary pivoting with a small basis"},
};

}  // namespace

struct AffineSolver::Workspace {
  CertifiedLemke lemke;
  ResidualWorkspace residual;
  Basis basis, warm;
};

AffineSolver::AffineSolver() : workspace_(std::make_unique<Workspace>()) {}
AffineSolver::~AffineSolver() = default;
AffineSolver::AffineSolver(AffineSolver&&) noexcept = default;
AffineSolver& AffineSolver::operator=(AffineSolver&&) noexcept = default;

std::span<const AlgorithmInfo> AffineSolver::algorithms() { return kAlgorithms; }
void AffineSolver::warm_start(const Basis& basis) { workspace_->warm = basis; }
const Basis& AffineSolver::basis() const { return workspace_->basis; }

SolverSummary AffineSolver::solve(const AffineProblem& problem, Eigen::VectorXd& z, const SolverOptions& options,
                                  std::string_view algorithm) {
  const auto begin = Clock::now();
  Workspace& w = *workspace_;
  const auto n = static_cast<std::size_t>(problem.size());
  SolverSummary summary;
  if (algorithm != "auto" && algorithm != "lemke") {
    summary.status = Status::BadInput;
    return summary;
  }
  w.lemke.bind(problem);
  LemkeOptions lemke;
  lemke.max_pivots = options.max_iterations > 0 ? options.max_iterations : 20 * static_cast<int>(n) + 200;
  lemke.cover_all = w.warm.size() != n;
  const auto result = w.lemke.run(w.warm.size() == n ? w.warm.data() : nullptr, lemke, options.tolerance, n > 12, z);
  w.warm.clear();
  w.basis = w.lemke.basis();
  summary.solver = "lemke";
  summary.attempts = 1;
  summary.iterations = result.pivots;
  summary.residual = result.residual;
  summary.status = result.certified ? Status::Solved : result.exit == LemkeExit::Ray ? Status::Ray : Status::Stalled;
  summary.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return summary;
}

}  // namespace stickslip::complementarity
