// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which features of the other shape face a cylinder, superellipse or superellipsoid?
//
//     half-space            the lowest point; of a cylinder the lowest point of either rim, and fixed rim points of a cap
//                           that lies nearly flat
//     points, balls         each, with the closest point of the surface
//     capsule               its ends and its axis, where the closest point lies inside the axis
//     polygon, polyhedron   faces under the lowest point, edges with the closest point inside them, vertices whose arms
//                           lean away from the surface
//     another smooth shape  the closest points; of two cylinders also rim points over each other's caps
#include "stickslip/collision/polyhedron_search.h"
#include "stickslip/collision/smooth_pairs.h"

#include <algorithm>
#include <cmath>

namespace stickslip::collision {
namespace {

constexpr double kOnRim = 1e-9;         // part of the size by which a foot may lie outside its face: rounding
constexpr double kFlatCosine = 0.985;   // 10 degrees: a cap this flat on a face is held by fixed rim points
constexpr double kTilt = 1e-9;          // sine below which a rim has no lowest point
constexpr double kLean = 1e-9;

bool is_smooth(const Geometry& g) {
  return g.family == Family::Cylinder || g.family == Family::Superellipse || g.family == Family::Superellipsoid;
}

// Does the foot of world point x lie in face `face` of the shape?
bool over_face(const Placed& shape, int face, const Vec3& x) {
  const Geometry& g = shape.geometry;
  const Vec3 p = shape.frame.to_body(x);
  const double rim = kOnRim * g.radius;
  switch (g.family) {
    case Family::HalfSpace: return true;
    case Family::Cylinder: {
      const Vec3 d = p - g.smooth.origin, axis = g.smooth.axes.col(2);
      return (d - axis.dot(d) * axis).norm() <= g.smooth.radius + rim;
    }
    case Family::Polygon: {
      const auto k = static_cast<std::size_t>(face);
      const double s = g.polygon.tangent[k].dot(p.head<2>() - g.polygon.vertex[k]);
      return s >= -rim && s <= g.polygon.length[k] + rim;
    }
    default: break;
  }
  for (const FacetPiece& piece : g.polyhedron.piece) {
    if (piece.facet != face) continue;
    bool inside = true;
    for (int i = 0; i < piece.sides && inside; ++i) {
      const PieceSide& side = g.polyhedron.piece_side[static_cast<std::size_t>(piece.first_side + i)];
      inside = side.outward.dot(p) - side.offset <= rim;
    }
    if (inside) return true;
  }
  return false;
}

double height_over(const Placed& shape, const Facet& facet, const Vec3& normal, const Vec3& x) {
  return normal.dot(x - shape.frame.position) - facet.offset;
}

// The smooth shape (pair.b) against face `face` of pair.a.
void search_face(PairSearch& pair, int face, double depth) {
  const Facet& facet = pair.a.geometry.facet[static_cast<std::size_t>(face)];
  const Vec3 normal = pair.a.frame.rotation * facet.normal;
  const double same = 1e-8 * pair.b.geometry.radius;
  const auto try_add = [&](FeatureCode feature, const Vec3& x) {
    const double gap = height_over(pair.a, facet, normal, x);
    if (gap < pair.reach && gap > -depth && over_face(pair.a, face, x)) {
      pair.add_unless_there(face_code(face), feature, -normal, same);
    }
  };
  if (pair.b.geometry.family != Family::Cylinder) {
    return try_add(smooth_code(0), smooth_support(pair.b, smooth_code(0), -normal));
  }
  const Vec3 axis = pair.b.frame.rotation * pair.b.geometry.smooth.axes.col(2);
  const double cosine = axis.dot(normal);
  for (int cap = 0; cap < 2; ++cap) {
    const bool faces_down = (cap == 0 ? cosine : -cosine) < -kFlatCosine;
    if (faces_down) {
      for (int i = cap * kRimPoints; i < (cap + 1) * kRimPoints; ++i) {
        try_add(vertex_code(i), pair.b.frame.to_world(pair.b.geometry.vertex[static_cast<std::size_t>(i)]));
      }
    }
    // The other cap's rim matters while the cylinder lies, not while it stands.
    const bool hangs_behind = (cap == 0 ? cosine : -cosine) > pair.slack;
    if (!hangs_behind && std::sqrt(std::max(0.0, 1 - cosine * cosine)) > kTilt) {
      try_add(smooth_code(1 + cap), smooth_support(pair.b, smooth_code(1 + cap), -normal));
    }
  }
}

// Vertices of polytope pair.a against the surface of pair.b.
void search_vertices(PairSearch& pair, double depth) {
  const Geometry& a = pair.a.geometry;
  const bool planar = a.family == Family::Polygon;
  const int count = planar ? a.polygon.points : static_cast<int>(a.vertex.size());
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const SurfacePoint closest = smooth_closest(pair.b, pair.a.frame.to_world(a.vertex[k]));
    if (closest.distance - a.rounding >= pair.reach || closest.distance < -depth) continue;
    const Vec3 n = pair.a.frame.rotation.transpose() * closest.normal;
    const double slack = a.rounding > 0 ? pair.slack : kLean;
    bool lowest = true;
    if (planar) {
      const Vec2 &out = a.polygon.tangent[k], &in = a.polygon.tangent[static_cast<std::size_t>(a.polygon.prev[k])];
      lowest = n.head<2>().dot(out) >= -slack && n.head<2>().dot(in) <= slack;
      if (!a.polygon.thin && a.polygon.corner[k] != Corner::Convex) lowest = false;
    } else if (!a.polyhedron.is_feature.empty()) {
      lowest = a.polyhedron.is_feature[k] != 0;
      for (int m = a.polyhedron.first_arm[k]; m < a.polyhedron.first_arm[k + 1]; ++m) {
        lowest = lowest && n.dot(a.polyhedron.arm[static_cast<std::size_t>(m)]) >= -slack;
      }
    }
    if (lowest) pair.add(vertex_code(i), smooth_code(0), closest.normal);
  }
}

void search_edges(PairSearch& pair, double depth) {
  const Geometry& a = pair.a.geometry;
  const Vec3 centre = pair.a.frame.to_body(pair.b.frame.to_world(pair.b.geometry.box_centre));
  const double limit = pair.b.geometry.radius + pair.reach + a.rounding;
  for (int i = 0; i < static_cast<int>(a.polyhedron.edge.size()); ++i) {
    const PolyhedronEdge& edge = a.polyhedron.edge[static_cast<std::size_t>(i)];
    if (edge.corner != Corner::Convex) continue;
    const Vec3& begin = a.vertex[static_cast<std::size_t>(edge.begin)];
    const double s = std::clamp(edge.direction.dot(centre - begin), 0.0, edge.length);
    if ((begin + s * edge.direction - centre).norm() > limit) continue;
    const Vec3 x = pair.a.frame.to_world(begin), u = pair.a.frame.rotation * edge.direction;
    const double t = smooth_closest_on_line(pair.b, x, u, -edge.length, 2 * edge.length);
    if (t <= 0 || t >= edge.length) continue;
    const SurfacePoint closest = smooth_closest(pair.b, x + t * u);
    if (closest.distance - a.rounding >= pair.reach || closest.distance < -depth) continue;
    const Vec3 n = pair.a.frame.rotation.transpose() * closest.normal;
    if (edge.into[0].dot(n) < -kLean || edge.into[1].dot(n) < -kLean) continue;
    pair.add(edge_code(i), smooth_code(0), closest.normal);
  }
}

// Rim points of cylinder pair.b over the caps of cylinder pair.a.
void search_caps(PairSearch& pair) {
  for (int cap = 0; cap < 2; ++cap) search_face(pair, cap, pair.reach + 1e-3 * pair.a.geometry.radius);
}

void search_polytope(PairSearch& pair) {
  const Geometry &a = pair.a.geometry, &b = pair.b.geometry;
  // Deeper than this it is another part of the surface that touches.
  const double depth = 0.5 * std::min(a.radius, b.radius) + a.rounding;
  if (a.family <= Family::Ball) return search_vertices(pair, std::numeric_limits<double>::infinity());
  for (int face = 0; face < static_cast<int>(a.facet.size()); ++face) search_face(pair, face, depth);
  // Vertices of the polytope over the caps of a cylinder are found as closest points of its surface.
  search_vertices(pair, depth);
  if (a.family != Family::Polygon) search_edges(pair, depth);
}

}  // namespace

void search_smooth(PairSearch& pair) {
  if (pair.b.geometry.family == Family::HalfSpace) {
    PairSearch other = seen_from_b(pair);
    return search_face(other, 0, std::numeric_limits<double>::infinity());
  }
  if (!is_smooth(pair.a.geometry)) return search_polytope(pair);
  pair.add(smooth_code(0), smooth_code(0), Vec3::UnitX());
  if (pair.a.geometry.family == Family::Cylinder && pair.b.geometry.family == Family::Cylinder) {
    search_caps(pair);
    PairSearch other = seen_from_b(pair);
    search_caps(other);
  }
}

}  // namespace stickslip::collision
