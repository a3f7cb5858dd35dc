// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pairs in which at least one shape is curved beyond a rounding: cylinder, superellipse, superellipsoid.
//
// Features: smooth 0 is the whole surface of a superellipse or superellipsoid, wherever it is closest to the other
// feature. Smooth 0 of any other convex shape is that shape as a whole, smooth 1 + i of a concave polyhedron
// its convex part i. A cylinder has smooth 1 and 2, its top
// and bottom rim; faces 0 and 1, its caps; edge 0, its side (the axis, rounded by the radius); and vertices, points of
// the rims (geometry.h).
#pragma once

#include "stickslip/collision/evaluate.h"

namespace stickslip::collision {

// Of the smaller radius: what overlaps by less has its shortest way out where features or a local search find it. With
// cylinders only what merely touches: features of a rim look along the face under it, and the way out may lean.
inline constexpr double kShallow = 1e-3, kSameAsTouching = 1e-10;
[[nodiscard]] inline bool has_cylinder(const Geometry& a, const Geometry& b) {
  return a.family == Family::Cylinder || b.family == Family::Cylinder;
}
[[nodiscard]] double shallow_overlap(const Geometry& a, const Geometry& b);  // length

[[nodiscard]] Placement evaluate_smooth(const Placed& a, FeatureCode feature_a, const Placed& b, FeatureCode feature_b,
                                        const Vec3& side);

// Of two convex shapes as wholes, or parts of concave polyhedra, each shrunk by a part of its size about its middle; 0
// when they overlap.
[[nodiscard]] double distance_of_wholes(const Placed& a, FeatureCode feature_a, const Placed& b, FeatureCode feature_b,
                                        double shrink);

// Of two convex shapes as wholes along a unit normal from b to a: negative when they overlap along it.
[[nodiscard]] double separation_of_wholes(const Placed& a, const Placed& b, const Vec3& normal);

// The point of the smooth feature that is farthest along a direction, world frame.
[[nodiscard]] Vec3 smooth_support(const Placed& shape, FeatureCode feature, const Vec3& direction);

// Closest point, outward normal and signed distance of the surface from a point, world frame. `feature` tells which
// feature of the shape the point faces.
struct SurfacePoint {
  Vec3 point, normal;
  double distance;
  FeatureCode feature;
};
[[nodiscard]] SurfacePoint smooth_closest(const Placed& shape, const Vec3& x);

// Where along the line x + t u is the surface closest? Looks in [low, high].
[[nodiscard]] double smooth_closest_on_line(const Placed& shape, const Vec3& x, const Vec3& u, double low, double high);

}  // namespace stickslip::collision
