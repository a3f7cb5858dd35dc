// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Two shapes -> the feature pairs that may touch. One search per family of shapes, each in its own file; a search only
// decides which features face each other, evaluate() then says where they are.
//
// What a stepper does with the result decides what must be found. It keeps *all* gaps of the list non-negative to first
// order. So every pair must be one that really has to stay apart (a wrong one is a phantom contact), and pairs of which
// only one has to stay apart must be reduced to one:
//   - a vertex near a convex corner of the other shape is outside as soon as one of the faces has it in front: only the
//     closest feature is taken, or a face that the present velocities say will keep them apart when the closest does
//     not;
//   - a vertex in a notch must stay in front of each side of it: all are taken.
#pragma once

#include "stickslip/collision/contact.h"
#include "stickslip/collision/convex_axis.h"
#include "stickslip/collision/evaluate.h"

#include <span>
#include <vector>

namespace stickslip::collision {

// A feature of shape b that a vertex of shape a may touch, in the frame of b.
struct Hit {
  FeatureCode feature = 0;
  double gap = 0;              // signed distance now
  Vec3 normal = Vec3::Zero();  // out of b
};

// An edge that may touch, in the world.
struct ActiveEdge {
  int index = 0;
  Vec3 origin = Vec3::Zero(), direction = Vec3::UnitX();
};

// Buffers that live as long as the collider.
struct SearchScratch {
  std::vector<Hit> hits;
  std::vector<int> active, facing, all;
  std::vector<ActiveEdge> edges_a, edges_b;
  std::vector<double> angles;
  ConvexScratch convex;
};

struct PairSearch {
  Placed a, b;           // in the order of Family
  bool swapped = false;  // the contact's body_a is b here
  ContactId id;          // bodies and shapes filled in
  int surface = 0;
  double reach = 0;                      // pairs with a smaller gap are wanted
  double margin = 0;                     // what forces may add to motion by present velocities
  double horizon = 0;                    // seconds
  double slack = 0;                      // sine of how far an edge may lean below the touching plane and still count
  const std::vector<Contact>& previous;  // contacts of the step before, canonical order
  SearchScratch& scratch;
  std::vector<Contact>& out;
  std::size_t first = 0;  // where this pair's contacts begin in `out`
  // Normals (from b into a) along which nothing can touch because a third solid is there: convex polyhedra then look
  // for the next best facet.
  std::span<const Vec3> blocked = {};
  bool any_depth = false;  // that facet however deep the solids are behind it

  // Evaluates the pair of features (of a and b here) and keeps it when its gap is below the reach; the second form also
  // drops it when a contact of this pair has the same points (to the given distance) and normal.
  void add(FeatureCode feature_a, FeatureCode feature_b, const Vec3& side);
  void add_unless_there(FeatureCode feature_a, FeatureCode feature_b, const Vec3& side, double distance);
  // Evaluated in the order of bodies, as refresh does: the same bits.
  [[nodiscard]] Placement place(FeatureCode feature_a, FeatureCode feature_b, const Vec3& side) const;
  void append(FeatureCode feature_a, FeatureCode feature_b, const Placement& placement);
  [[nodiscard]] bool is_there(const Placement& placement, double distance) const;
  // How far the point x (world) of a moves against b within the horizon.
  [[nodiscard]] Vec3 approach(const Vec3& x) const {
    return horizon * (a.frame.velocity_at(x) - b.frame.velocity_at(x));
  }
};

// The same pair seen from the other shape: contacts that the view adds are those of the pair.
[[nodiscard]] inline PairSearch seen_from_b(PairSearch& pair) {
  return {pair.b,       pair.a,     !pair.swapped, pair.id,      pair.surface, pair.reach, pair.margin,
          pair.horizon, pair.slack, pair.previous, pair.scratch, pair.out,     pair.first};
}

// Appends all contacts of the pair to pair.out, sorted.
void search(PairSearch& pair);

// By family, a before b.
void search_vertices_half_space(PairSearch& pair);  // anything with vertices
void search_ball_ball(PairSearch& pair);
void search_vertices_polygon(PairSearch& pair);  // points, discs
void search_polygon_polygon(PairSearch& pair);
void search_vertices_capsule(PairSearch& pair);  // points, balls
void search_capsule_capsule(PairSearch& pair);
void search_vertices_polyhedron(PairSearch& pair);  // points, balls
void search_polytope_polyhedron(PairSearch& pair);  // capsules, polyhedra
void search_convex_pair(PairSearch& pair);          // two convex polyhedra
void search_smooth(PairSearch& pair);               // at least one cylinder, superellipse or superellipsoid

// Of two convex polygons that overlap: both ends of the overlap of the sides that face each other (polygon_overlap.cpp).
void complete_overlap(PairSearch& pair);
// Appends what the list of the pair does not tell: overlaps, and with `gaps_too` gaps within reach (missed.cpp).
void add_wholes_if_missed(PairSearch& pair, bool gaps_too);
// Of two convex shapes deep in each other: the list tells their shortest way out, and nothing deeper (missed.cpp).
void keep_shortest_way_out(PairSearch& pair);

}  // namespace stickslip::collision
