// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Polygons and polyhedra that have a name of their own.
#pragma once

#include "stickslip/model/shape.h"

#include <span>

namespace stickslip::model {

// Centred at the origin, sides along the axes; full sizes.
[[nodiscard]] Polygon make_rectangle(double width, double height);
[[nodiscard]] Polyhedron make_box(const Vec3& size);

// Smallest convex polyhedron around the points; points inside it are dropped, faces in one plane are one polygon.
// Throws std::runtime_error when the points lie in one plane. Cost O(n h), h: faces of the hull.
[[nodiscard]] Polyhedron convex_hull(std::span<const Vec3> points);

}  // namespace stickslip::model
