// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A contact problem with the friction cone replaced by a pyramid of d sides, as an LCP (cone/pyramid.h has the
// equations).
//
// For the few contacts of a small scene the LCP's dense matrix is filled in place, block by block:
//     M = [ E' W E   c ]     E: normal and the d directions of each contact, c: slip speed against its directions
//         [ mu, -1   0 ]
// Larger problems go through make_pyramid. Every solve starts anew, so that a resumed run has the same bits.
// The certificate is affine_residual() of the LCP. Cost: O((n d)^2) to fill, then the pivoting.
#pragma once

#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/method.h"

#include <Eigen/Core>
#include <vector>

namespace stickslip::stepping {

class PyramidSolver {
 public:
  bool solve(const Method& method, contact::Island& island);

 private:
  void make_directions(int dimension, const Method& method);
  void layout(const complementarity::ContactProblem& problem);
  template <int D>
  void fill(const complementarity::ContactProblem& problem);
  template <int D>
  void take_impulses(const complementarity::ContactProblem& problem, std::vector<double>& r) const;

  complementarity::AffineSolver solver_;
  complementarity::AffineProblem lcp_;
  Eigen::VectorXd z_;
  int dimension_ = 0, count_ = 0, sides_ = 0;
  double angle_ = 0;
  std::vector<double> direction_;  // D - 1 numbers each
  std::vector<int> first_;         // unknown of each contact's p_n, one more at the end
  std::vector<double> half_;       // W_cd E_d of one pair
};

}  // namespace stickslip::stepping
