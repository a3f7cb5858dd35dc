// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The best separating normal of two convex shapes that overlap, where straight parts carry it.
//
//     s(n) = min n.x over a - max n.x over b         maximal at the normal of the shortest way out
//
// s has a kink wherever n is square to an edge of a polyhedron or to the axis of a cylinder or capsule whose straight part
// is farthest along n. Where the overlap is shallow the maximum lies in such a kink nearly always, often in a narrow one
// (a rim that leans by 1e-5 over an edge), and steps by slopes stop beside it. So s is maximised on the circle of the
// normals square to each line that carries it: sampled, then by golden sections, which need no slope.
//
// Assumes that `first` is within about kArc of the maximum (inner_polytope.h finds such a one).
// Cost: about 60 support points of each shape for every line. No allocation.
#pragma once

#include "stickslip/collision/evaluate.h"

#include <array>
#include <functional>

namespace stickslip::collision {

// Directions of lines that carry the support of a shape along a normal, or come to do so a little beside it.
struct CarryingLines {
  static constexpr int kMost = 16;
  std::array<Vec3, kMost> direction;
  int count = 0;

  void add(const Vec3& line) {
    if (count < kMost) direction[static_cast<std::size_t>(count++)] = line;
  }
};

// Of the shape as a whole, outward normal n; all in the world.
void list_carrying_lines(const Placed& shape, const Vec3& n, CarryingLines& lines);

// The normal next to `first` with the largest separation.
[[nodiscard]] Vec3 maximise_on_kinks(const std::function<double(const Vec3& normal)>& separation,
                                     const CarryingLines& lines, const Vec3& first);

}  // namespace stickslip::collision
