// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Frictional contact with the exact cone: the entry point.
//
//     ContactSolver solver;                       // keep it: it keeps its workspaces
//     std::vector<double> r;                      // start: impulses of the last step, or empty
//     SolverSummary summary = solver.solve(problem, r);
//     if (!summary.solved()) ...                  // r is the best point found, not a solution
//
// Islands (connected components) are solved on their own, in block-scaled variables, by several threads if the options
// say so; then contact_residual.h certifies the whole problem as it was posed, and only its verdict makes a summary say
// Solved. A problem that no algorithm solves within the work budget is refused with Stalled (or the limit that the user
// set): it may have no solution.
#pragma once

#include "stickslip/complementarity/algorithm_info.h"
#include "stickslip/complementarity/cone/contact_problem.h"
#include "stickslip/complementarity/options.h"
#include "stickslip/complementarity/summary.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace stickslip::complementarity {

class ContactSolver {
 public:
  ContactSolver();
  ~ContactSolver();
  ContactSolver(ContactSolver&&) noexcept;
  ContactSolver& operator=(ContactSolver&&) noexcept;

  // r: the start when it has the right size (a warm start), else zero; overwritten with the answer.
  // algorithm: a name from algorithms(). BadInput when the problem is malformed or the name unknown (see validate()).
  SolverSummary solve(const ContactProblem& problem, std::vector<double>& r, const SolverOptions& options = {},
                      std::string_view algorithm = "auto");

  // The global form, by reduction to the local one (reduction.h); v: the velocities at the end.
  SolverSummary solve(const GlobalContactProblem& problem, std::vector<double>& r, Eigen::VectorXd& v,
                      const SolverOptions& options = {}, std::string_view algorithm = "auto");

  [[nodiscard]] static std::span<const AlgorithmInfo> algorithms();

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stickslip::complementarity
