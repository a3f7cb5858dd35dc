// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The certificate of a frictional contact problem, computed from the posed problem and r alone.
//
// Per contact the law is measured by two maps, each zero exactly where the law holds:
//
//                  natural (defect N)                           separated (defect S)
//     frictional   r_c - P_K(r_c - u^_c)                        ( min(r_n, u_n),  r_t - P_disc(mu r_n+)(r_t - u_t) )
//     support      (r_n - given, r_t - P_disc(r_t - u_t))       the same
//     bilateral    u_c                                          the same
//
// u^ = (u_n + mu |u_t|, u_t); P_K: projection on the cone |r_t| <= mu r_n; P_disc(a): on the disc of radius a (for a
// support mu given; its u_n and q_n play no part); x+ = max(x, 0).
//
// natural   = |N| / max(|q|, |r|, |u|)                        the corpus' error (Euclidean norms over all contacts)
// scaled    = (|S'| + eps |r'|) / n                           in block-scaled variables r' = r / s, u' = s u, q' = s q,
//             s_c = (tr W_cc / D)^(-1/2), which have one unit (root of energy), so that it means the same for grams and
//             tonnes. A contact with tr W_cc = 0 takes the mean trace of the others.
// local     = max_c |S'_c| / max(size_c, kNoise s_c V)        each contact by the numbers that meet in it:
//             size_c = |q'_c| + |r'_c| + sum_j |W'_cj| |r'_j|; V: root mean square of the contacts' q
// error     = max(natural, scaled, kLocalShare local)         what the tolerance is compared with
//
// n = max(|q'|, |r'|, |u'|), but at most kImpulseCap |q'|.
//
// How could the error be small while the law is violated?
//   1. By friction that divides it. The natural map judges u_n + mu |u_t| at once: with mu = 1e8, r = 0, u = (-1, 2)
//      it is 1e-8, and a body falls through the floor. In S the normal part, min(r_n, u_n), knows no mu; the tangential
//      part compares |r_t| with mu r_n, both of them impulses. S = 0 says r_n >= 0, u_n >= 0, one of them 0, |r_t| <=
//      mu r_n, and u_t = 0 or r_t = -mu r_n u_t / |u_t|. Conversely u_n >= -|S|, r_n >= -|S|, min(r_n, u_n) <= |S|,
//      |r_t| <= mu r_n+ + |S|, and a point within |S| of r_t is what maximal dissipation demands for u_t. Above
//      kLargestNaturalMu the natural map, which there multiplies |u_t| by mu, would refuse what sticks to rounding: S
//      takes its place.
//   2. By r, which is to be judged, in the denominator: any r that diverges inside the cones (jaws that close on a part
//      that does not yield, which has no solution) would do once |r| is 1e8 times |q|. Hence the cap of n by the data.
//      The given impulses of supports are data and count with q'. Where all data are zero, r = 0 is a solution and the
//      cap has no meaning.
//   3. By rounding: an r so large that q' drowns in u' = W' r' + q' makes u' = 0 by accident. eps |r'| is what is lost
//      there (the blocks of W' have mean diagonal 1). It matters from |r'| = 1e8 n on.
//   4. By other contacts: a gram beside a tonne has 1e-6 of |q'|^2, and a norm over all contacts does not see it fall
//      through its floor. Hence the local error; with kLocalShare = 1e-3 and a tolerance of 1e-8 no contact violates
//      its law by more than 1e-5 of what meets in it. Where only velocities below kNoise V meet, the bound
//      is 1e-5 kNoise V: the data themselves have rounding.
//   5. By units: r - u adds impulses to velocities. In block-scaled variables both are roots of energy.
//   6. By overflow, underflow or NaN: sums whose squares leave the range of double are formed again with r and q
//      rescaled (the law is positively homogeneous); anything that is not finite gives an infinite error.
//
// primal, dual, complementarity, cone: the largest violation of r_n >= 0 (or of the given r_n), of u_n >= 0 (u = 0 for
//             bilateral blocks), of r_n u_n = 0 and of maximal dissipation, and of |r_t| <= mu r_n; all in the scaled
//             variables, over their largest norm (squared for the products). Power that friction does not dissipate:
//             |r_t| |u_t| + r_t . u_t (direction) + |u_t| min(mu r_n - |r_t|, |r_t| + |u_t|)+ (size).
//
// For the global form u = H'v + R r + w, q = H' M^-1 f + w (the reduced form's), and all errors have the dynamics
// added: |M v - H r - f| / max(|f|, |M v|, |H r|), and to the local error row by row,
// |M v - H r - f|_i / (|f|_i + |M||v|_i + |H||r|_i): a light body must obey its own balance.
//
// Assumptions: a well-formed problem (validate). Cost: one product with W, a second one where a contact looks violated
// by its own measure; no allocation.
#pragma once

#include "stickslip/complementarity/cone/contact_problem.h"
#include "stickslip/complementarity/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace stickslip::complementarity {

constexpr double kImpulseCap = 10;
constexpr double kLargestNaturalMu = 1e3;
constexpr double kLocalShare = 1e-3, kNoise = 1e-4;

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

// What the global form's residual computes on the way; kept by callers that ask repeatedly, so that nothing is allocated.
struct GlobalResidualWorkspace {
  Eigen::VectorXd Mv, Hr, u, size;
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

// Squared norm of the separated map's defect S of one contact.
template <int D>
[[nodiscard]] inline double separated_defect_squared(ContactKind kind, double mu, double given, const double* r,
                                                     const double* u) {
  double sum = 0;
  if (kind == ContactKind::Bilateral) {
    for (int k = 0; k < D; ++k) sum += u[k] * u[k];
    return sum;
  }
  const bool support = kind == ContactKind::Support;
  double z[D];
  for (int k = 1; k < D; ++k) z[k] = r[k] - u[k];
  const double length = tangent_norm<D>(z), radius = mu * (support ? given : std::max(r[0], 0.0));
  const double shrink = length > radius ? radius / length : 1.0;
  const double normal = support ? r[0] - given : std::min(r[0], u[0]);
  sum = normal * normal;
  for (int k = 1; k < D; ++k) {
    const double defect = r[k] - shrink * z[k];
    sum += defect * defect;
  }
  return sum;
}

// Squared norm of the natural map's defect N of one contact; of S where mu is too large for it.
template <int D>
[[nodiscard]] inline double natural_defect_squared(ContactKind kind, double mu, double given, const double* r,
                                                   const double* u) {
  if (kind != ContactKind::Frictional || mu > kLargestNaturalMu)
    return separated_defect_squared<D>(kind, mu, given, r, u);
  double defect[D], z[D], p[D] = {};
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
  double sum = 0;
  for (int k = 0; k < D; ++k) sum += defect[k] * defect[k];
  return sum;
}

}  // namespace stickslip::complementarity
