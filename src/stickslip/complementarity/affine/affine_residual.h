// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The certificate of an affine problem: how far z is from a solution, computed from M, q and the bounds alone.
//
//     w         = M z + q
//     e_i       = z_i - mid(lower_i, upper_i, z_i - w_i)                        natural map; 0 exactly at solutions
//     natural   = |e|_inf / (1 + |q|_inf)                                       as the corpus format defines
//     scaled    = |e'|_inf / max(|q'|, |z'|, |w'|)_inf,                         the same map in unit-free variables
//                 z' = a z,  w' = w / a,  q' = q / a,  bounds' = a bounds,  a = sqrt(max |M_ij|)
//     error     = max(natural, scaled)
//
// `natural` adds z and w although they carry different units: with impulses of 1e-6 it is small for any z near 0.
// `scaled` does not change when the units of z or w do. The maximum in `a` is taken over the columns with z_j != 0 (all
// other columns play no part in w), and 0/0 counts as 0.
//
// Parts (all relative to max(|q|, |w|) or |z|; each is 0 at a solution): primal = bounds violated, dual = sign of w
// violated, complementarity = distance from the bound times w.
//
// Cost: one product with the columns of M where z_j != 0. No allocation once the workspace has its size.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/summary.h"

#include <Eigen/Core>
#include <vector>

namespace stickslip::complementarity {

struct ResidualWorkspace {
  std::vector<double> w;  // after the call: M z + q
};

[[nodiscard]] Residual affine_residual(const AffineProblem& problem, const Eigen::VectorXd& z,
                                       ResidualWorkspace& workspace);
[[nodiscard]] Residual affine_residual(const AffineProblem& problem, const Eigen::VectorXd& z);

}  // namespace stickslip::complementarity
