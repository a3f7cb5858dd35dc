// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A visco-elastic contact over one step, as terms of the contact problem u = W r + q (Song, Trinkle, Kumar and Pang
// 2004, equations 11-14).
//
//     lambda = K delta + C delta',   backward Euler:   delta+ = (p + C delta) / (h K + C),   p = h lambda
//     normal      0 <= p_n  _|_  (psi+ + delta+) / h >= 0
//     tangential  slip s = u_t + (delta_t+ - delta_t) / h,  friction dissipates most against s
//
// Both are linear in p with the same factor, so compliance is a diagonal term of W and a constant in q:
//
//     R = 1 / (h (h K + C)),   b_n = delta+(p=0) / h,   b_t = (delta_t+(p=0) - delta_t) / h
//
// Symbol   variable                              meaning
//   K, C   stiffness, damping                    of one direction; both zero: rigid, R = 0 and b = 0
//   delta  ContactMemory::deformation, shear     at the start of the step; an open contact's relaxes (p = 0)
//
// Cost: O(1) per contact and direction.
#pragma once

#include "stickslip/model/model.h"

namespace stickslip::contact {

struct SpringDamper {
  double K = 0, C = 0, h = 0;

  [[nodiscard]] bool rigid() const { return K == 0 && C == 0; }
  [[nodiscard]] double compliance() const { return rigid() ? 0.0 : 1 / (h * (h * K + C)); }
  // The deformation at the end of the step.
  [[nodiscard]] double next(double p, double delta) const { return rigid() ? 0.0 : (p + C * delta) / (h * K + C); }
  [[nodiscard]] double normal_term(double delta) const { return next(0, delta) / h; }
  [[nodiscard]] double tangential_term(double delta) const { return rigid() ? 0.0 : (next(0, delta) - delta) / h; }
};

[[nodiscard]] inline SpringDamper normal_spring(const model::Compliance& c, double h) {
  return {c.stiffness_normal, c.damping_normal, h};
}
[[nodiscard]] inline SpringDamper tangential_spring(const model::Compliance& c, double h) {
  return {c.stiffness_tangential, c.damping_tangential, h};
}
[[nodiscard]] inline bool is_compliant(const model::Compliance& c) {
  return !(c == model::Compliance{});
}

}  // namespace stickslip::contact
