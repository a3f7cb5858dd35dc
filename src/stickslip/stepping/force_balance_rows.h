// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The rows of force_balance.h: how bases and contacts act on the bodies at their two sides.
//
//     contact    +row on body a, -row on body b
//     base       T = 1 for its body, T = -(1, shifted by the lever) for the plane:  slip B = T v + bias
//     point      (p, r x p): its share of the base's wrench
#pragma once

#include "stickslip/stepping/force_balance.h"

#include <cmath>

namespace stickslip::stepping {

// Calls f(body, rows, sign) for the sides of a contact that move.
template <class F>
void for_sides(const ForceBalance::Link& link, F f) {
  if (link.a >= 0) f(link.a, link.row_a, 1.0);
  if (link.b >= 0) f(link.b, link.row_b, -1.0);
}

// Calls f(body, T) for the sides of a base that move.
template <class F>
void for_sides(const ForceBalance::Base& base, F f) {
  if (base.a >= 0) {
    constexpr double T[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    f(base.a, T);
  }
  if (base.b >= 0) {
    const double T[3][3] = {{-1, 0, base.lever[1]}, {0, -1, -base.lever[0]}, {0, 0, -1}};
    f(base.b, T);
  }
}

// w += (p, r x p)
inline void add_point(const ForceBalance::Point& point, const double* p, double* w) {
  w[0] += p[0];
  w[1] += p[1];
  w[2] += point.x * p[1] - point.y * p[0];
}

// Puts the force of a point back to `share` of its limit where it is beyond.
inline void cut_off(ForceBalance::Point& point, double share) {
  const double length = std::sqrt(point.p[0] * point.p[0] + point.p[1] * point.p[1]), most = share * point.limit;
  if (length > most)
    for (double& p : point.p) p *= most / length;
}

}  // namespace stickslip::stepping
