// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The certificate of contact_residual.h for one frictional contact, in a fixed size: the same formulas, for steppers
// whose step is short beside the general function. A contact alone has no neighbours to hide behind: its local error
// adds nothing to the others.
#pragma once

#include "stickslip/complementarity/cone/contact_residual.h"

#include <algorithm>
#include <cmath>

namespace stickslip::complementarity {

// Residual::error of contact_residual() for a single frictional contact, u = W r + q, in a fixed size. Numbers whose
// squares would leave the range of double give an infinite error: contact_residual() rescales them.
template <int D>
[[nodiscard]] inline double one_contact_error(double mu, const double* W, const double* q, const double* r) {
  constexpr double kSafeLow = 1e-280, kSafeHigh = 1e280;  // of squared norms
  double u[D], rr = 0, uu = 0, qq = 0, trace = 0;
  for (int k = 0; k < D; ++k) {
    u[k] = q[k];
    for (int l = 0; l < D; ++l) u[k] += W[k * D + l] * r[l];
    rr += r[k] * r[k];
    uu += u[k] * u[k];
    qq += q[k] * q[k];
    trace += std::fabs(W[k * D + k]);
  }
  const double largest = std::max({rr, uu, qq});
  const double response = trace > 0 ? trace / D : 1.0;  // 1 / s^2
  const double scaled_largest = std::max({rr * response, uu / response, qq / response});
  if (!(largest > kSafeLow && largest < kSafeHigh && scaled_largest > kSafeLow && scaled_largest < kSafeHigh))
    return Residual::kUnknown;
  const double natural = natural_defect_squared<D>(ContactKind::Frictional, mu, 0, r, u);
  const double s = 1 / std::sqrt(response), inverse = 1 / s;
  double r_scaled[D], u_scaled[D];
  for (int k = 0; k < D; ++k) r_scaled[k] = r[k] * inverse, u_scaled[k] = u[k] * s;
  const double defect = separated_defect_squared<D>(ContactKind::Frictional, mu, 0, r_scaled, u_scaled);
  const double scaled = scaled_error(defect, rr * response, uu / response, qq / response);
  return std::max(natural > 0 ? std::sqrt(natural / largest) : 0.0, scaled);
}

}  // namespace stickslip::complementarity
