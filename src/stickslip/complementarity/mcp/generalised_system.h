// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The linear algebra of Newton's method on Phi(x) = 0 (fischer_burmeister.h):
//
//     H = D_x + D_f J            D_x, D_f diagonal
//     Newton                     H d = -Phi
//     Levenberg-Marquardt        min |H d + Phi|^2 + lambda |d|^2
//     gradient of the merit      H' Phi
//
// Rows with D_f = 0 (unknowns at a bound) only fix their own d_i and are eliminated before factorising. Dense LU and
// QR for n <= kDenseSize or a full J, else Eigen's SparseLU (its ordering is kept while the pattern stays) and the
// normal equations with a sparse Cholesky factorisation. Cost: one factorisation of the reduced system per step.
// The dense path allocates nothing once it has seen the size, except in QR beyond 48 unknowns.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <vector>

namespace stickslip::complementarity {

class GeneralisedSystem {
 public:
  static constexpr Eigen::Index kDenseSize = 120;

  // J must outlive the calls below.
  void set(const Eigen::SparseMatrix<double>& J, const Eigen::VectorXd& dx, const Eigen::VectorXd& df);

  // H d = rhs. False when H is singular to working precision.
  [[nodiscard]] bool newton(const Eigen::VectorXd& rhs, Eigen::VectorXd& d);

  // The regularised least-squares step; unknowns with frozen[i] != 0 keep d_i = 0.
  [[nodiscard]] bool levenberg_marquardt(const Eigen::VectorXd& phi, double lambda, const std::vector<char>& frozen,
                                         Eigen::VectorXd& d);

  void gradient(const Eigen::VectorXd& phi, Eigen::VectorXd& g) const;

 private:
  using Sparse = Eigen::SparseMatrix<double>;

  [[nodiscard]] bool is_dense() const;
  void reduce(const Eigen::VectorXd& rhs, Eigen::VectorXd& d);
  [[nodiscard]] bool newton_dense();  // the reduced system, solved in place of its right-hand side
  [[nodiscard]] bool newton_sparse();
  [[nodiscard]] static bool solve_in_place(Eigen::MatrixXd& A, Eigen::Index m, Eigen::VectorXd& b);
  [[nodiscard]] bool solves(const Eigen::VectorXd& rhs, const Eigen::VectorXd& d);
  void assemble_sparse();
  [[nodiscard]] bool same_pattern() const;

  const Sparse* J_ = nullptr;
  Eigen::VectorXd dx_, df_;

  std::vector<int> kept_, position_;  // unknowns that are not eliminated, and where each stands among them (-1: not)
  Eigen::VectorXd reduced_rhs_, work_;

  Eigen::MatrixXd dense_, stacked_;
  Eigen::HouseholderQR<Eigen::MatrixXd> qr_;

  Sparse sparse_, full_, normal_;
  Eigen::SparseLU<Sparse> sparse_lu_;
  std::vector<int> analysed_outer_, analysed_inner_;
  Eigen::SimplicialLDLT<Sparse> ldlt_;
};

}  // namespace stickslip::complementarity
