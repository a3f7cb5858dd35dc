// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/narrow_phase.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stickslip::collision {

Placement PairSearch::place(FeatureCode feature_a, FeatureCode feature_b, const Vec3& side) const {
  return swapped ? evaluate(b, feature_b, a, feature_a, -side) : evaluate(a, feature_a, b, feature_b, side);
}

void PairSearch::append(FeatureCode feature_a, FeatureCode feature_b, const Placement& placement) {
  ContactId full = id;
  full.feature_a = swapped ? feature_b : feature_a;
  full.feature_b = swapped ? feature_a : feature_b;
  out.push_back({full, surface, placement.gap, placement.point_a, placement.point_b, placement.normal});
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

namespace {

// Is a neighbour of this vertex so much closer to the plane that the vertex cannot touch? n: the plane's normal, body
// frame.
bool hangs_behind(const Geometry& shape, std::size_t vertex, const Vec3& n, double slack) {
  if (shape.family == Family::Polygon) {
    const PolygonTopology& polygon = shape.polygon;
    const auto before = static_cast<std::size_t>(polygon.prev[vertex]);
    return n.head<2>().dot(polygon.tangent[vertex]) < -slack || n.head<2>().dot(polygon.tangent[before]) > slack;
  }
  const PolyhedronTopology& topology = shape.polyhedron;
  if (topology.is_feature.empty()) return false;
  if (!topology.is_feature[vertex]) return true;
  for (int m = topology.first_arm[vertex]; m < topology.first_arm[vertex + 1]; ++m) {
    if (n.dot(topology.arm[static_cast<std::size_t>(m)]) < -slack) return true;
  }
  return false;
}

}  // namespace

// Planes see whole shapes: every vertex in reach, except those that hang behind a neighbour that is much closer.
void search_vertices_half_space(PairSearch& pair) {
  const Geometry& shape = pair.a.geometry;
  const BodyFrame &frame = pair.a.frame, &ground = pair.b.frame;
  const Facet& plane = pair.b.geometry.facet.front();
  const Vec3 normal = ground.rotation * plane.normal;
  const auto add = [&](std::size_t i) {
    // The arithmetic of evaluate(), with what all vertices share done once.
    Placement placement = place_over_plane(frame.to_world(shape.vertex[i]), shape.rounding, normal, ground.position,
                                           plane.offset, pair.b.geometry.rounding);
    if (!(placement.gap < pair.reach)) return;
    if (pair.swapped) placement = {placement.gap, placement.point_b, placement.point_a, -placement.normal};
    pair.append(vertex_code(static_cast<int>(i)), face_code(0), placement);
  };
  if (shape.family == Family::Ball || (shape.family == Family::Points && shape.vertex.size() == 1)) return add(0);

  const double height = normal.dot(frame.position - ground.position) - plane.offset - shape.rounding;
  const Vec3 n = frame.rotation.transpose() * normal;  // in the frame of the shape
  if (height + n.dot(shape.box_centre) - shape.radius >= pair.reach) return;
  const auto count =
      shape.family == Family::Polygon ? static_cast<std::size_t>(shape.polygon.points) : shape.vertex.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (height + n.dot(shape.vertex[i]) < pair.reach && !hangs_behind(shape, i, n, pair.slack)) add(i);
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
constexpr Search search_of(Family a, Family b) {
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

constexpr auto kSearches = [] {
  std::array<std::array<Search, kFamilies>, kFamilies> table{};
  for (int a = 0; a < kFamilies; ++a) {
    for (int b = a; b < kFamilies; ++b) {
      table[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] =
          search_of(static_cast<Family>(a), static_cast<Family>(b));
    }
  }
  return table;
}();

}  // namespace

void search(PairSearch& pair) {
  pair.first = pair.out.size();
  const Search run =
      kSearches[static_cast<std::size_t>(pair.a.geometry.family)][static_cast<std::size_t>(pair.b.geometry.family)];
  if (run == nullptr) return;
  run(pair);
  if (pair.out.size() - pair.first < 2) return;
  const auto begin = pair.out.begin() + static_cast<std::ptrdiff_t>(pair.first);
  const auto by_id = [](const Contact& x, const Contact& y) { return x.id < y.id; };
  if (!std::is_sorted(begin, pair.out.end(), by_id)) std::sort(begin, pair.out.end(), by_id);
  // A pair of features is one contact, also when a search comes to it from both sides (a corner on the edge's line).
  const auto same_id = [](const Contact& x, const Contact& y) { return x.id == y.id; };
  pair.out.erase(std::unique(begin, pair.out.end(), same_id), pair.out.end());
}

}  // namespace stickslip::collision
