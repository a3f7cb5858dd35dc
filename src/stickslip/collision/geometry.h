// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Shapes as collision uses them: made once per model from model::Shape, everything in the frame of the body.
//
// Most shapes are polytopes with rounding: a set of vertices, edges and facets, inflated by a radius. A ball is one
// vertex, a capsule two vertices and an edge, both with rounding; polygon, polyhedron and half-space have none. One
// evaluation (evaluate.h) serves all of them, in the plane and in space. Rims of cylinders, superellipses and
// superellipsoids have their own (smooth_pairs.h).
#pragma once

#include "stickslip/collision/feature.h"
#include "stickslip/model/model.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace stickslip::collision {

// In the order in which pairs of families are dispatched (narrow_phase.cpp).
enum class Family : std::uint8_t {
  Points,
  Ball,
  Capsule,
  Polygon,
  Polyhedron,
  Cylinder,
  Superellipse,
  Superellipsoid,
  HalfSpace
};
inline constexpr int kFamilies = 9;

// Points of a cylinder's rims are vertices. Eight fixed ones on each rim (top, then bottom) are in Geometry::vertex;
// any other one is named by its angle, in parts of a turn so small that the chord between neighbours leaves the circle
// by less than rounding does.
inline constexpr int kRimPoints = 8;
inline constexpr int kRimParts = 1 << 24;
inline constexpr int kFirstRimPart = 1 << 26;  // vertex kFirstRimPart + rim * kRimParts + part

// How two neighbouring sides of a solid meet. Flat: same plane, not a feature. Reflex: a notch.
enum class Corner : std::uint8_t { Convex, Flat, Reflex };

struct Facet {
  Vec3 normal = Vec3::UnitZ();  // outward, unit length
  double offset = 0;            // the plane { x : normal . x = offset }
};

// Planar boundary. Side i runs from vertex i to vertex next[i], the solid on its left; its facet has the same index.
// A chain is a boundary of no thickness: out along its points and back again (see `points` and `twin`).
struct PolygonTopology {
  std::vector<Vec2> vertex, tangent, normal;  // normal points out of the solid
  std::vector<double> length;
  std::vector<int> next, prev;
  std::vector<Corner> corner;  // at vertex i, between side prev[i] and side i
  bool convex = false;
  bool thin = false;
  int points = 0;  // vertices that are features: all of them, or the chain's own points

  [[nodiscard]] int sides() const { return static_cast<int>(vertex.size()); }
  // Chains: the point of the chain that vertex i is.
  [[nodiscard]] int point_of(int i) const { return i < points ? i : 2 * (points - 1) - i; }
};

struct PolyhedronEdge {
  int begin = 0, end = 0;
  Corner corner = Corner::Convex;
  Vec3 direction = Vec3::UnitX();
  double length = 0;
  int facet[2] = {-1, -1};                      // none for the axis of a capsule
  Vec3 into[2] = {Vec3::Zero(), Vec3::Zero()};  // in each facet, square to the edge, away from it
};

// A convex part of a facet: the foot of a point lies inside when every side's distance is <= 0.
struct PieceSide {
  Vec3 outward = Vec3::Zero();  // in the facet's plane
  double offset = 0;
  int edge = -1;  // of the polyhedron, -1 where pieces of one facet meet
};
struct FacetPiece {
  int facet = 0;
  int first_side = 0, sides = 0;
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();  // bounding box
};

struct FacetRim {
  int edge = 0;
  int side = 0;  // which of the edge's facets this is
};

struct PolyhedronTopology {
  std::vector<PolyhedronEdge> edge;
  std::vector<FacetPiece> piece;
  std::vector<PieceSide> piece_side;
  // Sharp edges that leave vertex i: arm[first_arm[i] .. first_arm[i + 1]), unit directions.
  std::vector<int> first_arm;
  std::vector<Vec3> arm;
  std::vector<std::uint8_t> is_feature;  // vertices where three planes meet (not inside a facet or along an edge)
  std::vector<int> feature_vertex;       // those vertices
  // Sharp edges around facet i: rim[first_rim[i] .. first_rim[i + 1]).
  std::vector<int> first_rim;
  std::vector<FacetRim> rim;
  bool convex = true;
};

