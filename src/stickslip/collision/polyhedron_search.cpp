// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Points, balls, capsules and polyhedra against capsules and polyhedra.
//
//     vertices of a against facets, edges and vertices of b, and the other way round (polyhedron_touch.cpp);
//     edges of a against edges of b where their closest points lie inside both, the edges are not parallel, and the
//     common normal m leaves b and enters a: both facets of either edge lean away from the plane that m spans there
//     (into . m <= 0 for b, >= 0 for a), up to a slack, so that the rims of a face resting on a face count.
//
// Where two faces lie on each other this gives the corners of their overlap: vertices of one over the other, and
// crossings of their rims.
#include "stickslip/collision/polyhedron_search.h"

#include "stickslip/math/bounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stickslip::collision {
namespace {

constexpr double kSameRelative = 1e-8;    // two points closer than this part of the shapes' size are one
constexpr double kParallelSine2 = 1e-12;  // edges closer to parallel than 1e-6 have no normal of their own
constexpr double kEdgeSlack = 0.1;        // sine: how far a facet may lean over the plane of two crossing edges

constexpr std::size_t kMostPiecesForDepth = 512;  // larger meshes report only penetrations within reach

double same_distance(const PairSearch& pair) {
  return kSameRelative * std::min(pair.a.geometry.radius, pair.b.geometry.radius);
}

// Bounding box of shape a, grown by the reach, in the frame of b.
Bounds box_in_frame_of_b(const PairSearch& pair) {
  const Geometry& a = pair.a.geometry;
  const Mat3 relative = pair.b.frame.rotation.transpose() * pair.a.frame.rotation;
  const Vec3 centre = pair.b.frame.to_body(pair.a.frame.to_world(a.box_centre));
  const Vec3 half = relative.cwiseAbs() * a.box_half + Vec3::Constant(pair.reach + pair.b.geometry.rounding);
  return {centre - half, centre + half};
}

void list_active_pieces(PairSearch& pair) {
  const Bounds box = box_in_frame_of_b(pair);
  pair.scratch.active.clear();
  const std::vector<FacetPiece>& pieces = pair.b.geometry.polyhedron.piece;
  for (int i = 0; i < static_cast<int>(pieces.size()); ++i) {
    const FacetPiece& piece = pieces[static_cast<std::size_t>(i)];
    if (box.overlaps({piece.low, piece.high})) pair.scratch.active.push_back(i);
  }
}

bool in_box(const Geometry& g, const Vec3& p) {
  return ((p - g.box_centre).array().abs() <= g.box_half.array()).all();
}

// Nothing in reach: perhaps the point is so deep inside that the surface is out of reach.
void touch_from_deep_inside(PairSearch& pair, const SpatialProbe& probe) {
  const Geometry& b = pair.b.geometry;
  if (b.polyhedron.piece.size() > kMostPiecesForDepth) return;
  std::vector<int>& all = pair.scratch.all;
  all.resize(b.polyhedron.piece.size());
  std::iota(all.begin(), all.end(), 0);
  constexpr double kAll = std::numeric_limits<double>::infinity();
  if (!touch_any(b, probe, pair.reach, kAll, all, pair.scratch.hits, pair.scratch.facing)) pair.scratch.hits.clear();
}

// Vertices of a against the surface of b.
void search_vertices(PairSearch& pair, bool second_view) {
  const Geometry &a = pair.a.geometry, &b = pair.b.geometry;
  const bool convex = b.polyhedron.convex;
  if (!convex) list_active_pieces(pair);
  const Bounds box = box_in_frame_of_b(seen_from_b(pair));  // of b, in the frame of a
  const double same = same_distance(pair);
  SpatialProbe probe;
  probe.r = a.rounding;
  probe.margin = pair.margin;
  probe.slack = pair.slack;
  probe.arm_turn = pair.b.frame.rotation.transpose() * pair.a.frame.rotation;
  for (int i = 0; i < static_cast<int>(a.vertex.size()); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!box.overlaps({a.vertex[k], a.vertex[k]})) continue;
    if (!a.polyhedron.is_feature.empty()) {
      if (!a.polyhedron.is_feature[k]) continue;
      const int first = a.polyhedron.first_arm[k], last = a.polyhedron.first_arm[k + 1];
      probe.arms = {a.polyhedron.arm.data() + first, static_cast<std::size_t>(last - first)};
    }
    const Vec3 x = pair.a.frame.to_world(a.vertex[k]);
    probe.p = pair.b.frame.to_body(x);
    probe.approach = pair.b.frame.rotation.transpose() * pair.approach(x);
    pair.scratch.hits.clear();
    if (convex) {
      touch_convex(b, probe, pair.reach, pair.scratch.hits);
    } else {
      touch_any(b, probe, pair.reach, pair.reach + a.rounding, pair.scratch.active, pair.scratch.hits,
                pair.scratch.facing);
      if (pair.scratch.hits.empty() && in_box(b, probe.p)) touch_from_deep_inside(pair, probe);
    }
    for (const Hit& hit : pair.scratch.hits) {
      // Vertex against vertex was found from the other shape already.
      if (second_view && feature_kind(hit.feature) == FeatureKind::Vertex) continue;
      pair.add_unless_there(vertex_code(i), hit.feature, pair.b.frame.rotation * hit.normal, same);
    }
  }
}

