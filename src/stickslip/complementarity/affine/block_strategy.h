// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// `auto` for one connected block: which algorithm first, what comes after it when it fails.
//
//     warm basis given            the equations of that basis alone; then Lemke from it
//     dense, all M_ii > 0         active set after Gauss-Seidel sweeps (P-matrices), from 16 unknowns
//     sparse, all M_ii > 0        active set, from 40 unknowns
//     otherwise, or after these   Lemke, covering what is violated, then covering all; with free unknowns and sparse M
//     on the
//                                 Schur complement of the free block first
//     fall-backs                  Lemke on the whole block; the active set and Lemke from its guess; Lemke with other
//                                 covering vectors and from other bases; a proof that there is no solution; all bases,
//                                 when there are few; least squares
//
// Everything that is returned as certified was checked by affine_residual. Deterministic: "random" choices have fixed
// seeds.
#pragma once

#include "stickslip/complementarity/affine/active_set.h"
#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/basis.h"
#include "stickslip/complementarity/affine/certified_lemke.h"
#include "stickslip/complementarity/affine/enumeration.h"
#include "stickslip/complementarity/affine/infeasibility.h"
#include "stickslip/complementarity/affine/least_squares.h"
#include "stickslip/complementarity/deadline.h"
#include "stickslip/complementarity/options.h"
#include "stickslip/complementarity/status.h"
#include "stickslip/complementarity/summary.h"

#include <Eigen/Core>
#include <vector>

namespace stickslip::complementarity {

struct BlockOutcome {
  Status status = Status::Stalled;
  const char* solver = "";
  int iterations = 0, attempts = 0;
  Residual residual;
};

class BlockStrategy {
 public:
  // start: nullptr or a basis to begin with. history: nullptr or where to record.
  BlockOutcome solve(const AffineProblem& problem, const VariableStatus* start, const SolverOptions& options,
                     const Deadline& deadline, std::vector<IterationRecord>* history, Eigen::VectorXd& z);

  // The named algorithms, each alone.
  BlockOutcome lemke(const AffineProblem& problem, const VariableStatus* start, const SolverOptions& options,
                     const Deadline& deadline, Eigen::VectorXd& z);
  BlockOutcome active_set(const AffineProblem& problem, const VariableStatus* start, const SolverOptions& options,
                          const Deadline& deadline, std::vector<IterationRecord>* history, Eigen::VectorXd& z);
  BlockOutcome enumeration(const AffineProblem& problem, const SolverOptions& options, const Deadline& deadline,
                           Eigen::VectorXd& z);
  BlockOutcome least_squares(const AffineProblem& problem, const SolverOptions& options, const Deadline& deadline,
                             Eigen::VectorXd& z);

  // Basis of the last solution.
  [[nodiscard]] const Basis& basis() const { return basis_; }

 private:
  [[nodiscard]] bool try_basis(const VariableStatus* start, Eigen::VectorXd& z);
  [[nodiscard]] bool try_lemke(const VariableStatus* start, const LemkeOptions& lemke, bool schur, const char* name,
                               Eigen::VectorXd& z);
  [[nodiscard]] bool try_lemke_cold(bool positive_diagonal, Eigen::VectorXd& z);
  [[nodiscard]] bool try_active_set(const VariableStatus* start, const ActiveSetOptions& active, Eigen::VectorXd& z);
  [[nodiscard]] bool try_harder(Eigen::VectorXd& z);
  [[nodiscard]] bool try_other_bases(Eigen::VectorXd& z);
  [[nodiscard]] bool prove_infeasible();
  [[nodiscard]] bool try_enumeration(Eigen::VectorXd& z);
  [[nodiscard]] bool try_least_squares(Eigen::VectorXd& z);
  // Where nothing was certified: z becomes the best point seen, 0 when there was none.
  void give_best(Eigen::VectorXd& z);
  const BlockOutcome& outcome_of(const char* solver, Eigen::VectorXd& z);
  [[nodiscard]] bool accept(const Residual& residual, const char* name, const Eigen::VectorXd& z);
  [[nodiscard]] bool all_diagonals_positive() const;
  [[nodiscard]] bool out_of_time() const;
  void begin(const AffineProblem& problem, const SolverOptions& options, const Deadline& deadline,
             std::vector<IterationRecord>* history);
  void basis_from_point(const Eigen::VectorXd& z);
  [[nodiscard]] LemkeOptions lemke_options() const;

  const AffineProblem* problem_ = nullptr;
  SolverOptions options_;
  Deadline deadline_;
  std::vector<IterationRecord>* history_ = nullptr;
  BlockOutcome outcome_;
  bool ray_seen_ = false, bound_ = false, has_candidate_ = false, has_guess_ = false;

  CertifiedLemke lemke_;
  DenseColumns dense_;
  SparseColumns sparse_;
  DenseBlock trial_block_;
  ActiveSet<DenseColumns, DenseBlock> dense_active_set_;
  ActiveSet<SparseColumns, SparseBlock> sparse_active_set_;
  Enumeration enumeration_;
  LeastSquares least_squares_;
  InfeasibilityProver prover_;
  ResidualWorkspace residual_;
  Basis basis_, guess_, other_;
  std::vector<int> members_;
  std::vector<double> rhs_, weights_;
  Eigen::VectorXd candidate_;  // best point that was not certified
};

}  // namespace stickslip::complementarity
