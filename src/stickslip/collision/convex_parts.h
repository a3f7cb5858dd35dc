// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A concave polyhedron as a union of convex parts, so that an overlap with it can be told for certain: it overlaps a
// convex shape if and only if one of the parts does.
//
// The bounding box is divided by the planes of the faces until no face is left inside of a cell (binary space
// partition); cells that the surface encloses are the parts. Of the planes that could divide a cell the one that cuts
// the fewest faces is taken, facets that bound the cell cost nothing.
//
// Cost: once per shape, about faces squared. Shapes of more than kMostFaces triangles, or that fall into more than
// kMostParts parts, have none.
#pragma once

#include "stickslip/collision/geometry.h"

namespace stickslip::collision {

// Fills g.part and g.part_vertex from g.vertex and the faces.
void divide_into_convex_parts(const std::vector<std::vector<int>>& faces, Geometry& g);

}  // namespace stickslip::collision
