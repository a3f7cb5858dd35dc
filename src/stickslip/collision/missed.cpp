// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the searches by features leave out: shapes deep in each other, degenerate positions, concave solids.
//
// If no contact of the list overlaps although the shapes do, they are a contact as wholes (convex shapes) or by convex
// parts (concave polyhedra): gap and normal by maximising the separation of supports (smooth_pairs.h). So every overlap
// is in the list; pairs of features stay what they were wherever they tell of it.
#include "stickslip/collision/narrow_phase.h"
#include "stickslip/collision/smooth_pairs.h"

#include <algorithm>

namespace stickslip::collision {
namespace {

constexpr double kMissed = 1e-6;    // of the smaller size: a list misses what is closer by more
constexpr double kTouching = 1e-5;  // of each size: how far shapes that touch may overlap unseen elsewhere

// A convex shape, or one convex part of it.
struct Part {
  FeatureCode feature = 0;
  Vec3 centre = Vec3::Zero();  // world
  double radius = 0;
};

int parts_of(const Geometry& g) {
  if (g.family != Family::Polyhedron || g.polyhedron.convex) return 1;
  return static_cast<int>(g.part.size());
}

Part part_of(const Placed& shape, int i) {
  const Geometry& g = shape.geometry;
  if (g.part.empty()) return {smooth_code(0), shape.frame.to_world(g.box_centre), g.radius};
  const ConvexPart& part = g.part[static_cast<std::size_t>(i)];
  return {smooth_code(1 + i), shape.frame.to_world(part.centre), part.radius};
}

}  // namespace

void add_wholes_if_missed(PairSearch& pair, bool gaps_too) {
  const Geometry &a = pair.a.geometry, &b = pair.b.geometry;
  if (a.family == Family::Points) return;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = pair.first; i < pair.out.size(); ++i) smallest = std::min(smallest, pair.out[i].gap);
  if (smallest < 0) return;
  // A contact of parts that is not among the closest may look along a cut: only overlaps are added for these.
  const bool whole = a.part.empty() && b.part.empty();
  const double reach = gaps_too && whole ? pair.reach : 0;
  // Beside a contact that touches, only an overlap of more than rounding is another one.
  const double missed = kMissed * std::min(a.radius, b.radius), shrink = smallest <= missed ? kTouching : 0;
  for (int i = 0; i < parts_of(a); ++i) {
    const Part of_a = part_of(pair.a, i);
    for (int j = 0; j < parts_of(b); ++j) {
      const Part of_b = part_of(pair.b, j);
      const double limit = of_a.radius + of_b.radius + reach;
      if ((of_a.centre - of_b.centre).squaredNorm() >= limit * limit) continue;
      const double distance = distance_of_wholes(pair.a, of_a.feature, pair.b, of_b.feature, shrink);
      if (distance > 0 && (distance >= reach || smallest <= distance + missed)) continue;
      const Placement placement = pair.place(of_a.feature, of_b.feature, Vec3::UnitX());
      if (placement.gap < std::min(smallest, pair.reach)) pair.append(of_a.feature, of_b.feature, placement);
    }
  }
}

}  // namespace stickslip::collision
