// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The linear system of a guess which unknowns are basic:  M_BB x = -(q + M z_N)_B.  Two kinds of M behind one
// interface:
//
//     dense     LU with partial pivoting of the gathered block, one refinement with the block itself
//     sparse    own sparse LU in a fixed elimination order; when M is strictly dominant by rows and the block is large,
//               Bi-CGSTAB with the diagonal as preconditioner instead (random patterns fill in, dominance converges
//               fast)
//
// Cost: b^3/3 dense; what the fill needs, sparse. Storage is kept.
#pragma once

#include "stickslip/complementarity/affine/elimination_order.h"
#include "stickslip/complementarity/affine/matrix_columns.h"
#include "stickslip/complementarity/affine/sparse_lu.h"

#include <vector>

namespace stickslip::complementarity {

class DenseBlock {
 public:
  void set(const DenseColumns& M) { M_ = &M; }
  // x <- M_BB^-1 x for the unknowns in members (ascending). False: singular.
  [[nodiscard]] bool solve(const std::vector<int>& members, double* x);

 private:
  void substitute(int k, double* x) const;

  const DenseColumns* M_ = nullptr;
  std::vector<double> block_, factor_, residual_;
  std::vector<int> exchange_;
};

class SparseBlock {
 public:
  void set(const SparseColumns& M);
  [[nodiscard]] bool solve(const std::vector<int>& members, double* x);

 private:
  void gather(const std::vector<int>& members);
  [[nodiscard]] bool solve_iteratively(int k, double* x);
  void multiply(int k, const double* x, double* y) const;

  const SparseColumns* M_ = nullptr;
  const std::vector<int>* order_ = nullptr;
  bool dominant_ = false;
  EliminationOrder elimination_;
  SparseLu lu_;
  std::vector<int> position_, block_start_, block_row_, block_order_;
  std::vector<double> block_value_, inverse_diagonal_, right_hand_side_, residual_;
  std::vector<double> krylov_[6];
};

}  // namespace stickslip::complementarity
