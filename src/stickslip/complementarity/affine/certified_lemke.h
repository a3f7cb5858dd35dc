// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Lemke's method with the certificate in the loop: the right view of M (dense, sparse, or the Schur complement of the
// free block), the answer checked by affine_residual, and when rounding spoilt it, pivoting continued from the basis
// that was reached with a finer tie tolerance. Continuing costs a few pivots, because that basis is nearly right.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/affine_residual.h"
#include "stickslip/complementarity/affine/basis.h"
#include "stickslip/complementarity/affine/lazy_schur.h"
#include "stickslip/complementarity/affine/lemke.h"
#include "stickslip/complementarity/affine/matrix_columns.h"
#include "stickslip/complementarity/summary.h"

#include <Eigen/Core>
#include <vector>

namespace stickslip::complementarity {

class CertifiedLemke {
 public:
  struct Result {
    LemkeExit exit = LemkeExit::Breakdown;
    bool certified = false;
    int pivots = 0;
    Residual residual;
  };

  // Prepares the view. The problem must stay where it is until the last run() on it.
  void bind(const AffineProblem& problem);
  // Whether the free block can be eliminated; decided at the first call after bind().
  [[nodiscard]] bool has_schur_form();

  // start: nullptr (cold) or size() entries. z is written when a basis was found, certified or not.
  Result run(const VariableStatus* start, const LemkeOptions& options, double tolerance, bool schur_form,
             Eigen::VectorXd& z);

  // Of the last run.
  [[nodiscard]] const Basis& basis() const { return basis_; }
  // After Ray: direction in z (zero for eliminated unknowns).
  [[nodiscard]] const std::vector<double>& ray() const { return ray_; }

 private:
  LemkeExit run_once(const VariableStatus* start, const LemkeOptions& options, bool schur_form, Eigen::VectorXd& z);
  template <class Engine>
  LemkeExit keep(const Engine& engine, LemkeExit exit, Eigen::VectorXd& z);

  const AffineProblem* problem_ = nullptr;
  int pivots_ = 0;
  enum class SchurForm { Unknown, Yes, No } schur_form_ = SchurForm::Unknown;
  DenseColumns dense_;
  SparseColumns sparse_;
  LazySchur schur_;
  Lemke<DenseColumns> dense_lemke_;
  Lemke<SparseColumns> sparse_lemke_;
  Lemke<LazySchur> schur_lemke_;
  Basis basis_, restart_, from_, best_basis_;
  Eigen::VectorXd best_z_;
  std::vector<double> ray_;
  ResidualWorkspace residual_;
};

}  // namespace stickslip::complementarity
