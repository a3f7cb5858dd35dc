// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Signed separation of two convex pieces, as an interval that holds the true value.
//
// D = { x - y : x in A, y in B } is convex, and the separation is the signed distance of the origin from D:
//
//     apart         min |w| over w in D                 = max over unit n of  -h_D(-n)
//     overlapping   -min over unit n of h_D(n)          the shortest displacement by which B can leave A
//
// with the support function h_D(n) = h_A(n) + h_B(-n). Every n gives a bound, so the answer never rests on the
// iteration having gone well:
//
//     apart         a simplex of points of D grows towards the origin; v is its point closest to the origin, w the
//                   support point of D against v:   v.w / |v|  <=  distance  <=  |v|.
//     overlapping   a polytope inside D grows; its facet closest to the origin has distance d and normal n:
//                   d  <=  depth  <=  h_D(n).  In the plane the polytope is a polygon.
//
// Cores are separated first, their roundings taken off afterwards (exact, as D of the inflated pieces is D inflated).
//
// Accuracy   pieces made of vertices: high - low <= 1e-12 of the size of D, usually rounding. Curved pieces: 1e-9 of
//            the size except where many directions are nearly equal (one deep in the other, on its axis), where the
//            work is capped; the interval tells.
// Cost       5 to 20 support points apart, 5 to 100 overlapping (curved pieces up to kMostPoints). No allocation.
// Reference  Gilbert, Johnson, Keerthi 1988; van den Bergen 2001.
#pragma once

#include "stickslip/collision/solid.h"

#include <limits>

namespace stickslip::collision {

struct Separation {
  // The signed separation lies between these; negative when the pieces overlap.
  double low = 0, high = 0;
  Vec3 normal = Vec3::UnitZ();  // unit length, from b to a: the direction of the distance, or of the shortest way out
  // Closest points, world frame, of the pieces with their rounding; set only when apart is true.
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
  bool apart = false;
  int work = 0;  // support points asked for, each weighted by its cost (a vertex looked at counts one)
};

// A piece of a solid in the world.
struct PlacedPiece {
  const Solid* solid = nullptr;
  const ConvexPiece* piece = nullptr;
  Mat3 rotation = Mat3::Identity();  // body frame -> world frame
  Vec3 position = Vec3::Zero();
};

// Neither piece is a half-space. The search ends as soon as the pieces are known to be `reach` apart: then `low` is at
// least that, and `high` only an upper bound.
[[nodiscard]] Separation convex_separation(const PlacedPiece& a, const PlacedPiece& b, bool planar,
                                           double reach = std::numeric_limits<double>::infinity());

// `b` is a half-space; infinitely apart when `a` is one too.
[[nodiscard]] Separation half_space_separation(const PlacedPiece& a, const PlacedPiece& b);

}  // namespace stickslip::collision
