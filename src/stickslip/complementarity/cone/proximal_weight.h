// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The proximal weight alpha of each contact in Newton's matrix: one for all, or one per contact.
#pragma once

namespace stickslip::complementarity {

struct ProximalWeight {
  double all = 0;
  const double* own = nullptr;  // one per contact, instead of `all`

  ProximalWeight(double alpha = 0) : all(alpha) {}  // NOLINT(google-explicit-constructor): a number is one for all
  explicit ProximalWeight(const double* alpha) : own(alpha) {}
  double operator[](int contact) const { return own ? own[contact] : all; }
};

}  // namespace stickslip::complementarity
