// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Points in a tree of boxes: does any of them lie beyond a plane, and how far along a direction does any reach?
//
//     exists x:  n . x - offset > distance                    max over x of  n . (x - from)
//
// A box whose corner farthest along n cannot matter is left out, with what rounding may make of that corner; points
// themselves are measured as a loop over all of them would do it, so that the answer is that of the loop, to the bit.
//
// Cost: O(n log n) to make. A question costs O(log n) and the points near the plane: some hundreds for a plane that
// touches a convex mesh of a hundred thousand triangles.
#pragma once

#include "stickslip/math/types.h"

#include <span>
#include <vector>

namespace stickslip::model {

class PointTree {
 public:
  explicit PointTree(std::span<const Vec3> points);

  // n: unit length (or not a number: nothing lies beyond).
  [[nodiscard]] bool any_beyond(const Vec3& n, double offset, double distance) const;
  [[nodiscard]] double reach(const Vec3& n, const Vec3& from) const;

 private:
  struct Node {
    Vec3 centre = Vec3::Zero(), half = Vec3::Zero();
    int begin = 0, end = 0;  // of point_
    int second = 0;          // child; the first one is the next node. 0: a leaf
  };
  void divide(int begin, int end);
  // No point of the box is higher along n.
  [[nodiscard]] double corner(int node, const Vec3& n, const Vec3& size) const;

  std::vector<Vec3> point_;
  std::vector<Node> node_;
  double rounding_ = 0;  // of a height
};

}  // namespace stickslip::model
