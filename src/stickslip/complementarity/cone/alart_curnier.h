// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The contact law as an equation (Alart and Curnier 1991), and a smoothed version of it.
//
//     F(r) = r - P(z),   z = r - rho u(r)
//     frictional   P_n = max(0, z_n),  P_t = projection of z_t on the disc of radius mu P_n
//     support      P_n = given,        P_t = projection of z_t on the disc of radius mu given
//     bilateral    P = z               (so that F = rho u)
//
// With J = P'(z) and du = W dr, Newton's matrix is  F' = rho J W + (I - J). Separated contacts have J = 0: their rows
// are dr = -F and leave the linear system.
//
// Smoothed with a width e > 0 (Chen-Harker-Kanzow-Smale): z_n+ = (z_n + sqrt(z_n^2 + 4 e^2)) / 2, the same for the
// maximum m of the disc's radius R and a = sqrt(|z_t|^2 + e^2), and P_t = R z_t / m. P is then smooth, J invertible in
// the interior, and the limit e -> 0 is P.
//
// Symbol   meaning
//   r, u   impulse and relative velocity of a contact: normal, then tangents
//   rho    step of the map, > 0
//   mu     coefficient of friction; given: normal impulse of a support
//
// Cost: O(1) per contact.
#pragma once

#include "stickslip/complementarity/cone/one_contact.h"

#include <cmath>

namespace stickslip::complementarity {

// P and J at z. J may be null. Returns the mode that z stands for: Separate means J = 0, Stick J = I (a support, whose
// P_n is constant, never has that).
template <int D>
inline ContactMode project(ContactKind kind, double mu, double given, const double* z, double* P, double* J) {
  if (J)
    for (int k = 0; k < D * D; ++k) J[k] = 0;
  if (kind == ContactKind::Bilateral) {
    for (int k = 0; k < D; ++k) P[k] = z[k];
    if (J)
      for (int k = 0; k < D; ++k) J[k * D + k] = 1;
    return ContactMode::Stick;
  }
  const bool support = kind == ContactKind::Support;
  if (!support && z[0] <= 0) {
    for (int k = 0; k < D; ++k) P[k] = 0;
    return ContactMode::Separate;
  }
  P[0] = support ? given : z[0];
  if (J && !support) J[0] = 1;
  const double radius = mu * P[0], length = tangent_norm<D>(z);
  if (length <= radius) {
    for (int k = 1; k < D; ++k) P[k] = z[k];
    if (J)
      for (int k = 1; k < D; ++k) J[k * D + k] = 1;
    return support ? ContactMode::Slip : ContactMode::Stick;
  }
  const double shrink = radius / length;
  for (int k = 1; k < D; ++k) P[k] = shrink * z[k];
  if (J)
    for (int k = 1; k < D; ++k) {
      const double d_k = z[k] / length;
      if (!support) J[k * D] = mu * d_k;
      for (int l = 1; l < D; ++l) J[k * D + l] = shrink * ((k == l ? 1.0 : 0.0) - d_k * (z[l] / length));
    }
  return ContactMode::Slip;
}

// The smoothed P and J at z, width e > 0. J may be null.
template <int D>
inline void project_smoothed(ContactKind kind, double mu, double given, double e, const double* z, double* P,
                             double* J) {
  if (kind == ContactKind::Bilateral) {
    (void)project<D>(kind, mu, given, z, P, J);
    return;
  }
  if (J)
    for (int k = 0; k < D * D; ++k) J[k] = 0;
  double slope = 0;  // dP_n / dz_n
  if (kind == ContactKind::Support) {
    P[0] = given;
  } else {
    const double root = std::sqrt(z[0] * z[0] + 4 * e * e);
    P[0] = z[0] > 0 ? 0.5 * (z[0] + root) : 2 * e * e / (root - z[0]);
    slope = P[0] / root;
  }
  const double R = mu * P[0], length = tangent_norm<D>(z), a = std::sqrt(length * length + e * e);
  const double root = std::sqrt((R - a) * (R - a) + 4 * e * e), m = 0.5 * (R + a + root);
  const double dm_dR = 0.5 * (1 + (R - a) / root), dm_da = 1 - dm_dR;
  for (int k = 1; k < D; ++k) P[k] = R * z[k] / m;
  if (!J) return;
  J[0] = slope;
  for (int k = 1; k < D; ++k) {
    J[k * D] = mu * slope * z[k] * (1 / m - R * dm_dR / (m * m));
    for (int l = 1; l < D; ++l) J[k * D + l] = (k == l ? R / m : 0.0) - R * dm_da / (m * m * a) * z[k] * z[l];
  }
}

}  // namespace stickslip::complementarity
