// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Is a planar outline one that bounds a solid? And putting its loops in order: outer ones counter-clockwise, holes
// clockwise.
#pragma once

#include "stickslip/model/shape.h"

#include <string>

namespace stickslip::model {

// Area enclosed by a loop, positive when it runs counter-clockwise.
[[nodiscard]] double signed_area(const std::vector<Vec2>& loop);

// Winding of the loop around a point that is not on it.
[[nodiscard]] bool loop_contains(const std::vector<Vec2>& loop, const Vec2& point);

// Gives every loop the direction that its nesting asks for: inside an even number of others counter-clockwise, inside
// an odd number (holes) clockwise. Loops must not cross.
void orient_loops(Polygon& polygon);

// Empty when the outline bounds a solid; otherwise one line that says what is wrong and where: not finite, fewer than
// three vertices, a side of no length, sides that cross or touch, no area, a loop that runs the wrong way round.
[[nodiscard]] std::string polygon_problem(const Polygon& polygon);

// The same for an open chain: finite, two points or more, no side of zero length.
[[nodiscard]] std::string chain_problem(const Chain& chain);

// Throws std::runtime_error with the text of polygon_problem, after orient_loops.
void check_polygon(Polygon& polygon);

}  // namespace stickslip::model
