// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A figure in words, for readers who do not see it and for programs: SVG files carry it as their <desc>.
#pragma once

#include "stickslip/report/figure.h"

#include <string>

namespace stickslip::report {

// A line for each panel, for the pictures and for the note:
//
//     panel 1: "x (m)" over "time (s)"; curves: "cone", "box"
//     panel 2, sink: arrows over "x (cm)" and "y (cm)"
//     pictures: t = 0.1 s, t = 0.6 s
[[nodiscard]] std::string describe(const Figure& figure);

// The same inside an SVG file, with the figure's title.
[[nodiscard]] std::string with_description(std::string svg, const Figure& figure);

}  // namespace stickslip::report
