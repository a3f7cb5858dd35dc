// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The problem of a single contact, u = W r + q, solved exactly (to rounding).
//
//   separate   q_n >= 0                                r = 0
//   stick      r = -W^-1 q lies in the cone
//   slip       u_n = 0, u_t = -g r_t with g > 0, |r_t| = mu r_n
//
// Eliminating r_n with u_n = 0 leaves the tangential system, in which stick is g = 0:
//
//     (S + g I) r_t = -b,   S = W_tt - W_tn W_nt / W_nn,   b = q_t - W_tn q_n / W_nn
//     r_n = a_0 + a . r_t,  a_0 = -q_n / W_nn,   a = -W_nt / W_nn
//
// and slip is the root of h(g) = mu r_n(g) / |r_t(g)| - 1. With W positive semidefinite and stick excluded, h(0) < 0
// and h -> +inf, so a root exists; h is nearly linear, so a Newton iteration inside the bracket takes a few steps. A
// support is the same system with r_n given: a_0 = given, a = 0, S = W_tt, b = q_t + W_tn given. In the plane all is
// closed form.
//
// A tiny multiple of the trace is added to S, which makes a zero row of W harmless: where b is zero as well, r_t = 0.
// Assumptions: W_nn >= 0 and S positive semidefinite up to rounding. W need not be symmetric. Cost: some 20-100 ns.
#pragma once

#include "stickslip/complementarity/cone/contact_residual.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace stickslip::complementarity {

enum class ContactMode : std::uint8_t { Separate, Stick, Slip };

// Relative to the block's trace: far below any tolerance, far above underflow.
constexpr double kTangentRegularisation = 1e-15;

// The tangential system of the header comment, with r_n = a0 + a . r_t.
template <int D>
struct TangentSystem {
  double S[(D - 1) * (D - 1)], b[D - 1], a0, a[D - 1];
  double mu, regularisation;
};

[[nodiscard]] inline ContactMode solve_tangent(const TangentSystem<2>& t, double* r, double& /*slip_rate*/) {
  const double r_t = -t.b[0] / (t.S[0] + t.regularisation), r_n = t.a0 + t.a[0] * r_t;
  if (t.b[0] == 0 || std::fabs(r_t) <= t.mu * r_n) {
    r[0] = std::max(0.0, t.b[0] == 0 ? t.a0 : r_n);
    r[1] = t.b[0] == 0 ? 0.0 : r_t;
    return ContactMode::Stick;
  }
  const double sign = t.b[0] > 0 ? -1.0 : 1.0;
  const double slope = 1 - t.mu * t.a[0] * sign;  // |r_t| = mu (a0 + a sign |r_t|)
  const double length = slope > 0 ? t.mu * t.a0 / slope : std::fabs(r_t);
  r[0] = std::max(0.0, t.a0 + t.a[0] * sign * length);
  r[1] = sign * t.mu * r[0];
  return ContactMode::Slip;
}

// slip_rate: g of the last solution of this contact (0: none), where the search starts; overwritten with the new one.
//
// With the adjugate, r_t = t / det, t = -adj(S + g I) b, and h = N / |t| - 1 with N = mu (a_0 det + a . t); t' = -b and
// det' = trace of S + g I, so that a Newton step costs one root and one division.
[[nodiscard]] inline ContactMode solve_tangent(const TangentSystem<3>& s, double* r, double& slip_rate) {
  const double S11 = s.S[0], S12 = s.S[1], S21 = s.S[2], S22 = s.S[3], b1 = s.b[0], b2 = s.b[1];
  const double b_squared = b1 * b1 + b2 * b2;
  if (b_squared == 0) {
    r[0] = s.a0, r[1] = r[2] = 0;
    return ContactMode::Stick;
  }
  double t1 = 0, t2 = 0, det = 0, N = 0;  // at the current g
  const auto evaluate = [&](double g) {
    const double d1 = S11 + g, d2 = S22 + g;
    det = d1 * d2 - S12 * S21;
    t1 = S12 * b2 - d2 * b1;
    t2 = S21 * b1 - d1 * b2;
    N = s.mu * (s.a0 * det + s.a[0] * t1 + s.a[1] * t2);
  };
  evaluate(s.regularisation);
  if (det > 0 && N >= 0 && t1 * t1 + t2 * t2 <= N * N) {
    const double inverse = 1 / det;
    r[1] = t1 * inverse, r[2] = t2 * inverse;
    r[0] = std::max(0.0, s.a0 + s.a[0] * r[1] + s.a[1] * r[2]);
    return ContactMode::Stick;
  }

  constexpr int kMaxIterations = 80;
  constexpr double kNearlyThere = 1e-8;  // the next step, which is of second order, ends at rounding
  const double infinity = std::numeric_limits<double>::infinity(), trace = S11 + S22;
  const double a_dot_b = s.a[0] * b1 + s.a[1] * b2;
  double low = 0, high = infinity, g = slip_rate;
  // Exact where the block is isotropic, as for spheres.
  const bool isotropic = std::fabs(S11 - S22) + std::fabs(S12) + std::fabs(S21) < 1e-3 * trace &&
                         s.mu * (std::fabs(s.a[0]) + std::fabs(s.a[1])) < 1e-3;
  if (isotropic || !(g > 0)) g = std::max(std::sqrt(b_squared) / (s.mu * s.a0) - 0.5 * trace, 1e-3 * trace);
  if (!(g > 0 && g < infinity)) g = trace > 0 ? trace : 1.0;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    evaluate(g);
    const double squared = t1 * t1 + t2 * t2, length = std::sqrt(squared), gap = N - length;
    (gap > 0 ? high : low) = g;
    const double N_derivative = s.mu * (s.a0 * (trace + 2 * g) - a_dot_b);
    const double step = gap * squared / (N_derivative * squared + N * (t1 * b1 + t2 * b2));
    double next = g - step;
    const bool inside = next > low && next < high;
    if (inside && std::fabs(gap) <= kNearlyThere * length) {
      g = next;
      break;
    }
    if (!inside) next = high < infinity ? 0.5 * (low + high) : 8 * g;
    if (next == g) break;
    g = next;
  }
  evaluate(g);
  slip_rate = g;
  const double length = std::sqrt(t1 * t1 + t2 * t2);
  r[0] = std::max(0.0, s.a0 + (s.a[0] * t1 + s.a[1] * t2) / det);
  const double onto_cone = length > 0 ? s.mu * r[0] / length : 0.0;
  r[1] = onto_cone * t1, r[2] = onto_cone * t2;
  return ContactMode::Slip;
}

