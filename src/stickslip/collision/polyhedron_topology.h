// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Facets, edges and vertices of a closed surface as collision needs them.
#pragma once

#include "stickslip/collision/geometry.h"

#include <vector>

namespace stickslip::collision {

// Reads g.vertex and the faces (counter-clockwise seen from outside); fills g.facet and g.polyhedron.
// Neighbouring faces in one plane become one facet, so that a triangulated box has six facets and twelve edges.
void build_polyhedron_topology(const std::vector<std::vector<int>>& faces, Geometry& g);

}  // namespace stickslip::collision