// Vertices of a against the axis of capsule b (ends included unless they were found from the other side).
void search_vertices_axis(PairSearch& pair, bool with_ends) {
  const Geometry &a = pair.a.geometry, &b = pair.b.geometry;
  const PolyhedronEdge* axis = b.polyhedron.edge.empty() ? nullptr : &b.polyhedron.edge.front();
  const Vec3 begin = pair.b.frame.to_world(b.vertex[0]);
  const Vec3 direction = axis == nullptr ? Vec3::Zero() : Vec3(pair.b.frame.rotation * axis->direction);
  const double length = axis == nullptr ? 0 : axis->length;
  const double limit = pair.reach + a.rounding + b.rounding;
  const double slack = a.rounding > 0 ? pair.slack : 1e-9;
  for (int i = 0; i < static_cast<int>(a.vertex.size()); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec3 d = pair.a.frame.to_world(a.vertex[k]) - begin;
    const double s = std::clamp(direction.dot(d), 0.0, length);
    const Vec3 normal = d - s * direction;
    const double distance2 = normal.squaredNorm();
    if (distance2 >= limit * limit || distance2 == 0) continue;
    const bool inside = axis != nullptr && s > 0 && s < length;
    if (!inside && !with_ends) continue;
    if (!a.polyhedron.is_feature.empty()) {
      // End against end must be closest from both sides; an end along the axis may lean.
      const double allowed = inside ? slack : 1e-9;
      const Vec3 n = pair.a.frame.rotation.transpose() * normal / std::sqrt(distance2);
      bool lowest = a.polyhedron.is_feature[k] != 0;
      for (int m = a.polyhedron.first_arm[k]; m < a.polyhedron.first_arm[k + 1]; ++m) {
        lowest = lowest && n.dot(a.polyhedron.arm[static_cast<std::size_t>(m)]) >= -allowed;
      }
      if (!lowest) continue;
    }
    pair.add(vertex_code(i), inside ? edge_code(0) : vertex_code(s > 0 ? 1 : 0), normal);
  }
}

// Does the direction m leave the solid of edge e (sign +1), or enter it (sign -1)? m in the frame of the edge's body.
bool leaves(const PolyhedronEdge& e, const Vec3& m, double sign, double slack) {
  return sign * e.into[0].dot(m) <= slack && sign * e.into[1].dot(m) <= slack;
}

// Out of the solid at the edge; zero for the axis of a capsule.
Vec3 outward(const Geometry& g, const PolyhedronEdge& e) {
  Vec3 sum = Vec3::Zero();
  for (int facet : e.facet) {
    if (facet >= 0) sum += g.facet[static_cast<std::size_t>(facet)].normal;
  }
  return sum;
}

}  // namespace

