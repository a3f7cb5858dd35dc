// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Orthogonal factor of a matrix whose columns may depend on each other:
//
//     A P = Q [ R ]      Householder reflections, the longest column that is left first (Businger and Golub 1965)
//             [ 0 ]
//
// With it, what sharing a load needs (load_share.h): the part of a vector that A's columns do not reach, Q_2' b; some x with
// A x = b; and the least |x| with A' x = b, which is Q_1 R_1^-T (P' b)_1.
//
// Ours because the matrices are small: of a 6 x 4 one Eigen's ColPivHouseholderQR and CompleteOrthogonalDecomposition cost four
// times as much, most of it calls. Cost: 2 m n r multiplications for rank r. No allocation in repeated problems of one size.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace stickslip::contact {

class PivotedFactor {
 public:
  using Index = Eigen::Index;

  // Columns whose rest is shorter than `dependent` times the longest of all count as dependent.
  template <class Matrix>
  void compute(const Matrix& A, double dependent) {
    factor_ = A;
    reduce(dependent);
  }

  [[nodiscard]] Index rank() const { return static_cast<Index>(pivot_.size()); }

  // Each column of B becomes Q' of itself. Rows from rank() on are what A's columns do not reach.
  template <class Matrix>
  void reflect(Matrix& B) const {
    for (Index k = 0; k < rank(); ++k)
      for (Index j = 0; j < B.cols(); ++j) reflect_by(k, B.col(j));
  }

  // The x with A x = b, where there is one, that is 0 for columns that depend on others. reflected: Q' b.
  void solve(const Eigen::VectorXd& reflected, Eigen::VectorXd& x) const;
  // The least |x| with A' x = b, where there is one; else the independent rows of it hold.
  void least_norm(const Eigen::VectorXd& b, Eigen::VectorXd& x);

 private:
  void reduce(double dependent);
  // x -= tau v v' x,  v = (0, .., 1, factor_(k + 1 .., k))
  template <class Column>
  void reflect_by(Index k, Column&& x) const {
    const Index below = factor_.rows() - k - 1;
    const auto v = factor_.col(k).tail(below);
    auto rest = x.tail(below);
    const double along = scale_[static_cast<std::size_t>(k)] * (x[k] + v.dot(rest));
    x[k] -= along;
    rest -= along * v;
  }

  Eigen::MatrixXd factor_;     // R above the diagonal, reflections below it
  std::vector<double> scale_;  // tau
  std::vector<Index> pivot_;   // the column that was exchanged with the k-th
  Eigen::VectorXd ordered_;
};

}  // namespace stickslip::contact
