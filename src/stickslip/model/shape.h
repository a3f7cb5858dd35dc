// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Shapes, each in a frame of its own. Planar shapes lie in the x-y plane (z is ignored), spatial ones in space.
// Solids carry mass by density (mass_properties.h); half-planes, half-spaces and open chains do not.
#pragma once

#include "stickslip/model/state.h"

#include <array>
#include <memory>
#include <variant>
#include <vector>

namespace stickslip::model {

// --- both dimensions
struct PointSet {  // particle (one point at the origin), tripod, ...; points do not touch points
  std::vector<Vec3> points;
};
struct HalfSpace {  // the half-plane or half-space { x : normal . x <= offset } is solid
  Vec3 normal = Vec3::UnitY();
  double offset = 0;
};

// --- plane
struct Disc {
  double radius = 0;
};
struct Polygon {  // boundary loops: outer loops counter-clockwise, holes clockwise; convex or not; box becomes this
  std::vector<std::vector<Vec2>> loops;
};
struct Chain {  // open chain of segments, touched from both sides
  std::vector<Vec2> points;
};
struct Superellipse {  // |x/a|^p + |y/b|^p <= 1, p > 1
  double a = 1, b = 1, exponent = 2;
};

// --- space
struct Sphere {
  double radius = 0;
};
struct Capsule {  // along z, hemispheres centred at z = -+half_length
  double radius = 0, half_length = 0;
};
struct Cylinder {  // along z
  double radius = 0, half_length = 0;
};
struct Superellipsoid {  // (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q <= 1 with p = exponent_xy, q = exponent_z, both > 1
  double a = 1, b = 1, c = 1, exponent_xy = 2, exponent_z = 2;
};
struct Polyhedron {  // closed, consistently oriented (outward) surface; faces are planar polygons or triangles
  std::vector<Vec3> vertices;
  std::vector<std::vector<int>> faces;
  bool convex = false;
};

using Shape = std::variant<PointSet, HalfSpace, Disc, Polygon, Chain, Superellipse, Sphere, Capsule, Cylinder,
                           Superellipsoid, Polyhedron>;

struct PlacedShape {
  Shape shape;
  Pose pose;  // shape frame -> body frame (origin: the body's centre of mass)
};

}  // namespace stickslip::model