// Of a concave polyhedron: vertices in Geometry::part_vertex, and a ball that holds them (convex_parts.h).
struct ConvexPart {
  int first = 0, count = 0;
  Vec3 centre = Vec3::Zero();
  double radius = 0;
};

// Curved shapes in a frame of their own (the one of model::Shape).
struct SmoothSurface {
  Vec3 origin = Vec3::Zero();  // shape frame -> body frame
  Mat3 axes = Mat3::Identity();
  double radius = 0, half_length = 0;  // cylinder
  Vec3 semi_axes = Vec3::Ones();       // superellipse, superellipsoid
  double p = 2, q = 2;
};

struct Geometry {
  Family family = Family::Points;
  int body = 0, shape = 0;
  double rounding = 0;
  Vec3 box_centre = Vec3::Zero(), box_half = Vec3::Zero();  // bounding box, body frame, rounding included
  double radius = 0;                                        // of the ball around box_centre that holds the shape
  std::vector<Vec3> vertex;
  std::vector<Facet> facet;
  PolygonTopology polygon;
  PolyhedronTopology polyhedron;
  SmoothSurface smooth;
  std::vector<ConvexPart> part;  // of a concave polyhedron; none when it has too many faces
  std::vector<Vec3> part_vertex;

  [[nodiscard]] bool unbounded() const { return family == Family::HalfSpace; }
  [[nodiscard]] bool planar() const { return family == Family::Polygon || family == Family::Superellipse; }
};

// Rounding of a feature. The side of a cylinder is its axis, rounded by its radius, and so are the axis' ends (vertices
// after those of the rims); its other features are sharp.
[[nodiscard]] inline double feature_radius(const Geometry& g, FeatureCode feature) {
  if (g.family != Family::Cylinder) return g.rounding;
  const bool side = feature_kind(feature) == FeatureKind::Edge ||
                    (feature_kind(feature) == FeatureKind::Vertex && feature_index(feature) >= 2 * kRimPoints &&
                     feature_index(feature) < kFirstRimPart);
  return side ? g.smooth.radius : 0;
}

// The vertex of a rim (0: top, 1: bottom) that is next to an angle.
[[nodiscard]] int rim_vertex(int rim, double angle);
[[nodiscard]] Vec3 rim_point(const Geometry& cylinder, int vertex);
// On which rim a vertex of a cylinder lies; -1: on none (the ends of the axis).
[[nodiscard]] inline int rim_of(int vertex) {
  if (vertex >= kFirstRimPart) return (vertex - kFirstRimPart) / kRimParts;
  return vertex < 2 * kRimPoints ? vertex / kRimPoints : -1;
}

// Body frame.
[[nodiscard]] inline Vec3 vertex_of(const Geometry& g, int i) {
  return i < kFirstRimPart ? g.vertex[static_cast<std::size_t>(i)] : rim_point(g, i);
}

// Where a body is and how it moves, in a form that is quick to use.
struct BodyFrame {
  Vec3 position = Vec3::Zero(), linear = Vec3::Zero(), angular = Vec3::Zero();
  Mat3 rotation = Mat3::Identity();
  double spin = 0;  // |angular|

  [[nodiscard]] Vec3 to_world(const Vec3& x) const { return position + rotation * x; }
  [[nodiscard]] Vec3 to_body(const Vec3& x) const { return rotation.transpose() * (x - position); }
  [[nodiscard]] Vec3 velocity_at(const Vec3& x) const { return linear + angular.cross(x - position); }
};

[[nodiscard]] Geometry make_geometry(const model::PlacedShape& placed, int body, int shape);

}  // namespace stickslip::collision
