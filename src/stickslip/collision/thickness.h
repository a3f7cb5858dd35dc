// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How far something must move through a shape to come out on the other side, at least: what motions within a step are
// compared with (sweep.h).
//
//   balls, discs, capsules, cylinders, superellipsoids    their smallest full size
//   convex polygons and polyhedra                         the smallest width square to a side or face
//   concave ones                                          2 content / boundary, which is the thickness of a shell
//   points, chains                                        0
//   half-spaces                                           infinite
#pragma once

#include "stickslip/model/shape.h"

namespace stickslip::collision {

[[nodiscard]] double thickness(const model::Shape& shape);

}  // namespace stickslip::collision
