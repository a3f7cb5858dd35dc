// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A mixed problem seen through the Schur complement of its free block, formed column by column and only on demand.
//
//     M = [A C; D B],   A: rows and columns of the free unknowns u,   S = B - D A^-1 C,   s = b - D A^-1 a
//     0 = A u + C v + a  and  v _|_ D u + B v + b      <=>     v _|_ S v + s,   u = -A^-1 (a + C v)
//
// A must be block diagonal with small well-conditioned blocks, as the mass matrix of bodies is. The Delassus matrix S
// of a contact problem is never built: pivoting asks only for the columns of unknowns that enter the basis.
//
// Cost: one inverse per block at set(); a column costs block^2 plus the entries of the rows it reaches, once.
// Offers the interface of matrix_columns.h; indices are those of the bounded unknowns v.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/affine/basis_inverse.h"
#include "stickslip/complementarity/affine/matrix_columns.h"

#include <Eigen/Core>
#include <vector>

namespace stickslip::complementarity {

class LazySchur : public OfDenseColumns<LazySchur> {
 public:
  // False when there is nothing to eliminate, or A is not made of small well-conditioned blocks, or v is too long.
  // Keeps a pointer to M.
  [[nodiscard]] bool set(const SparseColumns& M, const Eigen::VectorXd& q, const Eigen::VectorXd& lower,
                         const Eigen::VectorXd& upper);

  [[nodiscard]] int size() const { return n_; }
  [[nodiscard]] const double* q() const { return q_.data(); }
  [[nodiscard]] const double* lower() const { return lower_.data(); }
  [[nodiscard]] const double* upper() const { return upper_.data(); }
  // Index in the whole problem of bounded unknown i.
  [[nodiscard]] int original(int i) const { return bounded_[i]; }

  // z of the whole problem from the bounded part v.
  void expand(const double* v, Eigen::VectorXd& z);

  [[nodiscard]] const double* column(int j) const {
    if (!formed_[j]) form(j);
    return columns_.data() + static_cast<std::size_t>(j) * n_;
  }

  // Estimates that do not form columns: B_ii + sum_f C_fi^2 / |A_ff|, and the entries of B alone.
  [[nodiscard]] double diagonal(int i) const { return diagonal_[i]; }
  template <class F>
  void for_each_in_row(int i, F&& f) const {
    M_->for_each_in_row(bounded_[i], [&](int j, double value) {
      if (position_[j] >= 0) f(position_[j], value);
    });
  }
  template <class F>
  void for_each_in_column(int j, F&& f) const {
    M_->for_each_in_column(bounded_[j], [&](int i, double value) {
      if (position_[i] >= 0) f(position_[i], value);
    });
  }

 private:
  struct Block {
    int start, size;      // members_[start .. start + size)
    std::size_t inverse;  // offset of the row-major inverse
  };

  void form(int j) const;
  [[nodiscard]] bool find_blocks();
  [[nodiscard]] bool invert_blocks();
  void estimate_diagonal();
  // y_b = A_b^-1 r_b
  void apply_inverse(const Block& block, const double* r, double* y) const;
  // out -= D(:, free unknown f) s
  void subtract_free_column(int f, double s, double* out) const;

  const SparseColumns* M_ = nullptr;
  int n_ = 0;
  // position_: >= 0 index among the bounded unknowns, < 0: -1 - index among the free ones
  std::vector<int> bounded_, free_, position_, parent_, block_of_, members_, local_;
  std::vector<Block> blocks_;
  std::vector<double> inverse_, q_, lower_, upper_, diagonal_, free_q_, free_value_;
  BasisInverse inverter_;
  std::vector<double> block_rows_;

  // The cache behind the const interface.
  mutable std::vector<char> formed_;
  mutable std::vector<double> columns_, free_column_, solved_;
  mutable std::vector<int> touched_;
};

}  // namespace stickslip::complementarity
