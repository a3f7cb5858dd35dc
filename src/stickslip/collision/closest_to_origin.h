// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The point of a segment or a triangle that is closest to the origin, with its weights on the corners.
#pragma once

#include "stickslip/math/types.h"

#include <algorithm>
#include <array>
#include <limits>

namespace stickslip::collision {

struct ClosestToOrigin {
  Vec3 v = Vec3::Zero();
  std::array<double, 4> weight{};  // sum 1, none negative
};

inline ClosestToOrigin closest_on_segment(const Vec3& a, const Vec3& b) {
  const Vec3 u = b - a;
  const double length = u.squaredNorm();
  const double t = length > 0 ? std::clamp(-a.dot(u) / length, 0.0, 1.0) : 0.0;
  return {a + t * u, {1 - t, t, 0, 0}};
}

inline ClosestToOrigin closest_on_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a);
  const double area = n.squaredNorm();
  if (area > 0) {
    const double wa = b.cross(c).dot(n), wb = c.cross(a).dot(n), wc = area - wa - wb;
    if (wa >= 0 && wb >= 0 && wc >= 0) return {a.dot(n) / area * n, {wa / area, wb / area, wc / area, 0}};
  }
  ClosestToOrigin best;
  double smallest = std::numeric_limits<double>::infinity();
  const auto take = [&](const ClosestToOrigin& side, std::size_t i, std::size_t j) {
    if (side.v.squaredNorm() >= smallest) return;
    smallest = side.v.squaredNorm();
    best = ClosestToOrigin{side.v, {}};
    best.weight[i] = side.weight[0];
    best.weight[j] = side.weight[1];
  };
  take(closest_on_segment(a, b), 0, 1);
  take(closest_on_segment(b, c), 1, 2);
  take(closest_on_segment(c, a), 2, 0);
  return best;
}

}  // namespace stickslip::collision
