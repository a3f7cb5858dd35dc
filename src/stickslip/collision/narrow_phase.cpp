// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/narrow_phase.h"

#include <algorithm>
#include <cmath>

namespace stickslip::collision {

Placement PairSearch::place(FeatureCode feature_a, FeatureCode feature_b, const Vec3& side) const {
  return swapped ? evaluate(b, feature_b, a, feature_a, -side) : evaluate(a, feature_a, b, feature_b, side);
}

void PairSearch::append(FeatureCode feature_a, FeatureCode feature_b, const Placement& placement) {
  Contact& contact = out.emplace_back();
  contact.id = id;
  contact.id.feature_a = swapped ? feature_b : feature_a;
  contact.id.feature_b = swapped ? feature_a : feature_b;
  contact.surface = surface;
  contact.gap = placement.gap;
  contact.point_a = placement.point_a;
  contact.point_b = placement.point_b;
  contact.normal = placement.normal;
}

bool PairSearch::is_there(const Placement& placement, double distance) const {
  for (std::size_t i = first; i < out.size(); ++i) {
    const Contact& c = out[i];
    if ((c.point_b - placement.point_b).norm() <= distance && (c.point_a - placement.point_a).norm() <= distance &&
        c.normal.dot(placement.normal) > 1 - 1e-9) {
      return true;
    }
  }
  return false;
}

void PairSearch::add(FeatureCode feature_a, FeatureCode feature_b, const Vec3& side) {
  const Placement placement = place(feature_a, feature_b, side);
  if (placement.gap < reach) append(feature_a, feature_b, placement);
}

void PairSearch::add_unless_there(FeatureCode feature_a, FeatureCode feature_b, const Vec3& side, double distance) {
  const Placement placement = place(feature_a, feature_b, side);
  if (placement.gap < reach && !is_there(placement, distance)) append(feature_a, feature_b, placement);
}

// Planes see whole shapes: every vertex in reach, except those that hang behind a neighbour that is much closer.
void search_vertices_half_space(PairSearch& pair) {
  const Geometry& shape = pair.a.geometry;
  const Facet& plane = pair.b.geometry.facet.front();
  const Vec3 normal = pair.b.frame.rotation * plane.normal;
  const Vec3 n = pair.a.frame.rotation.transpose() * normal;  // in the frame of the shape
  const double height = normal.dot(pair.a.frame.position - pair.b.frame.position) - plane.offset - shape.rounding;
  const PolyhedronTopology& topology = shape.polyhedron;
  const PolygonTopology& polygon = shape.polygon;
  const bool planar = shape.family == Family::Polygon;
  const int count = planar ? polygon.points : static_cast<int>(shape.vertex.size());
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!(height + n.dot(shape.vertex[k]) < pair.reach)) continue;
    bool hangs_behind = false;
    if (planar) {
      const auto before = static_cast<std::size_t>(polygon.prev[k]);
      hangs_behind = n.head<2>().dot(polygon.tangent[k]) < -pair.slack ||
                     n.head<2>().dot(polygon.tangent[before]) > pair.slack;
    } else if (!topology.is_feature.empty()) {
      if (!topology.is_feature[k]) continue;
      for (int m = topology.first_arm[k]; m < topology.first_arm[k + 1]; ++m) {
        hangs_behind = hangs_behind || n.dot(topology.arm[static_cast<std::size_t>(m)]) < -pair.slack;
      }
    }
    if (!hangs_behind) pair.add(vertex_code(i), face_code(0), normal);
  }
}

void search_ball_ball(PairSearch& pair) {
  const Vec3 d = pair.a.frame.to_world(pair.a.geometry.vertex[0]) - pair.b.frame.to_world(pair.b.geometry.vertex[0]);
  const double limit = pair.reach + pair.a.geometry.rounding + pair.b.geometry.rounding;
  if (limit <= 0 || d.squaredNorm() >= limit * limit) return;
  pair.add(vertex_code(0), vertex_code(0), d.squaredNorm() > 0 ? d : Vec3(Vec3::UnitY()));
}

namespace {

using Search = void (*)(PairSearch&);

// Which search serves which families (a <= b); null where shapes never touch (points and points).
Search search_of(Family a, Family b) {
  using F = Family;
  const bool smooth_a = a == F::Cylinder || a == F::Superellipse || a == F::Superellipsoid;
  const bool smooth_b = b == F::Cylinder || b == F::Superellipse || b == F::Superellipsoid;
  if (smooth_a || smooth_b) return search_smooth;
  if (b == F::HalfSpace) return a == F::HalfSpace ? nullptr : search_vertices_half_space;
  if (a == F::Points && b == F::Points) return nullptr;
  if (b == F::Capsule) return a == F::Capsule ? search_capsule_capsule : search_vertices_capsule;
  if (b == F::Polygon) return a == F::Polygon ? search_polygon_polygon : search_vertices_polygon;
  if (b == F::Polyhedron) return a <= F::Ball ? search_vertices_polyhedron : search_polytope_polyhedron;
  // Points or a ball against a ball.
  return a == F::Ball ? search_ball_ball : search_vertices_capsule;
}

}  // namespace

void search(PairSearch& pair) {
  pair.first = pair.out.size();
  const Search run = search_of(pair.a.geometry.family, pair.b.geometry.family);
  if (run == nullptr) return;
  run(pair);
  const auto begin = pair.out.begin() + static_cast<std::ptrdiff_t>(pair.first);
  if (pair.out.end() - begin > 1) {
    std::sort(begin, pair.out.end(), [](const Contact& x, const Contact& y) { return x.id < y.id; });
  }
}

}  // namespace stickslip::collision
