// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The surface f(x) = (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q = 1 with p, q > 1, in its own frame. A superellipse is the
// same in the plane z = 0 with q = 2.
#pragma once

#include "stickslip/collision/geometry.h"

namespace stickslip::collision {

// The point of the solid that is farthest along d (any length but zero): the gradient of the support function
//     h(d) = ((|a d_x|^p' + |b d_y|^p')^(q'/p') + |c d_z|^q')^(1/q'),  1/p + 1/p' = 1,  1/q + 1/q' = 1.
[[nodiscard]] Vec3 superellipsoid_support(const SmoothSurface& s, const Vec3& d);

struct ClosestPoint {
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitZ();  // outward
  double distance = 0;          // signed, negative inside
};

// The point of the surface closest to x. Inside it is the local one that continues the outside (right while x is less
// deep than the radius of curvature).
[[nodiscard]] ClosestPoint superellipsoid_closest(const SmoothSurface& s, const Vec3& x);

}  // namespace stickslip::collision
