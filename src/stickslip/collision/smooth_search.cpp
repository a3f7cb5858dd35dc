// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of narrow_phase.h.
//
// Which features of the other shape face a cylinder, superellipse or superellipsoid?
//
//     half-space            the lowest point; of a cylinder the lowest point of either rim, and points of the rim of a
//                           cap that lies nearly flat (flat_cap.h)
//     points, balls         each, with the closest point of the surface
//     capsule               its ends and its axis, where the closest point lies inside the axis
//     polygon, polyhedron   faces under the lowest point, edges with the closest point inside them, vertices whose arms
//                           lean away from the surface
//     another smooth shape  the closest points; of cylinders: caps, side and rims, each where it faces the other
#include "stickslip/collision/flat_cap.h"
#include "stickslip/collision/polyhedron_search.h"
#include "stickslip/collision/smooth_pairs.h"

#include <algorithm>
#include <cmath>

namespace stickslip::collision {
namespace {

constexpr double kOnRim = 1e-9;        // part of the size by which a foot may lie outside its face: rounding
constexpr double kFlatCosine = 0.985;  // 10 degrees: a cap this flat on a face is held by points of its rim
constexpr double kTilt = 1e-9;         // sine below which a rim has no lowest point
constexpr double kLean = 1e-9;
constexpr double kAlong = 0.1;  // sine: a side this parallel to an edge lies along it

bool is_smooth(const Geometry& g) {
  return g.family == Family::Cylinder || g.family == Family::Superellipse || g.family == Family::Superellipsoid;
}

// The smooth shape (pair.b) against face `face` of pair.a.
void search_face(PairSearch& pair, int face, double depth) {
  const Vec3 normal = pair.a.frame.rotation * pair.a.geometry.facet[static_cast<std::size_t>(face)].normal;
  const double same = 1e-8 * pair.b.geometry.radius;
  const auto near = [&](const Vec3& x) {
    const double gap = height_over(pair.a, face, x);
    return gap < pair.reach && gap > -depth && !came_in_elsewhere(pair.a, face, gap, x);
  };
  const auto try_add = [&](FeatureCode feature, const Vec3& x) {
    if (near(x) && over_face(pair.a, face, x)) pair.add_unless_there(face_code(face), feature, -normal, same);
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
      // Next to a fixed point a crossing is that point: named by an angle it may miss it by a part of the turn.
      find_rim_crossings(pair.a, face, pair.b, pair.scratch.angles);
      for (const double angle : pair.scratch.angles) {
        const int i = rim_vertex(cap, angle);
        if (near(pair.b.frame.to_world(vertex_of(pair.b.geometry, i))))
          pair.add_unless_there(face_code(face), vertex_code(i), -normal, 1e-6 * pair.b.geometry.radius);
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
    // Over a flat cap or along the side of a cylinder a vertex may lean; elsewhere its edges are the closer ones.
    const bool may_lean = a.rounding > 0 || feature_kind(closest.feature) != FeatureKind::Smooth;
    const double slack = may_lean ? pair.slack : kLean;
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
    if (lowest) pair.add(vertex_code(i), closest.feature, closest.normal);
  }
}

// Is the edge near enough to the ball around pair.b?
bool in_reach(const PairSearch& pair, const PolyhedronEdge& edge, double radius) {
  const Geometry& a = pair.a.geometry;
  const Vec3 centre = pair.a.frame.to_body(pair.b.frame.to_world(pair.b.geometry.box_centre));
  const Vec3& begin = a.vertex[static_cast<std::size_t>(edge.begin)];
  const double s = std::clamp(edge.direction.dot(centre - begin), 0.0, edge.length);
  return (begin + s * edge.direction - centre).norm() <= pair.b.geometry.radius + pair.reach + radius;
}

bool faces_lean_away(const PairSearch& pair, const PolyhedronEdge& edge, const Vec3& n) {
  const Vec3 m = pair.a.frame.rotation.transpose() * n;
  return edge.into[0].dot(m) >= -kLean && edge.into[1].dot(m) >= -kLean;
}

// Does normal n (world, out of b) fit the edge of a: place t inside it, both its facets leaning away?
bool fits(const PairSearch& pair, const PolyhedronEdge& edge, double t, const Vec3& n) {
  return t > 0 && t < edge.length && faces_lean_away(pair, edge, n);
}

double place_along(const PairSearch& pair, const PolyhedronEdge& edge, const Vec3& x) {
  return edge.direction.dot(pair.a.frame.to_body(x) - pair.a.geometry.vertex[static_cast<std::size_t>(edge.begin)]);
}

// Edge i of pair.a (or the side of a cylinder) against a rim of cylinder pair.b.
void search_rim(PairSearch& pair, int i, int rim, double depth) {
  const PolyhedronEdge& edge = pair.a.geometry.polyhedron.edge[static_cast<std::size_t>(i)];
  const Placement placement = evaluate(pair.a, edge_code(i), pair.b, smooth_code(1 + rim), Vec3::Zero());
  if (placement.gap >= pair.reach || placement.gap < -depth) return;
  const double up =
      placement.normal.dot(pair.b.frame.rotation * pair.b.geometry.smooth.axes.col(2)) * (rim == 0 ? 1 : -1);
  // Nearly along the axis or square to it: that is the cap or the side.
  if (up < kOnRim || up > 1 - kOnRim) return;
  if (fits(pair, edge, place_along(pair, edge, placement.point_a), placement.normal)) {
    pair.add(edge_code(i), smooth_code(1 + rim), placement.normal);
  }
}

// The rounding about an end of the axis goes on beyond the cap. Where the side leans that way, it is the rim that is
// closest, and the end would tell a gap that is too small by r (1 - cos): is the rim in the list?
bool leans_over_rim(const PairSearch& pair, int edge, int end, double sine) {
  constexpr double kLeansOut = 3e-6;
  const bool top = end == 2 * kRimPoints + 1;
  if ((top ? sine : -sine) < kLeansOut) return false;
  const FeatureCode rim = smooth_code(top ? 1 : 2);
  for (std::size_t k = pair.first; k < pair.out.size(); ++k) {
    const ContactId& id = pair.out[k].id;
    if ((pair.swapped ? id.feature_b : id.feature_a) == edge_code(edge) &&
        (pair.swapped ? id.feature_a : id.feature_b) == rim)
      return true;
  }
  return false;
}

// Where the side of cylinder pair.b lies along edge i of pair.a, the ends of its axis hold it.
void search_side_ends(PairSearch& pair, int i, double depth) {
  const PolyhedronEdge& edge = pair.a.geometry.polyhedron.edge[static_cast<std::size_t>(i)];
  const Vec3 u = pair.a.frame.rotation * edge.direction;
  const Vec3 axis = pair.b.frame.rotation * pair.b.geometry.smooth.axes.col(2);
  if (u.cross(axis).norm() > kAlong) return;
  for (int end : {2 * kRimPoints, 2 * kRimPoints + 1}) {
    const Vec3 x = pair.b.frame.to_world(pair.b.geometry.vertex[static_cast<std::size_t>(end)]);
    const double t = place_along(pair, edge, x);
    const Vec3 begin = pair.a.frame.to_world(pair.a.geometry.vertex[static_cast<std::size_t>(edge.begin)]);
    const Vec3 out = begin + t * u - x;  // from the axis to the edge
    const double gap = out.norm() - pair.b.geometry.smooth.radius - feature_radius(pair.a.geometry, edge_code(i));
    if (gap >= pair.reach || gap < -depth || out.norm() == 0) continue;
    // Sides of one length end together: a place at the end counts, and is one contact although both sides find it.
    const double slack = kOnRim * edge.length;
    if (leans_over_rim(pair, i, end, axis.dot(out) / out.norm())) continue;
    if (t > -slack && t < edge.length + slack && faces_lean_away(pair, edge, out.normalized()))
      pair.add_unless_there(edge_code(i), vertex_code(end), out, 1e-8 * pair.b.geometry.radius);
  }
}

// The side of a cylinder is its axis, rounded, and that goes on beyond its caps. What lies deeper under the side than
// under a cap came in through the cap: an edge on which a can stands.
bool through_cap(const Placed& shape, const Vec3& x, double gap) {
  if (shape.geometry.family != Family::Cylinder) return false;
  const double above = height_over(shape, 0, x), below = height_over(shape, 1, x);
  return gap < std::max(above, below) - kOnRim * shape.geometry.radius;
}

void search_sides(PairSearch& pair, int i, double depth) {
  const std::size_t before = pair.out.size();
  search_edge_pair(pair, place_edge(pair.a, i), place_edge(pair.b, 0), depth);
  if (pair.out.size() == before) return;
  const Contact& found = pair.out.back();
  const Vec3 &of_a = pair.swapped ? found.point_b : found.point_a, &of_b = pair.swapped ? found.point_a : found.point_b;
  if (through_cap(pair.a, of_b, found.gap) || through_cap(pair.b, of_a, found.gap)) pair.out.pop_back();
}

// Edges of pair.a (the side of a cylinder is one) against the surface of pair.b.
void search_edges(PairSearch& pair, double depth) {
  const Geometry& a = pair.a.geometry;
  for (int i = 0; i < static_cast<int>(a.polyhedron.edge.size()); ++i) {
    const PolyhedronEdge& edge = a.polyhedron.edge[static_cast<std::size_t>(i)];
    const double radius = feature_radius(a, edge_code(i));
    if (edge.corner != Corner::Convex || !in_reach(pair, edge, radius)) continue;
    if (pair.b.geometry.family == Family::Cylinder) {
      search_sides(pair, i, depth);
      search_rim(pair, i, 0, depth);
      search_rim(pair, i, 1, depth);
      search_side_ends(pair, i, depth);
      continue;
    }
    const Placement placement = evaluate(pair.a, edge_code(i), pair.b, smooth_code(0), Vec3::Zero());
    if (placement.gap >= pair.reach || placement.gap < -depth) continue;
    if (fits(pair, edge, place_along(pair, edge, placement.point_a), placement.normal)) {
      pair.add(edge_code(i), smooth_code(0), placement.normal);
    }
  }
}

// A rim of cylinder pair.a against a curved feature of pair.b.
void search_rim_curved(PairSearch& pair, int rim, FeatureCode feature_b, double depth) {
  const Placement placement = evaluate(pair.a, smooth_code(1 + rim), pair.b, feature_b, Vec3::Zero());
  if (placement.gap >= pair.reach || placement.gap < -depth) return;
  const auto looks_out = [](const Placed& shape, int k, const Vec3& n) {
    const double up = n.dot(shape.frame.rotation * shape.geometry.smooth.axes.col(2)) * (k == 0 ? 1 : -1);
    return up > kOnRim && up < 1 - kOnRim;
  };
  if (!looks_out(pair.a, rim, -placement.normal)) return;
  const bool rim_b = pair.b.geometry.family == Family::Cylinder;
  if (rim_b && !looks_out(pair.b, feature_index(feature_b) - 1, placement.normal)) return;
  pair.add(smooth_code(1 + rim), feature_b, placement.normal);
}

// Cylinder pair.a against a cylinder or superellipsoid.
void search_cylinder(PairSearch& pair) {
  const bool two = pair.b.geometry.family == Family::Cylinder;
  const double depth = 0.2 * std::min(pair.a.geometry.smooth.radius, pair.b.geometry.radius);
  PairSearch other = seen_from_b(pair);
  for (int cap = 0; cap < 2; ++cap) {
    search_face(pair, cap, depth);
    if (two) search_face(other, cap, depth);
  }
  search_edges(pair, depth);  // side against surface, or side and rims
  for (int rim = 0; rim < 2; ++rim) {
    if (two) {
      search_rim(other, 0, rim, depth);
      if (rim == 0) search_side_ends(other, 0, depth);
      search_rim_curved(pair, rim, smooth_code(1), depth);
      search_rim_curved(pair, rim, smooth_code(2), depth);
    } else {
      search_rim_curved(pair, rim, smooth_code(0), depth);
    }
  }
}

void search_polytope(PairSearch& pair) {
  const Geometry &a = pair.a.geometry, &b = pair.b.geometry;
  // Deeper than this it is another part of the surface that touches.
  const double depth = 0.5 * std::min(a.radius, b.radius) + a.rounding;
  if (a.family <= Family::Ball) return search_vertices(pair, std::numeric_limits<double>::infinity());
  for (int face = 0; face < static_cast<int>(a.facet.size()); ++face) search_face(pair, face, depth);
  search_vertices(pair, depth);
  if (a.family != Family::Polygon) search_edges(pair, depth);
}

}  // namespace

void search_smooth(PairSearch& pair) {
  if (pair.b.geometry.family == Family::HalfSpace) {
    PairSearch other = seen_from_b(pair);
    return search_face(other, 0, std::numeric_limits<double>::infinity());
  }
  if (!is_smooth(pair.a.geometry)) {
    search_polytope(pair);
  } else if (pair.a.geometry.family == Family::Cylinder) {
    search_cylinder(pair);
  } else {
    return pair.add(smooth_code(0), smooth_code(0), Vec3::UnitX());
  }
  add_wholes_if_missed(pair, !pair.a.geometry.planar());
  keep_shortest_way_out(pair);
}

}  // namespace stickslip::collision