void search_edge_pair(PairSearch& pair, const ActiveEdge& edge_a, const ActiveEdge& edge_b, double depth) {
  const Vec3 &u = edge_a.direction, &v = edge_b.direction;
  const Vec3 r = edge_a.origin - edge_b.origin;
  const double c = u.dot(v), d = u.dot(r), e = v.dot(r), sine2 = 1 - c * c, same = same_distance(pair);
  if (sine2 < kParallelSine2) return;
  const double s = c * e - d, t = e - c * d;  // times sine2
  const Geometry &a = pair.a.geometry, &b = pair.b.geometry;
  const PolyhedronEdge& ea = a.polyhedron.edge[static_cast<std::size_t>(edge_a.index)];
  const PolyhedronEdge& eb = b.polyhedron.edge[static_cast<std::size_t>(edge_b.index)];
  const double radii = feature_radius(a, edge_code(edge_a.index)) + feature_radius(b, edge_code(edge_b.index));
  if (s < -same * sine2 || s > (ea.length + same) * sine2 || t < -same * sine2 || t > (eb.length + same) * sine2)
    return;

  const Vec3 cross = u.cross(v);
  Vec3 normal = cross / cross.norm();
  if (std::abs(normal.dot(r)) >= std::max(pair.reach, depth) + radii) return;
  const Vec3 out_b = pair.b.frame.rotation * outward(b, eb) - pair.a.frame.rotation * outward(a, ea);
  const double sign = normal.dot(out_b.isZero(0) ? r : out_b);
  if (sign < 0) normal = -normal;
  const double gap = normal.dot(r) - radii;
  if (gap >= pair.reach || gap < -depth) return;
  const double slack = kEdgeSlack + pair.slack - 0.5;
  if (!leaves(eb, pair.b.frame.rotation.transpose() * normal, 1, slack)) return;
  if (!leaves(ea, pair.a.frame.rotation.transpose() * normal, -1, slack)) return;
  pair.add_unless_there(edge_code(edge_a.index), edge_code(edge_b.index), normal, same);
}

ActiveEdge place_edge(const Placed& shape, int index) {
  const PolyhedronEdge& edge = shape.geometry.polyhedron.edge[static_cast<std::size_t>(index)];
  return {index, shape.frame.to_world(shape.geometry.vertex[static_cast<std::size_t>(edge.begin)]),
          shape.frame.rotation * edge.direction};
}

namespace {

// Convex edges of b that the box of a can reach.
void list_active_edges(const PairSearch& pair, std::vector<ActiveEdge>& active) {
  const Bounds box = box_in_frame_of_b(pair);
  const Geometry& b = pair.b.geometry;
  active.clear();
  for (int i = 0; i < static_cast<int>(b.polyhedron.edge.size()); ++i) {
    const PolyhedronEdge& edge = b.polyhedron.edge[static_cast<std::size_t>(i)];
    if (edge.corner != Corner::Convex) continue;
    const Vec3 &begin = b.vertex[static_cast<std::size_t>(edge.begin)],
               &end = b.vertex[static_cast<std::size_t>(edge.end)];
    if (box.overlaps({begin.cwiseMin(end), begin.cwiseMax(end)})) active.push_back(place_edge(pair.b, i));
  }
}

// `depth`: pairs that overlap more are other parts of the surfaces.
void search_edges(PairSearch& pair, double depth) {
  list_active_edges(pair, pair.scratch.edges_b);
  if (pair.scratch.edges_b.empty()) return;
  const PairSearch other = seen_from_b(pair);
  list_active_edges(other, pair.scratch.edges_a);
  for (const ActiveEdge& a : pair.scratch.edges_a) {
    for (const ActiveEdge& b : pair.scratch.edges_b) search_edge_pair(pair, a, b, depth);
  }
}

// The largest separation of convex a from convex b along a facet normal of b; negative when none separates.
double separation_by_facets(const Placed& a, const Placed& b) {
  const Mat3 relative = a.frame.rotation.transpose() * b.frame.rotation;
  const Vec3 between = b.frame.rotation.transpose() * (a.frame.position - b.frame.position);
  double best = -std::numeric_limits<double>::infinity();
  for (const Facet& facet : b.geometry.facet) {
    const Vec3 n = relative * facet.normal;
    double low = std::numeric_limits<double>::infinity();
    for (const Vec3& v : a.geometry.vertex) low = std::min(low, n.dot(v));
    best = std::max(best, low + facet.normal.dot(between) - facet.offset);
  }
  return best - a.geometry.rounding;
}

// Signed distance of the two convex shapes along n (from b to a).
double separation_along(const PairSearch& pair, const Vec3& n) {
  const Placed &a = pair.a, &b = pair.b;
  const Vec3 na = a.frame.rotation.transpose() * n, nb = b.frame.rotation.transpose() * n;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3& v : a.geometry.vertex) low = std::min(low, na.dot(v));
  for (const Vec3& v : b.geometry.vertex) high = std::max(high, nb.dot(v));
  return low - high + n.dot(a.frame.position - b.frame.position) - a.geometry.rounding - b.geometry.rounding;
}

