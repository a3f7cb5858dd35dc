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
//     local     = max_i of the larger of                                        each row by the numbers that meet in it
//                   effect_i(distance of z_i outside its bounds),
//                   min( |w_i| / R_i, effect_i(distance of z_i from the bound that the sign of w_i demands) )
//                 R_i = max(|q_i|, kNoise |q|_inf) + sum_j |M_ij| |z_j|,   effect_i(d) = max_j |M_ji| d / R_j
//     error     = max(natural, scaled, kLocalShare local),     kLocalShare = 1e-3, kNoise = 1e-4
//
// How could the error be small while the law is violated?
//   1. By units: `natural` adds z and w although they carry different ones: with impulses of 1e-6 it is small for any z
//      near 0. `scaled` does not change when the units of z or w do. The maximum in `a` is taken over the columns with
//      z_j != 0 (all other columns play no part in w), and 0/0 counts as 0.
//   2. By one large entry of M or z: a row of friction with mu = 1e9 makes a = 3e4, and a velocity violated in full is
//      1e-9 of the largest z'. Light bodies beside heavy ones likewise. `local` holds |w_i| against the terms of its
//      own row, and a z_i off its bound against what it changes anywhere; it is the same after any scaling of rows and
//      columns, but for the floor: rows of numbers below kNoise |q|_inf are held against that, since data have
//      rounding. With a tolerance of 1e-8 a row violates its law by at most 1e-5 R_i.
//   3. By rounding in w: a z so large that q drowns makes w = 0 by accident. Then R_i is as large, and the answer is as
//      good as any with these numbers: a backward error of 1e-16 in M. It is not refused.
//   4. By NaN or overflow: they give an infinite error.
//
// Parts (all relative to max(|q|, |w|) or |z|; each is 0 at a solution): primal = bounds violated, dual = sign of w
// violated, complementarity = distance from the bound times w.
//
// Cost: one product with the columns of M where z_j != 0; a second one where a row looks violated. No allocation once
// the workspace has its size.
#pragma once

#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/summary.h"

#include <Eigen/Core>
#include <vector>

namespace stickslip::complementarity {

struct ResidualWorkspace {
  std::vector<double> w;      // after the call: M z + q
  std::vector<double> sizes;  // R_i, where they were needed
};

[[nodiscard]] Residual affine_residual(const AffineProblem& problem, const Eigen::VectorXd& z,
                                       ResidualWorkspace& workspace);
[[nodiscard]] Residual affine_residual(const AffineProblem& problem, const Eigen::VectorXd& z);

}  // namespace stickslip::complementarity
