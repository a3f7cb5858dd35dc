// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pictures of a run without a browser: frames side by side, the mode timeline and the curves below them.
#pragma once

#include "stickslip/report/axes.h"
#include "stickslip/report/run_data.h"

namespace stickslip::report {

// Where spatial scenes are looked at from; along an axis, the page shows the plane of the other two.
enum class View { Oblique, Top, Front, Side };
inline constexpr const char* kViewNames[] = {"oblique", "top", "front", "side"};

struct StillOptions {
  std::vector<double> times;  // of the frames shown; empty: `frames` of them, evenly over the run
  int frames = 6;
  bool charts = true;  // mode timeline and curves
  double width = 900;  // points
  View view = View::Oblique;
};

[[nodiscard]] std::string draw_still(const RunData& data, Painter::Format format, const StillOptions& options = {});

// The scene at a recorded frame, inside a rectangle.
void draw_scene(Painter& painter, const RunData& data, std::size_t frame, const Vec2& corner, const Vec2& size,
                View view = View::Oblique);

}  // namespace stickslip::report
