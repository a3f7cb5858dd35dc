// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The solver for nonlinear mixed complementarity problems.
//
//     McpSolver solver;
//     Eigen::VectorXd x = start;
//     const SolverSummary summary = solver.solve(problem, x);
//     if (!summary.solved()) std::cerr << summary.full_report();
//
// Algorithms (algorithms() lists them): "newton" (Josephy-Newton, newton.h), "semismooth" (semismooth.h), "smoothing"
// (smoothing.h), "affine" (affine/affine_solver.h, when F turns out to be affine). A named algorithm runs alone, from
// the given start. "auto" tries, until one result is certified:
//     1. newton for up to 300 unknowns, affine and then semismooth for larger problems;
//     2. the other algorithms from the same start;
//     3. newton and smoothing with the rows of F scaled to the size of their derivatives;
//     4. all of them from the points of restarts.h.
//
// The answer is the best point of all attempts; Solved is said only when mcp_residual of the posed problem is within
// the tolerance there. A start outside the box is projected into it; F is never evaluated outside the box. A solver
// object keeps its memory: repeated solves of one size allocate nothing beyond what the callbacks do, as long as the
// dense path is taken (up to 48 unknowns; beyond, QR and sparse factorisations allocate) and the affine solver is not
// needed, whose late fall-backs allocate. Not thread-safe: one object per thread.
#pragma once

#include "stickslip/complementarity/algorithm_info.h"
#include "stickslip/complementarity/mcp/mcp_problem.h"
#include "stickslip/complementarity/options.h"
#include "stickslip/complementarity/summary.h"

#include <memory>
#include <span>
#include <string_view>

namespace stickslip::complementarity {

class McpSolver {
 public:
  McpSolver();
  ~McpSolver();
  McpSolver(McpSolver&&) noexcept;
  McpSolver& operator=(McpSolver&&) noexcept;

  // x: in the start, out the best point found (unchanged when the input is bad). An unknown algorithm is bad input.
  SolverSummary solve(const McpProblem& problem, Eigen::VectorXd& x, const SolverOptions& options = {},
                      std::string_view algorithm = "auto");

  [[nodiscard]] static std::span<const AlgorithmInfo> algorithms();

  // Of the last solve, the certificate's own evaluations not counted.
  [[nodiscard]] int function_evaluations() const;
  [[nodiscard]] int jacobian_evaluations() const;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> work_;
};

}  // namespace stickslip::complementarity
