// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A contact problem with the friction cone replaced by a pyramid of d sides, as an LCP (cone/pyramid.h has the
// equations). Every solve starts anew, so that a resumed run has the same bits. The certificate is affine_residual() of
// the LCP.
#pragma once

#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/cone/pyramid.h"
#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/method.h"

#include <Eigen/Core>

namespace stickslip::stepping {

class PyramidSolver {
 public:
  bool solve(const Method& method, contact::Island& island);

 private:
  complementarity::PyramidBuilder builder_;
  complementarity::PyramidForm form_;
  complementarity::AffineSolver solver_;
  Eigen::VectorXd z_;
};

}  // namespace stickslip::stepping
