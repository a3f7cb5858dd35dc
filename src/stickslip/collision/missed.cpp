// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of narrow_phase.h.
//
// What the searches by features leave out: shapes deep in each other, degenerate positions, concave solids.
//
// If no contact of the list overlaps although the shapes do, they are a contact as wholes (convex shapes) or by convex
// parts (concave polyhedra): gap and normal by maximising the separation of supports (smooth_pairs.h). So every overlap
// is in the list; pairs of features stay what they were wherever they report it.
//
// Convex shapes deep in each other: what features report is the width of the overlap along some direction, or no width at
// all, and not the shortest way out. That one is found from the shapes as wholes then; features that overlap by more,
// or on the other side, are dropped, and the wholes become a contact unless a pair of features reports the same depth.
#include "stickslip/collision/narrow_phase.h"
#include "stickslip/collision/smooth_pairs.h"

#include <algorithm>
#include <cmath>

namespace stickslip::collision {
namespace {

constexpr double kMissed = 1e-6;    // of the smaller size: a list misses what is closer by more
constexpr double kSame = 1e-10;     // of the smaller size: depths that differ by less are equal
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

// Is a shape the hull of its supports, with an inside?
bool is_convex_solid(const Geometry& g) {
  switch (g.family) {
    case Family::Polygon: return g.polygon.convex && !g.polygon.thin;
    case Family::Polyhedron: return g.polyhedron.convex;
    case Family::Capsule:
    case Family::Cylinder:
    case Family::Superellipse:
    case Family::Superellipsoid: return true;
    default: return false;
  }
}

// Is there a contact along whose normal the shapes are apart? Then they overlap nowhere.
bool some_normal_separates(const PairSearch& pair) {
  for (std::size_t i = pair.first; i < pair.out.size(); ++i) {
    const Vec3 normal = pair.swapped ? Vec3(-pair.out[i].normal) : pair.out[i].normal;
    if (separation_of_wholes(pair.a, pair.b, normal) >= -kSame * pair.a.geometry.radius) return true;
  }
  return false;
}

}  // namespace

void keep_shortest_way_out(PairSearch& pair) {
  const Geometry &a = pair.a.geometry, &b = pair.b.geometry;
  if (pair.out.size() == pair.first || !is_convex_solid(a) || !is_convex_solid(b)) return;
  const auto first = [&] { return pair.out.begin() + static_cast<std::ptrdiff_t>(pair.first); };
  const double size = std::min(a.radius, b.radius), same = kSame * size, deep = -kShallow * size;
  const Contact& deepest = *std::ranges::min_element(first(), pair.out.end(), {}, &Contact::gap);
  if (deepest.gap >= 0) return;
  // Shallow overlaps are covered by pairs of features, unless those understate a deep one. Beside a cylinder, unless
  // what they tell is not the overlap along their own normal.
  const bool little = deepest.gap > deep, rim = has_cylinder(a, b);
  const Vec3 normal = pair.swapped ? Vec3(-deepest.normal) : deepest.normal;
  const double along = little ? separation_of_wholes(pair.a, pair.b, normal) : 0;
  if (little && (rim ? std::fabs(along - deepest.gap) <= same : along > deep)) return;
  const Placement whole = pair.place(smooth_code(0), smooth_code(0), Vec3::UnitX());
  if (little && !rim && whole.gap > deep) return;
  const auto elsewhere = [&](const Contact& c) {
    return c.gap < whole.gap - same || (c.gap < -same && c.normal.dot(whole.normal) < 0);
  };
  pair.out.erase(std::remove_if(first(), pair.out.end(), elsewhere), pair.out.end());
  const auto tells = [&](const Contact& c) { return c.gap <= whole.gap + same; };
  if (std::none_of(first(), pair.out.end(), tells)) pair.append(smooth_code(0), smooth_code(0), whole);
}

void add_wholes_if_missed(PairSearch& pair, bool gaps_too) {
  const Geometry &a = pair.a.geometry, &b = pair.b.geometry;
  if (a.family == Family::Points || (a.family == Family::Polygon && !is_convex_solid(a))) return;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = pair.first; i < pair.out.size(); ++i) smallest = std::min(smallest, pair.out[i].gap);
  if (smallest < 0 || (a.family == Family::Polygon && some_normal_separates(pair))) return;
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
