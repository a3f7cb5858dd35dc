// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Closest points of two convex bodies that are known by their support points only (Gilbert, Johnson and Keerthi).
#pragma once

#include "stickslip/math/types.h"

#include <functional>

namespace stickslip::collision {

// The point of a body that is farthest along a direction (of any length but zero).
using SupportFunction = std::function<Vec3(const Vec3& direction)>;

struct ConvexDistance {
  bool apart = false;
  double distance = 0;
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();  // from b to a
};

[[nodiscard]] ConvexDistance convex_distance(const SupportFunction& a, const SupportFunction& b, const Vec3& start);

}  // namespace stickslip::collision
