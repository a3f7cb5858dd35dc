// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A point (with rounding) against a polyhedron: which of its facets, edges and vertices may it touch?
// The spatial counterpart of polygon_search.cpp, with the same rules.
#pragma once

#include "stickslip/collision/narrow_phase.h"

#include <span>

namespace stickslip::collision {

struct SpatialProbe {
  Vec3 p = Vec3::Zero(), approach = Vec3::Zero();  // position, displacement within the horizon; frame of the polyhedron
  double r = 0, margin = 0;                        // rounding; what forces may add to the approach
  std::span<const Vec3> arms;                      // sharp edges that leave the vertex, in the frame of its own body
  Mat3 arm_turn = Mat3::Identity();                // from there to the frame of the polyhedron
  double slack = 0;

  [[nodiscard]] bool lowest(const Vec3& n, double allowed) const;
};

// Two edges in the world; pairs that overlap by more than `depth` are other parts of the surfaces.
[[nodiscard]] ActiveEdge place_edge(const Placed& shape, int index);
void search_edge_pair(PairSearch& pair, const ActiveEdge& edge_a, const ActiveEdge& edge_b, double depth);

// Convex: at most one hit.
void touch_convex(const Geometry& b, const SpatialProbe& probe, double reach, std::vector<Hit>& hits);
// Any closed surface; `active` holds all pieces that are nearer to the point than `known`. Tells whether the point is
// inside the solid.
bool touch_any(const Geometry& b, const SpatialProbe& probe, double reach, double known, const std::vector<int>& active,
               std::vector<Hit>& hits, std::vector<int>& facing);

}  // namespace stickslip::collision
