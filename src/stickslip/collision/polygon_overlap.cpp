// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of narrow_phase.h.
//
// Convex polygons that overlap. Two sides that face each other overlap over a length, and both of its ends have to come
// out: else the bodies turn about the end that a contact knows of, and sink in at the other. The corner at that end may lie
// on another side's line (blocks of one width on each other, boxes side by side on one floor): then that side is the
// nearest, which it cannot touch.
//
//     deepest contact    corner v of one polygon behind side k of the other
//     ends of the overlap, on either side of v:    v's neighbour w over k, if it lies behind k in the other polygon;
//                                                  past the end of k: the corner there, behind the side v w
//
// Cost: O(sides) where polygons overlap, nothing else.
#include "stickslip/collision/narrow_phase.h"

namespace stickslip::collision {
namespace {

// In pair.b: place of a corner of a.
Vec2 corner_in_b(const PairSearch& pair, int corner) {
  return pair.b.frame.to_body(pair.a.frame.to_world(pair.a.geometry.vertex[static_cast<std::size_t>(corner)]))
      .head<2>();
}

// Is p behind all sides, or on them?
bool is_within(const PolygonTopology& polygon, const Vec2& p, double noise) {
  for (int i = 0; i < polygon.sides(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (polygon.normal[k].dot(p - polygon.vertex[k]) > noise) return false;
  }
  return true;
}

bool has_contact(const PairSearch& pair, FeatureCode feature_a) {
  for (std::size_t i = pair.first; i < pair.out.size(); ++i)
    if ((pair.swapped ? pair.out[i].id.feature_b : pair.out[i].id.feature_a) == feature_a) return true;
  return false;
}

// The corner of a over this side of b, when it lies behind it, in b, and nothing was found for it.
bool add_corner_behind(PairSearch& pair, int corner, int side, double noise) {
  const PolygonTopology& b = pair.b.geometry.polygon;
  const auto k = static_cast<std::size_t>(side);
  const Vec2 p = corner_in_b(pair, corner);
  const double s = b.tangent[k].dot(p - b.vertex[k]);
  if (s < -noise || s > b.length[k] + noise) return false;
  if (b.normal[k].dot(p - b.vertex[k]) < -noise && is_within(b, p, noise) && !has_contact(pair, vertex_code(corner)))
    pair.add(vertex_code(corner), face_code(side), Vec3::Zero());
  return true;
}

// `vertex` of a is the deepest, behind `side` of b.
void add_ends(PairSearch& pair, int vertex, int side, double noise) {
  const PolygonTopology &a = pair.a.geometry.polygon, &b = pair.b.geometry.polygon;
  const auto v = static_cast<std::size_t>(vertex), k = static_cast<std::size_t>(side);
  for (const bool forward : {true, false}) {
    const int other = forward ? a.next[v] : a.prev[v], of_a = forward ? vertex : a.prev[v];
    const Vec2 edge = corner_in_b(pair, other) - corner_in_b(pair, vertex);
    if (add_corner_behind(pair, other, side, noise)) continue;
    PairSearch seen = seen_from_b(pair);
    add_corner_behind(seen, b.tangent[k].dot(edge) > 0 ? b.next[k] : side, of_a, noise);
  }
}

}  // namespace

void complete_overlap(PairSearch& pair) {
  constexpr double kSameRelative = 1e-9;  // of the smaller size: what differs by less is the same
  const double noise = kSameRelative * std::min(pair.a.geometry.radius, pair.b.geometry.radius);
  const Contact* deepest = nullptr;
  for (std::size_t i = pair.first; i < pair.out.size(); ++i)
    if (pair.out[i].gap < (deepest != nullptr ? deepest->gap : -noise)) deepest = &pair.out[i];
  if (deepest == nullptr) return;
  const FeatureCode of_a = pair.swapped ? deepest->id.feature_b : deepest->id.feature_a;
  const FeatureCode of_b = pair.swapped ? deepest->id.feature_a : deepest->id.feature_b;
  const auto is = [](FeatureCode feature, FeatureKind kind) { return feature_kind(feature) == kind; };
  if (is(of_a, FeatureKind::Vertex) && is(of_b, FeatureKind::Face)) {
    add_ends(pair, feature_index(of_a), feature_index(of_b), noise);
  } else if (is(of_a, FeatureKind::Face) && is(of_b, FeatureKind::Vertex)) {
    PairSearch seen = seen_from_b(pair);
    add_ends(seen, feature_index(of_b), feature_index(of_a), noise);
  }
}

}  // namespace stickslip::collision
