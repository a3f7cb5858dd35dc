// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The best separating axis of two convex polyhedra a and b: the unit normal n (out of b, into a) that maximises
//
//     s(n) = min_{x in a} n.x - max_{y in b} n.y
//
// over the facet normals of both and the common normals of edges of a with edges of b. Two convex polyhedra overlap if
// and only if the largest of these is negative; its value is then minus the shortest way out (depth). When they are
// apart it is the distance, unless the closest features are two vertices or a vertex and an edge: then it is a lower
// bound.
//
// Edges of nearly the same direction have a common normal as long as rounding leaves any (sine above 1e-12): to leave
// them to the facets would cost depth up to length times sine. Every axis is evaluated by its full supports, so that an
// axis spoilt by rounding can only be too small, never too large; facets win ties.
//
// Cost: facets times vertices (from a thousand of these on facets times the few that a tree of boxes leaves, with the same
// bits), and pairs of those edges that come within the depth or the reach of the other solid.
// Reference: Gottschalk, Lin, Manocha (1996); pruning of edge pairs on the Gauss map: Gregorius (2013).
#pragma once

#include "stickslip/collision/geometry.h"
#include "stickslip/model/point_tree.h"

#include <optional>
#include <span>
#include <vector>

namespace stickslip::collision {

// A convex polyhedron in the frame that both share (the one of b).
struct ConvexView {
  std::span<const Vec3> vertex;
  std::span<const Facet> facet;
  std::span<const PolyhedronEdge> edge;
  const PolyhedronTopology* topology = nullptr;
  const model::PointTree* tree = nullptr;  // of the vertices; null where they are few

  [[nodiscard]] const Vec3& begin(const PolyhedronEdge& e) const { return vertex[static_cast<std::size_t>(e.begin)]; }
  [[nodiscard]] double lowest(const Vec3& n) const;   // min n.x
  [[nodiscard]] double highest(const Vec3& n) const;  // max n.x
};

enum class AxisKind : std::uint8_t { None, FacetOfA, FacetOfB, Edges };

struct SeparatingAxis {
  AxisKind kind = AxisKind::None;
  int a = -1, b = -1;  // facet, or the edge of each
  Vec3 normal = Vec3::UnitZ();
  double separation = -std::numeric_limits<double>::infinity();
};

// Buffers, and edges that the other solid can reach.
struct ConvexScratch {
  std::vector<Vec3> vertex;
  std::vector<Facet> facet;
  std::vector<PolyhedronEdge> edge;
  std::vector<double> separation_a, separation_b;  // by facet of a, of b
  std::vector<int> edges_a, edges_b;
  std::optional<model::PointTree> tree_a, tree_b;
};

struct ConvexPairView {
  ConvexView a, b;
  double size = 0;     // of the larger solid: scale of rounding
  double smaller = 0;  // of the smaller one
};

// Signed distance of `other` from the facet's plane.
[[nodiscard]] double facet_separation(const Facet& facet, const ConvexView& other);

// Rounding of a separation, as a part of the size.
inline constexpr double kSeparationRounding = 1e-13;

// Fills scratch.separation_a and _b; stops at the first facet that separates by `reach` or more and returns it.
[[nodiscard]] SeparatingAxis best_facet_axis(const ConvexPairView& pair, double reach, ConvexScratch& scratch);
// Lists the edges that come within `limit` of the other solid, and takes their axes into account.
void improve_by_edges(const ConvexPairView& pair, double limit, SeparatingAxis& best, ConvexScratch& scratch);

}  // namespace stickslip::collision
