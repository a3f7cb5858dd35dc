// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The Fischer-Burmeister function for boxes, its derivatives and its merit function.
//
//     phi(a, b) = a + b - sqrt(a^2 + b^2 + 2 mu^2)          mu = 0:  phi = 0  <=>  a >= 0, b >= 0, a b = 0
//                                                           mu > 0:  phi = 0  <=>  a > 0,  b > 0,  a b = mu^2
//     Phi_i = F_i                                           no bound
//             phi(x_i - l_i, F_i)                           lower bound only
//            -phi(u_i - x_i, -F_i)                          upper bound only
//             phi(x_i - l_i, -phi(u_i - x_i, -F_i))         both (Billups 1995)
//             x_i - l_i                                     l_i = u_i (fixed)
//     merit  Psi = 1/2 |Phi|^2
//
// With mu = 0 the MCP is Phi = 0; Phi is semismooth and Psi is continuously differentiable with gradient
// (D_x + D_f J)' Phi, where D_x, D_f are the diagonal matrices of the derivatives of Phi_i in x_i and F_i. At the kink
// a = b = 0 the element of the generalised derivative that belongs to the direction (1, 1) is taken.
//
// phi is evaluated without cancellation: (2 a b - 2 mu^2) / (a + b + sqrt(..)) where a + b > 0.
#pragma once

#include <cmath>

namespace stickslip::complementarity::fischer_burmeister {

struct PhiWithSlopes {
  double value = 0, dx = 0, df = 0;  // Phi_i and its derivatives in x_i and F_i
};

inline double phi(double a, double b, double mu) {
  const double h = mu == 0 ? std::hypot(a, b) : std::sqrt(a * a + b * b + 2 * mu * mu);
  const double sum = a + b;
  if (sum <= 0) return sum - h;
  // Divide first: a b may overflow where the quotient does not.
  return 2 * a * (b / (sum + h)) - 2 * mu * (mu / (sum + h));
}

inline PhiWithSlopes phi_with_derivatives(double a, double b, double mu) {
  constexpr double kKink = 1 - 0.70710678118654752440;
  const double h = mu == 0 ? std::hypot(a, b) : std::sqrt(a * a + b * b + 2 * mu * mu);
  if (h == 0) return {0, kKink, kKink};
  return {phi(a, b, mu), 1 - a / h, 1 - b / h};
}

inline double evaluate(double lower, double upper, double x, double f, double mu = 0) {
  if (lower == upper) return x - lower;
  const bool has_lower = std::isfinite(lower), has_upper = std::isfinite(upper);
  if (!has_lower && !has_upper) return f;
  const double inner = has_upper ? -phi(upper - x, -f, mu) : f;
  return has_lower ? phi(x - lower, inner, mu) : inner;
}

inline PhiWithSlopes evaluate_with_derivatives(double lower, double upper, double x, double f, double mu = 0) {
  if (lower == upper) return {x - lower, 1, 0};
  const bool has_lower = std::isfinite(lower), has_upper = std::isfinite(upper);
  PhiWithSlopes inner{f, 0, 1};
  if (has_upper) {
    const PhiWithSlopes v = phi_with_derivatives(upper - x, -f, mu);
    inner = {-v.value, v.dx, v.df};  // both arguments carry a minus sign, and so does phi
  }
  if (!has_lower) return inner;
  const PhiWithSlopes outer = phi_with_derivatives(x - lower, inner.value, mu);
  return {outer.value, outer.dx + outer.df * inner.dx, outer.df * inner.df};
}

}  // namespace stickslip::complementarity::fischer_burmeister
