// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pictures of a run without a browser: frames side by side, the mode timeline and the curves below them.
#pragma once

#include "stickslip/report/painter.h"
#include "stickslip/report/run_data.h"

namespace stickslip::report {

struct StillOptions {
  std::vector<double> times;  // of the frames shown; empty: `frames` of them, evenly over the run
  int frames = 6;
  bool charts = true;  // mode timeline and curves
  double width = 900;  // points
};

[[nodiscard]] std::string draw_still(const RunData& data, Painter::Format format, const StillOptions& options = {});

// 1, 2 or 5 times a power of ten that divides a length into about `parts`.
[[nodiscard]] double nice_step(double length, double parts);

// The scene at a recorded frame, inside a rectangle.
void draw_scene(Painter& painter, const RunData& data, std::size_t frame, const Vec2& corner, const Vec2& size);

}  // namespace stickslip::report
