// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Active-set method for problems whose principal blocks are regular: large sparse M-matrices and discretised obstacles,
// and dense P-matrices.
//
//     1. Projected Gauss-Seidel sweeps,  z_i <- mid(lower_i, upper_i, z_i - w_i / M_ii),  give a good first guess of
//     which
//        unknowns are basic (only where all M_ii > 0).
//     2. Primal-dual active set = semismooth Newton on the natural map: solve M_BB x = -(q + M z_N)_B, put every basic
//     unknown
//        that left its range to its bound, release every bound whose w has the wrong sign, repeat.
//     3. That may cycle. As in block principal pivoting (Kostreva; Judice, Pires 1994): when the number of violated
//     signs has
//        not fallen for a while, exchange only the last violated one (Murty's rule), which ends for every P-matrix,
//        until the number falls below the best so far.
//
// Cost: one factorisation of the basic block per iteration; few iterations, because the sweeps leave little to do.
#pragma once

#include "stickslip/complementarity/affine/basis.h"
#include "stickslip/complementarity/affine/block_system.h"
#include "stickslip/complementarity/affine/matrix_columns.h"
#include "stickslip/complementarity/deadline.h"
#include "stickslip/complementarity/summary.h"

#include <vector>

namespace stickslip::complementarity {

struct ActiveSetOptions {
  int max_iterations = 60;
  int sweeps = 8;            // of projected Gauss-Seidel, stopped early when the set has settled
  int patience = 4;          // iterations without fewer violations before single exchanges
  int single_exchanges = 0;  // how many of these are allowed in total
  double tolerance = 1e-12;  // violations below this part of |z| or |q| do not count
  Deadline deadline;
  std::vector<IterationRecord>* history = nullptr;
};

enum class ActiveSetExit { Solved, Stalled, Singular, IterationLimit, TimeLimit };

template <class Matrix, class Block>
class ActiveSet {
 public:
  // start: nullptr, or a basis to begin with instead of the sweeps.
  ActiveSetExit solve(const Matrix& M, const double* q, const double* lower, const double* upper,
                      const VariableStatus* start, const ActiveSetOptions& options);

  [[nodiscard]] const std::vector<double>& z() const { return z_; }
  [[nodiscard]] const Basis& basis() const { return status_; }
  [[nodiscard]] int iterations() const { return iterations_; }

  // The sweeps alone: fills z and basis. False when some M_ii <= 0.
  bool sweep(const Matrix& M, const double* q, const double* lower, const double* upper, int sweeps);

 private:
  void guess_from_signs();
  [[nodiscard]] bool solve_block();
  // Number of violated signs; exchanges all of them, or the last one only.
  [[nodiscard]] int violations(double tolerance_z, double tolerance_w);
  void exchange(bool only_last);

  const Matrix* M_ = nullptr;
  const double *q_ = nullptr, *lower_ = nullptr, *upper_ = nullptr;
  int n_ = 0, iterations_ = 0;
  Block block_;
  Basis status_;
  std::vector<int> members_, wrong_;
  std::vector<double> z_, w_, x_, inverse_diagonal_;
};

}  // namespace stickslip::complementarity
