// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
//     vertex x, face (n, d)      gap = n.x - d                        normal n of the face
//     vertex x, vertex y         gap = |x - y|                        along x - y
//     vertex x, edge y + t e     gap = |x - y - t e|, t closest       square to the edge
//     edge x + s e, edge y + t f gap = m.(x - y), m = e x f / |e x f| normal m
//
// each less the rounding radii. For all of them d gap/dt is exactly the normal component of the relative velocity of
// the two points, because the points are closest: moving them along their features does not change the gap.
#include "stickslip/collision/evaluate.h"

#include "stickslip/collision/smooth_pairs.h"

#include <cmath>

namespace stickslip::collision {
namespace {

// The pair of closest points x (a) and y (b) with unit normal n, both moved out to the rounded surfaces.
Placement with_rounding(const Vec3& x, const Vec3& y, const Vec3& n, double distance, double radius_a,
                        double radius_b) {
  return {distance - radius_a - radius_b, x - radius_a * n, y + radius_b * n, n};
}

Placement along_difference(const Vec3& x, const Vec3& y, double radius_a, double radius_b, const Vec3& side) {
  const Vec3 d = x - y;
  const double length = d.norm();
  if (length == 0) return with_rounding(x, y, side, 0, radius_a, radius_b);
  // Rounded features keep their distance positive until their centres pass: only sharp ones need the side.
  const double sign = radius_a + radius_b == 0 && d.dot(side) < 0 ? -1.0 : 1.0;
  return with_rounding(x, y, (sign / length) * d, sign * length, radius_a, radius_b);
}

Placement vertex_edge(const Vec3& x, const Vec3& y, const Vec3& e, double radius_a, double radius_b, const Vec3& side) {
  return along_difference(x, y + e.dot(x - y) * e, radius_a, radius_b, side);
}

Placement reversed(const Placement& p) {
  return {p.gap, p.point_b, p.point_a, -p.normal};
}

Placement vertex_face(const Placed& a, int vertex, const Placed& b, int face) {
  const Facet& facet = b.geometry.facet[static_cast<std::size_t>(face)];
  const Vec3 n = b.frame.rotation * facet.normal;
  const Vec3 x = a.frame.to_world(vertex_of(a.geometry, vertex));
  return place_over_plane(x, feature_radius(a.geometry, vertex_code(vertex)), n, b.frame.position, facet.offset,
                          b.geometry.rounding);
}

struct WorldEdge {
  Vec3 origin, direction;
};
WorldEdge world_edge(const Placed& p, int i) {
  const PolyhedronEdge& edge = p.geometry.polyhedron.edge[static_cast<std::size_t>(i)];
  return {p.frame.to_world(p.geometry.vertex[static_cast<std::size_t>(edge.begin)]), p.frame.rotation * edge.direction};
}

Placement edge_edge(const WorldEdge& a, const WorldEdge& b, double radius_a, double radius_b, const Vec3& side) {
  const Vec3 r = a.origin - b.origin;
  Vec3 n;
  if (!common_normal(a.direction, b.direction, n)) {
    // Parallel: any pair of opposite points; the search never makes these, a refresh might.
    return along_difference(a.origin, b.origin + b.direction.dot(r) * b.direction, radius_a, radius_b, side);
  }
  if (n.dot(side) < 0) n = -n;
  const Vec3 cross = a.direction.cross(b.direction);
  const double sine2 = cross.squaredNorm();
  const Vec3 x = a.origin - (r.cross(b.direction).dot(cross) / sine2) * a.direction;
  const Vec3 y = b.origin - (r.cross(a.direction).dot(cross) / sine2) * b.direction;
  return with_rounding(x, y, n, n.dot(r), radius_a, radius_b);
}

}  // namespace

bool common_normal(const Vec3& u, const Vec3& v, Vec3& n) {
  constexpr double kParallel2 = 1e-24, kSmall2 = 1e-8;  // squared sines
  n = u.cross(v);
  const double sine2 = n.squaredNorm();
  if (sine2 < kParallel2) return false;
  n /= std::sqrt(sine2);
  if (sine2 > kSmall2) return true;
  const Vec3 mean = (u.dot(v) > 0 ? Vec3(u + v) : Vec3(u - v)).normalized();
  for (int i = 0; i < 2; ++i) n = (n - n.dot(mean) * mean).normalized();
  return true;
}

Placement evaluate(const Placed& a, FeatureCode feature_a, const Placed& b, FeatureCode feature_b, const Vec3& side) {
  const FeatureKind ka = feature_kind(feature_a), kb = feature_kind(feature_b);
  const int ia = feature_index(feature_a), ib = feature_index(feature_b);
  if (ka == FeatureKind::Vertex && kb == FeatureKind::Face) return vertex_face(a, ia, b, ib);
  if (ka == FeatureKind::Face && kb == FeatureKind::Vertex) return reversed(vertex_face(b, ib, a, ia));
  if (ka == FeatureKind::Smooth || kb == FeatureKind::Smooth) {
    return evaluate_smooth(a, feature_a, b, feature_b, side);
  }

  const double ra = feature_radius(a.geometry, feature_a), rb = feature_radius(b.geometry, feature_b);
  if (ka == FeatureKind::Vertex && kb == FeatureKind::Vertex) {
    return along_difference(a.frame.to_world(vertex_of(a.geometry, ia)), b.frame.to_world(vertex_of(b.geometry, ib)),
                            ra, rb, side);
  }
  if (ka == FeatureKind::Vertex && kb == FeatureKind::Edge) {
    const WorldEdge edge = world_edge(b, ib);
    const Vec3 x = a.frame.to_world(vertex_of(a.geometry, ia));
    return vertex_edge(x, edge.origin, edge.direction, ra, rb, side);
  }
  if (ka == FeatureKind::Edge && kb == FeatureKind::Vertex) {
    const WorldEdge edge = world_edge(a, ia);
    const Vec3 x = b.frame.to_world(vertex_of(b.geometry, ib));
    return reversed(vertex_edge(x, edge.origin, edge.direction, rb, ra, -side));
  }
  return edge_edge(world_edge(a, ia), world_edge(b, ib), ra, rb, side);
}

}  // namespace stickslip::collision
