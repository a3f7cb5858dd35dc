// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The solver of affine problems (LCP, mixed LCP, box). One object per thread; it keeps its workspaces, so that repeated
// solves of one size allocate nothing.
//
//     AffineSolver solver;
//     Eigen::VectorXd z;
//     const SolverSummary summary = solver.solve(problem, z);
//     if (!summary.solved()) ...
//
// Solved is said only after affine_residual of the problem as posed was found below the tolerance.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/basis.h"
#include "stickslip/complementarity/algorithm_info.h"
#include "stickslip/complementarity/options.h"
#include "stickslip/complementarity/summary.h"

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string_view>

namespace stickslip::complementarity {

class AffineSolver {
 public:
  AffineSolver();
  ~AffineSolver();
  AffineSolver(AffineSolver&&) noexcept;
  AffineSolver& operator=(AffineSolver&&) noexcept;

  // z: the answer, or the best point known when the status is not Solved. Its incoming value is not used.
  // Sizes, q and bounds are checked (BadInput); that every entry of M is a finite number is the caller's word, as
  // looking at all of them can cost more than a warm solve. validate() does it: call it on whatever comes from outside.
  // algorithm: "auto" or a name from algorithms(); a named algorithm runs alone, without presolve or fall-backs.
  SolverSummary solve(const AffineProblem& problem, Eigen::VectorXd& z, const SolverOptions& options = {},
                      std::string_view algorithm = "auto");

  // Start the next solve from this basis, typically basis() of the step before. Ignored when the size does not fit.
  void warm_start(const Basis& basis);

  // Basis of the last solution.
  [[nodiscard]] const Basis& basis() const;

  [[nodiscard]] static std::span<const AlgorithmInfo> algorithms();

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace stickslip::complementarity
