// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Planar outlines from the path language of SVG (the text of a `d` attribute).
#pragma once

#include "stickslip/model/shape.h"

#include <string_view>

namespace stickslip::model {

// All commands (M L H V C S Q T A Z, absolute and relative). Every subpath is closed, as SVG does for filling. Curves
// become chords that stay within `tolerance` of them, a length in the path's units. Coordinates are taken as they
// stand; note that SVG's y axis points down on the screen. Loops are oriented by their nesting (polygon_checks.h).
// Throws std::runtime_error with the place in the text, or with what is wrong with the outline.
[[nodiscard]] Polygon parse_svg_path(std::string_view d, double tolerance);

}  // namespace stickslip::model
