// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The difference D = A - B of two convex pieces, known by its support points, and the depth of the origin in it (see
// convex_separation.h for the equations, and for the meaning of the bounds).
//
// A polytope of support points grows inside D: the facet closest to the origin, distance d and unit normal n, is
// replaced by the facets that see the support point along n, until that point is no farther than the facet. The origin
// may start outside of the polytope (d < 0), as only differences d_facet - h_D matter; no starting simplex around it is
// needed. A flat D (a sheet against a sheet, a point against a point) has depth 0.
//
// Assumes the origin in D or within rounding of it. Cost O(points^2), at most kMostPoints of them. No allocation.
// Reference: van den Bergen 2001.
#pragma once

#include "stickslip/collision/solid.h"

#include <functional>

namespace stickslip::collision {

struct PlacedPiece;

struct DifferencePoint {
  Vec3 a, b;  // points of the two cores, world frame
  Vec3 w;     // a - b
};

class Difference {
 public:
  Difference(const PlacedPiece& a, const PlacedPiece& b);

  [[nodiscard]] DifferencePoint support(const Vec3& d);  // of the cores
  [[nodiscard]] Vec3 centre() const { return centre_; }  // somewhere within, for a start
  [[nodiscard]] double size() const { return size_; }    // a bound of |w|
  [[nodiscard]] int work() const { return work_; }

 private:
  const PlacedPiece& a_;
  const PlacedPiece& b_;
  Vec3 from_, centre_;  // from_: of b's body to a's, added last so that far places cost no digits
  double size_ = 0;
  int work_ = 0, cost_ = 0;
};

struct Depth {
  double low = 0, high = 0;
  bool flat = false;            // D has no inside: nothing is known but that the origin is not deep in it
  Vec3 normal = Vec3::UnitZ();  // outward, of the boundary of D where it is closest to the origin
  // Points of the two cores whose difference is the place where the shortest displacement leaves D; not when it is flat.
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();
};

// The points of A and B whose difference is the support point of D along a direction.
using DifferenceSupport = std::function<DifferencePoint(const Vec3& direction)>;

inline constexpr int kMostPoints = 200;

// `size` bounds |w| over D.
[[nodiscard]] Depth planar_depth(const DifferenceSupport& support, double size);
[[nodiscard]] Depth spatial_depth(const DifferenceSupport& support, double size);

}  // namespace stickslip::collision
