// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/geometry.h"

#include "stickslip/collision/convex_parts.h"
#include "stickslip/collision/polyhedron_topology.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip::collision {
namespace {

// Below this sine of the angle between neighbouring sides the corner between them is no feature.
constexpr double kFlatSine = 1e-9;

void bound_by_vertices(Geometry& g) {
  Vec3 low = g.vertex.front(), high = low;
  for (const Vec3& v : g.vertex) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  g.box_centre = 0.5 * (low + high);
  g.box_half = 0.5 * (high - low) + Vec3::Constant(g.rounding);
  g.radius = 0;
  for (const Vec3& v : g.vertex) g.radius = std::max(g.radius, (v - g.box_centre).norm());
  g.radius += g.rounding;
}

double cross2(const Vec2& a, const Vec2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

// Appends one closed loop of sides.
void add_loop(PolygonTopology& polygon, const std::vector<Vec2>& loop) {
  const int first = polygon.sides(), n = static_cast<int>(loop.size());
  for (int i = 0; i < n; ++i) {
    const Vec2 along = loop[static_cast<std::size_t>((i + 1) % n)] - loop[static_cast<std::size_t>(i)];
    const double length = along.norm();
    polygon.vertex.push_back(loop[static_cast<std::size_t>(i)]);
    polygon.tangent.push_back(along / length);
    polygon.normal.emplace_back(along.y() / length, -along.x() / length);
    polygon.length.push_back(length);
    polygon.next.push_back(first + (i + 1) % n);
    polygon.prev.push_back(first + (i + n - 1) % n);
  }
}

Corner corner_between(const Vec2& before, const Vec2& after) {
  const double sine = cross2(before, after);
  if (before.dot(after) < 0 && std::abs(sine) <= kFlatSine) return Corner::Convex;  // the end of a chain
  if (sine > kFlatSine) return Corner::Convex;
  return sine < -kFlatSine ? Corner::Reflex : Corner::Flat;
}

void finish_polygon(Geometry& g) {
  PolygonTopology& polygon = g.polygon;
  polygon.convex = !polygon.thin;
  double turning = 0;
  for (int i = 0; i < polygon.sides(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec2& before = polygon.tangent[static_cast<std::size_t>(polygon.prev[k])];
    polygon.corner.push_back(corner_between(before, polygon.tangent[k]));
    if (polygon.corner.back() == Corner::Reflex) polygon.convex = false;
    turning += std::atan2(cross2(before, polygon.tangent[k]), before.dot(polygon.tangent[k]));
    g.vertex.emplace_back(polygon.vertex[k].x(), polygon.vertex[k].y(), 0);
    g.facet.push_back(
        {Vec3(polygon.normal[k].x(), polygon.normal[k].y(), 0), polygon.normal[k].dot(polygon.vertex[k])});
  }
  // Several loops turn more than once: never convex.
  if (turning > 7) polygon.convex = false;
  if (!polygon.thin) polygon.points = polygon.sides();
  bound_by_vertices(g);
}

struct GeometryMaker {
  Geometry& g;
  const model::Pose& pose;

  [[nodiscard]] Vec3 place(const Vec3& x) const { return pose.position + pose.orientation * x; }
  [[nodiscard]] Vec2 place(const Vec2& x) const { return place(Vec3(x.x(), x.y(), 0)).head<2>(); }

  void ball(double radius) const {
    g.family = Family::Ball;
    g.rounding = radius;
    g.vertex = {pose.position};
    bound_by_vertices(g);
  }

  void smooth(Family family, const Vec3& half) const {
    g.family = family;
    g.smooth.origin = pose.position;
    g.smooth.axes = pose.orientation.toRotationMatrix();
    g.box_centre = pose.position;
    g.box_half = g.smooth.axes.cwiseAbs() * half;
    g.radius = half.norm();
  }

  void operator()(const model::PointSet& s) const {
    g.family = Family::Points;
    for (const Vec3& p : s.points) g.vertex.push_back(place(p));
    if (!g.vertex.empty()) bound_by_vertices(g);
  }
  void operator()(const model::HalfSpace& s) const {
    g.family = Family::HalfSpace;
    const Vec3 n = pose.orientation * s.normal.normalized();
    g.facet = {{n, s.offset / s.normal.norm() + n.dot(pose.position)}};
    g.radius = std::numeric_limits<double>::infinity();
    g.box_half.setConstant(g.radius);
  }
  void operator()(const model::Disc& s) const { ball(s.radius); }
  void operator()(const model::Sphere& s) const { ball(s.radius); }

  void operator()(const model::Polygon& s) const {
    g.family = Family::Polygon;
    for (const std::vector<Vec2>& loop : s.loops) {
      std::vector<Vec2> placed;
      for (const Vec2& p : loop) placed.push_back(place(p));
      add_loop(g.polygon, placed);
    }
    finish_polygon(g);
  }
  void operator()(const model::Chain& s) const {
    g.family = Family::Polygon;
    std::vector<Vec2> there_and_back;
    for (const Vec2& p : s.points) there_and_back.push_back(place(p));
    const int n = static_cast<int>(s.points.size());
    for (int i = n - 2; i > 0; --i) there_and_back.push_back(there_and_back[static_cast<std::size_t>(i)]);
    g.polygon.thin = true;
    g.polygon.points = n;
    add_loop(g.polygon, there_and_back);
    finish_polygon(g);
  }
  void operator()(const model::Superellipse& s) const {
    smooth(Family::Superellipse, Vec3(s.a, s.b, 0));
    g.smooth.semi_axes = Vec3(s.a, s.b, 0);
    g.smooth.p = s.exponent;
  }

  void operator()(const model::Capsule& s) const {
    g.family = Family::Capsule;
    g.rounding = s.radius;
    g.vertex = {place(Vec3(0, 0, -s.half_length)), place(Vec3(0, 0, s.half_length))};
    PolyhedronEdge axis;
    axis.end = 1;
    axis.direction = pose.orientation * Vec3::UnitZ();
    axis.length = 2 * s.half_length;
    g.polyhedron.edge = {axis};
    g.polyhedron.first_arm = {0, 1, 2};
    g.polyhedron.arm = {axis.direction, -axis.direction};
    g.polyhedron.is_feature = {1, 1};
    bound_by_vertices(g);
  }
  void operator()(const model::Cylinder& s) const {
    smooth(Family::Cylinder, Vec3(s.radius, s.radius, s.half_length));
    g.smooth.radius = s.radius;
    g.smooth.half_length = s.half_length;
    g.radius = std::hypot(s.radius, s.half_length);
    // The caps are facets 0 (top) and 1 (bottom).
    const Vec3 axis = g.smooth.axes.col(2);
    const double middle = axis.dot(g.smooth.origin);
    g.facet = {{axis, middle + s.half_length}, {-axis, s.half_length - middle}};
    // Points of the two rims (top, then bottom) that hold a cap which lies flat on something.
    for (double z : {s.half_length, -s.half_length}) {
      for (int i = 0; i < kRimPoints; ++i) {
        const double angle = 2 * std::numbers::pi * i / kRimPoints;
        g.vertex.push_back(place(Vec3(s.radius * std::cos(angle), s.radius * std::sin(angle), z)));
      }
    }
    // Its side is its axis, rounded.
    PolyhedronEdge side;
    side.begin = 2 * kRimPoints;
    side.end = side.begin + 1;
    side.direction = axis;
    side.length = 2 * s.half_length;
    g.polyhedron.edge = {side};
    g.vertex.push_back(place(Vec3(0, 0, -s.half_length)));
    g.vertex.push_back(place(Vec3(0, 0, s.half_length)));
  }
  void operator()(const model::Superellipsoid& s) const {
    smooth(Family::Superellipsoid, Vec3(s.a, s.b, s.c));
    g.smooth.semi_axes = Vec3(s.a, s.b, s.c);
    g.smooth.p = s.exponent_xy;
    g.smooth.q = s.exponent_z;
  }
  void operator()(const model::Polyhedron& s) const {
    g.family = Family::Polyhedron;
    for (const Vec3& v : s.vertices) g.vertex.push_back(place(v));
    build_polyhedron_topology(s.faces, g);
    bound_by_vertices(g);
    if (!g.polyhedron.convex) divide_into_convex_parts(s.faces, g);
  }
};

}  // namespace

int rim_vertex(int rim, double angle) {
  constexpr int kEvery = kRimParts / kRimPoints;
  const auto part = static_cast<int>(std::llround(angle / (2 * std::numbers::pi) * kRimParts)) & (kRimParts - 1);
  return part % kEvery == 0 ? rim * kRimPoints + part / kEvery : kFirstRimPart + rim * kRimParts + part;
}

Vec3 rim_point(const Geometry& cylinder, int vertex) {
  const SmoothSurface& s = cylinder.smooth;
  const int code = vertex - kFirstRimPart;
  const double angle = 2 * std::numbers::pi * (code % kRimParts) / kRimParts;
  const double z = code < kRimParts ? s.half_length : -s.half_length;
  return s.origin + s.axes * Vec3(s.radius * std::cos(angle), s.radius * std::sin(angle), z);
}

Geometry make_geometry(const model::PlacedShape& placed, int body, int shape) {
  Geometry g;
  g.body = body;
  g.shape = shape;
  std::visit(GeometryMaker{g, placed.pose}, placed.shape);
  return g;
}

}  // namespace stickslip::collision
