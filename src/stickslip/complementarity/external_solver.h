// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Solvers from outside, by name beside our own: what a plug-in brings (simulation/plugin.h). Their answers are judged
// by the same certificate, so what they report of themselves is not asked for. A solver that does not know a problem
// leaves the answer as it is.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/algorithm_info.h"
#include "stickslip/complementarity/cone/contact_problem.h"
#include "stickslip/complementarity/options.h"

#include <Eigen/Core>
#include <memory>
#include <vector>

namespace stickslip::complementarity {

class ExternalContactSolver {
 public:
  virtual ~ExternalContactSolver() = default;
  // r: impulses to start from, of the size of problem.q; the answer.
  virtual void solve(const ContactProblem& problem, std::vector<double>& r, const SolverOptions& options) = 0;
};

class ExternalAffineSolver {
 public:
  virtual ~ExternalAffineSolver() = default;
  // z: zero at the start; the answer.
  virtual void solve(const AffineProblem& problem, Eigen::VectorXd& z, const SolverOptions& options) = 0;
};

using ExternalContactFactory = std::unique_ptr<ExternalContactSolver> (*)();
using ExternalAffineFactory = std::unique_ptr<ExternalAffineSolver> (*)();

// Before the first solve, from one thread. The texts must live as long as the program.
void register_contact_solver(AlgorithmInfo info, ExternalContactFactory factory);
void register_affine_solver(AlgorithmInfo info, ExternalAffineFactory factory);

}  // namespace stickslip::complementarity
