// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The certificate of a frictional contact problem, computed from the posed problem and r alone.
//
// Per contact, with the modified velocity u^ = (u_n + mu |u_t|, u_t), the defect of the natural map is
//
//     frictional   r_c - P_K(r_c - u^_c)                      P_K: projection on the cone |r_t| <= mu r_n
//     support      (r_n - given, r_t - P_disc(r_t - u_t))     disc of radius mu * given; u_n and q_n play no part
//     bilateral    u_c                                        (K is the whole space)
//
// natural   = |defect| / max(|q|, |r|, |u|)                   the corpus' error (Euclidean norms over all contacts)
// scaled    = (|defect'| + eps |r'|) / N                      in block-scaled variables r' = r / s, u' = s u, q' = s q,
//             s_c = (tr W_cc / D)^(-1/2), which have one unit (root of energy), so that it means the same for grams and
//             tonnes and for light contacts beside heavy ones. A contact with tr W_cc = 0 takes the mean trace of the
//             others.
//
// N = max(|q'|, |r'|, |u'|), but at most kImpulseCap |q'|: r and u are what is to be judged, and the corpus' error
// alone would certify any r that diverges inside the cones (jaws that close on a rigid part, which has no solution)
// once |r| is 1e8 times |q|. The given impulses of supports are data and count with q'. Where all data are zero, r = 0
// is a solution and the cap has no meaning.
//
// eps |r'| is what is lost in u' = W' r' + q' when the terms cancel (the blocks of W' have mean diagonal 1): an r so
// large that q' drowns in rounding would otherwise make u' = 0 by accident. It matters from |r'| = 1e8 N on.
//
// primal, dual, complementarity, cone: the largest violation of r_n >= 0 (or of the given r_n), of u_n >= 0 (of u = 0
// for
//             bilateral blocks), of r_n u_n = 0 and mu r_n |u_t| + r_t . u_t = 0, and of |r_t| <= mu r_n; all in the
//             scaled variables, over their largest norm (squared for the products).
// error     = max(natural, scaled): what the tolerance is compared with.
//
// For the global form u = H'v + R r + w, q = H' M^-1 f + w (the reduced form's), and both errors have the dynamics
// added: |M v - H r - f| / max(|f|, |M v|, |H r|).
//
// Assumptions: a well-formed problem (validate). Cost: one product with W; no allocation. Huge and tiny numbers are
// rescaled (the law is positively homogeneous); NaN or infinity in r gives an infinite error.
#pragma once

#include "stickslip/complementarity/cone/contact_problem.h"
#include "stickslip/complementarity/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace stickslip::complementarity {

constexpr double kImpulseCap = 10;

// The scaled error, from the sums of squares of defect', r', u' and q'; norm_floor: least norm to be relative to.
[[nodiscard]] inline double scaled_error(double defect, double rr, double uu, double qq, double norm_floor = 0) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const double largest = std::max({rr, uu, qq});
  const double norm = std::sqrt(qq > 0 ? std::min(largest, kImpulseCap * kImpulseCap * qq) : largest);
  const double lost = std::sqrt(defect) + kEpsilon * std::sqrt(rr);
  if (!std::isfinite(lost)) return Residual::kUnknown;
  return lost > 0 ? lost / std::max(norm, norm_floor) : 0.0;
}

[[nodiscard]] Residual contact_residual(const ContactProblem& problem, std::span<const double> r);

// What the global form's residual computes on the way; kept by who asks repeatedly, so that nothing is allocated.
struct GlobalResidualWorkspace {
  Eigen::VectorXd Mv, Hr, u;
};

// block_trace (tr W_cc, one per contact) and q of the reduced problem (reduction.h), which the scaled error needs.
// Without q the scaled error is relative to r' and u' alone, and thus stricter.
[[nodiscard]] Residual contact_residual(const GlobalContactProblem& problem, std::span<const double> r,
                                        const Eigen::VectorXd& v, std::span<const double> block_trace,
                                        std::span<const double> q = {});
[[nodiscard]] Residual contact_residual(const GlobalContactProblem& problem, std::span<const double> r,
                                        const Eigen::VectorXd& v, std::span<const double> block_trace,
                                        std::span<const double> q, GlobalResidualWorkspace& workspace);

// The scale s_c of each contact from the traces of the diagonal blocks (in and out: scale[c] = tr W_cc on entry).
void block_scales(int dimension, std::span<double> scale);

template <int D>
[[nodiscard]] inline double tangent_norm(const double* x) {
  if constexpr (D == 2)
    return std::fabs(x[1]);
  else
    return std::sqrt(x[1] * x[1] + x[2] * x[2]);
}

// Squared norm of the natural map's defect of one contact, as defined above.
template <int D>
[[nodiscard]] inline double natural_defect_squared(ContactKind kind, double mu, double given, const double* r,
                                                   const double* u) {
  double defect[D];
  if (kind == ContactKind::Bilateral) {
    for (int k = 0; k < D; ++k) defect[k] = u[k];
  } else if (kind == ContactKind::Support) {
    double z[D];
    for (int k = 1; k < D; ++k) z[k] = r[k] - u[k];
    const double length = tangent_norm<D>(z), radius = mu * given;
    const double shrink = length > radius ? radius / length : 1.0;
    defect[0] = r[0] - given;
    for (int k = 1; k < D; ++k) defect[k] = r[k] - shrink * z[k];
  } else {
    double z[D], p[D] = {};
    z[0] = r[0] - u[0] - mu * tangent_norm<D>(u);
    for (int k = 1; k < D; ++k) z[k] = r[k] - u[k];
    const double length = tangent_norm<D>(z);
    if (z[0] >= 0 && length <= mu * z[0]) {  // the sign matters for mu = 0, where the product may be -0
      for (int k = 0; k < D; ++k) p[k] = z[k];
    } else if (mu * length > -z[0]) {
      p[0] = (z[0] + mu * length) / (1 + mu * mu);
      for (int k = 1; k < D; ++k) p[k] = mu * p[0] * z[k] / length;
    }
    for (int k = 0; k < D; ++k) defect[k] = r[k] - p[k];
  }
  double sum = 0;
  for (int k = 0; k < D; ++k) sum += defect[k] * defect[k];
  return sum;
}

}  // namespace stickslip::complementarity
