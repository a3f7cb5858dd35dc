// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The nearest point of friction cones that balances a load, from inside the cones.
//
//     minimise  1/2 |p - a|^2     over     G p = g,   p in K,      K:  N_c >= l_c,  or  |t_c| <= mu_c N_c
//
// A primal-dual interior-point method with the scaling of Nesterov and Todd 1997 and Mehrotra's predictor and corrector 1992. With
// x_c = (mu N, t) the cones are |x_t| <= x_0, and
//
//     Q (x - a) + G' y - z = 0,   G x = g,   s = x - l,   s, z in K,   s o z = 0
//
// are followed with s o z = sigma m e towards m = 0. It comes near to the answer wherever that lies, which Newton's method for the
// multipliers alone (canonical_share.cpp) does not where many cones bind at once; that method then makes it right to rounding.
//
// Symbol   variable         meaning
//   a      from             what the point is to be near to
//   y      multipliers      -y: the z of canonical_share.h
//   W      Block::scaling   W z = W^-1 s
//   Q      Block::weight    of x_0, since |N|^2 = |x_0|^2 / mu^2
//
// Assumptions: none on the ranks of G; g in its range. Cost: some 15 steps, each a Cholesky factor of as many rows as G has independent
// ones, and as many multiplications as their square times the columns.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <vector>

namespace stickslip::contact {

class ConeProgram {
 public:
  // A contact: N alone, or N and t that start at a column of p.
  struct Cone {
    Eigen::Index normal = 0, tangent = -1;  // columns; -1: N alone
    double least = 0;                       // of N alone
    double mu = 0;                          // of N and t
  };

  // False: not found, or none is there. p and multipliers (z of canonical_share.h) are then of no use.
  bool solve(const std::vector<Cone>& cones, int tangents, const Eigen::MatrixXd& G, const Eigen::VectorXd& g,
             const Eigen::VectorXd& a, Eigen::VectorXd& p, Eigen::VectorXd& multipliers);

 private:
  struct Block {
    Eigen::Index at = 0;  // in x
    int size = 1;
    double mu = 1;                                 // x_0 = mu N
    Eigen::Vector3d s, z, lambda, ds, dz, wanted;  // lambda = W z
    Eigen::Matrix3d scaling, unscaling, inverse;   // W, W^-1, (Q + W^-2)^-1
    [[nodiscard]] double weight(int k) const { return k == 0 ? 1 / (mu * mu) : 1.0; }
  };
  void list(const std::vector<Cone>& cones, int tangents, const Eigen::MatrixXd& G, const Eigen::VectorXd& g,
            const Eigen::VectorXd& a);
  void start();
  bool scale();
  bool step(const Eigen::VectorXd& dual, const Eigen::VectorXd& primal);
  [[nodiscard]] double longest_step() const;
  [[nodiscard]] double gap() const;

  std::vector<Block> blocks_;
  Eigen::MatrixXd G_, GH_, schur_;  // independent rows of G, by x
  Eigen::VectorXd g_, from_, least_, x_, y_, dx_, dy_, right_, size_of_row_;
  std::vector<Eigen::Index> rows_, column_;  // of G; of p, by x
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> by_rows_;
  Eigen::LDLT<Eigen::MatrixXd> factor_;
};

}  // namespace stickslip::contact