// Convex solids that are apart overlap nowhere, and those that overlap do so by no more than their shallowest way out
// and on one side only: other contacts belong to features on the far sides.
void keep_one_side(PairSearch& pair, double separation) {
  const double tolerance = same_distance(pair);
  const auto begin = pair.out.begin() + static_cast<std::ptrdiff_t>(pair.first);
  Vec3 best = Vec3::Zero();
  double largest = separation - tolerance;
  for (auto it = begin; it != pair.out.end(); ++it) {
    if (it->gap >= -tolerance) continue;
    const double along = separation_along(pair, pair.swapped ? Vec3(-it->normal) : it->normal);
    if (along > largest) {
      largest = along;
      best = it->normal;
    }
  }
  const double allowed = std::min(largest, 0.0) * (1 + kSameRelative) - 2 * tolerance;
  pair.out.erase(std::remove_if(begin, pair.out.end(),
                                [&](const Contact& c) {
                                  return c.gap < allowed || (c.gap < -tolerance && c.normal.dot(best) < 0);
                                }),
                 pair.out.end());
}

}  // namespace

void search_vertices_capsule(PairSearch& pair) {
  search_vertices_axis(pair, true);
}

void search_capsule_capsule(PairSearch& pair) {
  search_vertices_axis(pair, true);
  PairSearch other = seen_from_b(pair);
  search_vertices_axis(other, false);
  search_edge_pair(pair, place_edge(pair.a, 0), place_edge(pair.b, 0), std::numeric_limits<double>::infinity());
}

void search_vertices_polyhedron(PairSearch& pair) {
  search_vertices(pair, false);
  if (!pair.b.geometry.polyhedron.convex) add_wholes_if_missed(pair, false);
}

void search_polytope_polyhedron(PairSearch& pair) {
  const bool convex = pair.a.geometry.polyhedron.convex && pair.b.geometry.polyhedron.convex;
  if (convex && pair.a.geometry.family == Family::Polyhedron) return search_convex_pair(pair);
  double depth = pair.reach + pair.a.geometry.rounding, separation = 0;
  if (convex) {
    separation = separation_by_facets(pair.a, pair.b);
    if (separation >= pair.reach) return;
    if (separation < 0 && !pair.a.geometry.facet.empty()) {
      separation = std::max(separation, separation_by_facets(pair.b, pair.a));
      if (separation >= pair.reach) return;
    }
    // No pair of edges is a shallower way out than a facet when it overlaps more.
    depth = std::max(0.0, -separation) * (1 + kSameRelative) + same_distance(pair);
  }
  search_vertices(pair, false);
  PairSearch other = seen_from_b(pair);
  if (pair.a.geometry.family == Family::Capsule) {
    search_vertices_axis(other, false);
  } else {
    search_vertices(other, true);
  }
  search_edges(pair, depth);
  if (convex && depth > same_distance(pair)) keep_one_side(pair, separation);
  add_wholes_if_missed(pair, false);
}

}  // namespace stickslip::collision
