// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Gap, points and normal of a given pair of features: what `find` fills in after its search, and all of `refresh`.
#pragma once

#include "stickslip/collision/geometry.h"

namespace stickslip::collision {

// normal points from b into a, gap = normal . (point_a - point_b), negative when the features have passed each other.
struct Placement {
  double gap = std::numeric_limits<double>::infinity();
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero(), normal = Vec3::UnitZ();
};

// One shape at its place.
struct Placed {
  const Geometry& geometry;
  const BodyFrame& frame;
};

// A vertex x (rounding radius_a) over the plane with normal n (world) and offset about `origin` (rounding radius_b).
[[nodiscard]] inline Placement place_over_plane(const Vec3& x, double radius_a, const Vec3& n, const Vec3& origin,
                                                double offset, double radius_b) {
  const double distance = n.dot(x - origin) - offset;
  const Vec3 foot = x - distance * n;
  return {distance - radius_a - radius_b, x - radius_a * n, foot + radius_b * n, n};
}

// Unit normal of two unit directions, either sign; false when they are parallel to rounding. For small angles it is
// made square to their mean, so that what rounding leaves of its error turns it about the edges and hardly changes a
// gap.
[[nodiscard]] bool common_normal(const Vec3& u, const Vec3& v, Vec3& n);

// `side` is the normal that the pair had before (or that the search found): where the features alone leave the sign of
// the normal open (vertex-vertex, vertex-edge, edge-edge), the new one points into the same half-space, so that a pair
// that has passed through each other gets a negative gap instead of a turned normal.
[[nodiscard]] Placement evaluate(const Placed& a, FeatureCode feature_a, const Placed& b, FeatureCode feature_b,
                                 const Vec3& side);

}  // namespace stickslip::collision