template <int D>
[[nodiscard]] inline double block_trace(const double* W) {
  return D == 2 ? W[0] + W[3] : W[0] + W[4] + W[8];
}

template <int D>
[[nodiscard]] inline ContactMode solve_frictional_contact(const double* W, const double* q, double mu, double* r,
                                                          double& slip_rate) {
  constexpr int T = D - 1;
  for (int k = 0; k < D; ++k) r[k] = 0;
  if (q[0] >= 0 || !(W[0] > 0)) return ContactMode::Separate;
  TangentSystem<D> t;
  const double inverse = 1 / W[0];
  t.mu = mu;
  t.a0 = -q[0] * inverse;
  if (mu == 0) {
    r[0] = t.a0;
    return ContactMode::Slip;
  }
  t.regularisation = kTangentRegularisation * block_trace<D>(W);
  for (int k = 0; k < T; ++k) t.a[k] = -W[k + 1] * inverse;
  for (int k = 0; k < T; ++k) {
    t.b[k] = q[k + 1] + W[(k + 1) * D] * t.a0;
    for (int l = 0; l < T; ++l) t.S[k * T + l] = W[(k + 1) * D + l + 1] + W[(k + 1) * D] * t.a[l];
  }
  return solve_tangent(t, r, slip_rate);
}

template <int D>
[[nodiscard]] inline ContactMode solve_support_contact(const double* W, const double* q, double mu, double given,
                                                       double* r, double& slip_rate) {
  constexpr int T = D - 1;
  for (int k = 1; k < D; ++k) r[k] = 0;
  r[0] = given;
  if (!(mu * given > 0)) return ContactMode::Slip;
  TangentSystem<D> t;
  t.mu = mu;
  t.a0 = given;
  t.regularisation = kTangentRegularisation * block_trace<D>(W);
  for (int k = 0; k < T; ++k) {
    t.a[k] = 0;
    t.b[k] = q[k + 1] + W[(k + 1) * D] * given;
    for (int l = 0; l < T; ++l) t.S[k * T + l] = W[(k + 1) * D + l + 1];
  }
  return solve_tangent(t, r, slip_rate);
}

// Inverse of a D x D block; false when it is singular to working precision.
template <int D>
[[nodiscard]] inline bool invert_block(const double* a, double* inverse) {
  if constexpr (D == 2) {
    const double det = a[0] * a[3] - a[1] * a[2];
    if (!(std::fabs(det) > 0)) return false;
    const double f = 1 / det;
    inverse[0] = a[3] * f, inverse[1] = -a[1] * f, inverse[2] = -a[2] * f, inverse[3] = a[0] * f;
  } else {
    const double c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8], c2 = a[3] * a[7] - a[4] * a[6];
    const double det = a[0] * c0 + a[1] * c1 + a[2] * c2;
    if (!(std::fabs(det) > 0)) return false;
    const double f = 1 / det;
    inverse[0] = c0 * f, inverse[1] = (a[2] * a[7] - a[1] * a[8]) * f, inverse[2] = (a[1] * a[5] - a[2] * a[4]) * f;
    inverse[3] = c1 * f, inverse[4] = (a[0] * a[8] - a[2] * a[6]) * f, inverse[5] = (a[2] * a[3] - a[0] * a[5]) * f;
    inverse[6] = c2 * f, inverse[7] = (a[1] * a[6] - a[0] * a[7]) * f, inverse[8] = (a[0] * a[4] - a[1] * a[3]) * f;
  }
  return true;
}

// The step from r that closes a bilateral block; regularised, so that directions that W cannot move stay as they are.
template <int D>
inline void solve_bilateral_block(const double* W, const double* q, double* r) {
  constexpr double kRegularisation = 1e-12;  // relative to the trace; only slows the convergence of singular blocks
  double A[D * D], inverse[D * D], u[D];
  const double shift = kRegularisation * block_trace<D>(W);
  for (int k = 0; k < D; ++k) {
    u[k] = q[k];
    for (int l = 0; l < D; ++l) u[k] += W[k * D + l] * r[l], A[k * D + l] = W[k * D + l] + (k == l ? shift : 0.0);
  }
  if (!invert_block<D>(A, inverse)) return;
  for (int k = 0; k < D; ++k)
    for (int l = 0; l < D; ++l) r[k] -= inverse[k * D + l] * u[l];
}

// Dispatch on the kind of contact. r: the previous impulse (read for bilateral blocks only), overwritten.
template <int D>
inline void solve_one_contact(ContactKind kind, double mu, double given, const double* W, const double* q, double* r,
                              double& slip_rate) {
  if (kind == ContactKind::Frictional)
    (void)solve_frictional_contact<D>(W, q, mu, r, slip_rate);
  else if (kind == ContactKind::Support)
    (void)solve_support_contact<D>(W, q, mu, given, r, slip_rate);
  else
    solve_bilateral_block<D>(W, q, r);
}

}  // namespace stickslip::complementarity
