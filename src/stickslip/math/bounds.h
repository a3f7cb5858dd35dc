// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A box along the axes that holds what was included; empty at first (low > high).
#pragma once

#include "stickslip/math/types.h"

#include <limits>

namespace stickslip {

struct Bounds {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;

  // A ball about x.
  void include(const Vec3& x, double radius = 0) {
    low = low.cwiseMin(x - Vec3::Constant(radius));
    high = high.cwiseMax(x + Vec3::Constant(radius));
  }
  // Boxes that share no more than a face overlap.
  [[nodiscard]] bool overlaps(const Bounds& other) const {
    return !((low.array() > other.high.array()).any() || (other.low.array() > high.array()).any());
  }
  [[nodiscard]] double size() const { return (high - low).norm(); }
};

}  // namespace stickslip
