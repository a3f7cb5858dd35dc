// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Shapes as polygons, for pictures.
#pragma once

#include "stickslip/model/shape.h"

#include <vector>

namespace stickslip::report {

// A planar shape's boundary loops in its own frame; empty for points and half-planes.
[[nodiscard]] std::vector<std::vector<Vec2>> outline(const model::Shape& shape);

// A solid's faces in its own frame, counter-clockwise from outside; empty for points and half-spaces.
[[nodiscard]] std::vector<std::vector<Vec3>> faces(const model::Shape& shape);

}  // namespace stickslip::report
