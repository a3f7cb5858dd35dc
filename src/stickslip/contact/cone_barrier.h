// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A path of points inside round friction cones that leads to where a linear function of the forces is largest.
//
//     y(tau) = argmax  tau c' y + sum over contacts of log( (mu N + e)^2 - |t|^2 )  +  log( limit - sum of the changes of N )
//
// with (N, t) = p_0 + Z y; log(N + e) where a contact has no friction of its own. As tau grows, c' y(tau) comes to the maximum
// with an error of (2 contacts + 1) / tau (Nesterov and Nemirovskii 1994). Newton's method, from the last point. e = kInside: cones
// a little wider than they are, so that p_0 is inside though it may lie on their surface, or though they may hold no more than a
// surface.
//
// Symbol   variable   meaning
//   Z      null       basis of what forces may change by, columns
//   p_0    share      N, then t
//
// Assumptions: numbers of about 1. Cost: contacts times unknowns squared, and a Cholesky factor, per Newton step; some 5 of them per
// power of ten of tau.
#pragma once

#include "stickslip/contact/canonical_share.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace stickslip::contact {

class ConeBarrier {
 public:
  static constexpr double kInside = 1e-12;

  // All must outlive this.
  ConeBarrier(const SharedLoad& load, const Eigen::VectorXd& share, const Eigen::MatrixXd& null);

  void set_limit(double limit) { limit_ = limit; }
  // y(tau) from y, which is inside; c of length 1. False: not reached (y is inside all the same).
  // How far c' y(tau) is from its largest value at most, times tau; with what Newton's method leaves.
  [[nodiscard]] double gap() const { return 1.2 * (2 * static_cast<double>(moves_.size()) + 1); }
  bool follow(const Eigen::VectorXd& c, double tau, Eigen::VectorXd& y);

 private:
  // The sum that is to be least at y; infinite outside.
  [[nodiscard]] double height(const Eigen::VectorXd& c, double tau, const Eigen::VectorXd& y);
  void slopes(const Eigen::VectorXd& c, double tau, const Eigen::VectorXd& y);

  const SharedLoad& load_;
  const Eigen::VectorXd& share_;
  const Eigen::MatrixXd& null_;
  double limit_ = 10;
  std::vector<bool> moves_;  // contacts whose force can change
  Eigen::VectorXd p_, sum_of_normals_, slope_, gradient_, step_, there_;
  Eigen::MatrixXd bent_, hessian_;  // bent_: Hessian by p, times Z
  Eigen::LDLT<Eigen::MatrixXd> factor_;
};

}  // namespace stickslip::contact
