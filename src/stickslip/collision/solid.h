// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The shapes of one body as convex pieces, for questions of distance and overlap (separation.h). Made once per body
// from model::Shape and nothing else: it shares no code with the contact search (geometry.h), so that one can check the
// other.
//
//     points, discs, balls, capsules   one or two vertices, inflated by a radius
//     convex polygons and polyhedra    their vertices
//     chains                           one segment each
//     cylinders, super-ellipses, super-ellipsoids, half-spaces   a support function of their own
//     concave polygons and polyhedra   a closed surface: the segments or triangles of the boundary, flagged `boundary`.
//                                      What they enclose is told by the winding number (encloses below).
//
// The pieces hang in a binary tree of balls; a leaf is one piece.
//
// Symbols   h(d) = max of d.x over the piece: the support function; support(d): the point where it is reached.
// Cost      O(n log n) to build, where n counts pieces, besides one test of convexity per polyhedron (vertices x
// faces).
#pragma once

#include "stickslip/model/shape.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stickslip::collision {

struct ConvexPiece {
  enum class Kind : std::uint8_t { Vertices, Cylinder, Superellipsoid, HalfSpace };
  Kind kind = Kind::Vertices;
  bool boundary = false;         // part of a closed surface
  bool point = false;            // of a point set: points do not touch points
  double rounding = 0;           // the piece is its core, inflated by this
  int first = 0, count = 0;      // vertices of the core in Solid::vertex
  Vec3 centre = Vec3::Zero();    // of a ball that holds the piece, body frame
  double radius = 0;             // of that ball; infinite: half-space
  Vec3 origin = Vec3::Zero();    // curved: frame of the shape in the body
  Mat3 axes = Mat3::Identity();  //
  Vec3 half = Vec3::Zero();      // curved: half sizes along the axes
  double p = 2, q = 2;           // exponents of a super-ellipsoid
  Vec3 normal = Vec3::UnitZ();   // half-space { x : normal.x <= offset }, body frame
  double offset = 0;
};

struct Solid {
  struct Node {  // of the tree of balls
    Vec3 centre = Vec3::Zero();
    double radius = 0;
    int left = -1, right = -1;  // children; a leaf has none
    int piece = -1;             // of a leaf
  };
  struct Surface {             // the closed boundary of a concave shape
    int first = 0, count = 0;  // pieces
    Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  };

  std::vector<Vec3> vertex;
  std::vector<ConvexPiece> piece;
  std::vector<Surface> surface;
  std::vector<Node> tree;       // the root is the first; half-spaces are not in it
  std::vector<int> half_space;  // pieces
  double radius = 0;            // of the ball around the body's origin that holds everything bounded
  bool planar = false;
};

[[nodiscard]] Solid make_solid(std::span<const model::PlacedShape> shapes, bool planar);

// The point of the piece's core that is farthest along d (body frame; any length but zero). Not for half-spaces.
[[nodiscard]] Vec3 support(const Solid& solid, const ConvexPiece& piece, const Vec3& d);

// Does the closed surface enclose x (body frame)? Winding number, by angles in the plane and solid angles in space.
// Cost: one inverse tangent per piece of the surface, none when x is outside of its box.
[[nodiscard]] bool encloses(const Solid& solid, const Solid::Surface& surface, const Vec3& x);

}  // namespace stickslip::collision
