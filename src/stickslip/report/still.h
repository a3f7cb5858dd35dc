// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pictures of a run without a browser: frames side by side, the mode timeline and the curves below them.
#pragma once

#include "stickslip/report/axes.h"
#include "stickslip/report/run_data.h"

#include <optional>

namespace stickslip::report {

// Where spatial scenes are looked at from, in degrees: azimuth about z, from x towards y, and elevation over the x-y
// plane. Along an axis, the page shows the plane of the other two. zoom > 1: nearer.
struct View {
  double azimuth = -60, elevation = 29, zoom = 1;

  [[nodiscard]] bool from_above() const { return elevation > 89; }
};
inline constexpr View kTop{-90, 90, 1}, kFront{-90, 0, 1}, kSide{0, 0, 1};

// oblique, top, front, side, or "AZIMUTH,ELEVATION" and perhaps ",ZOOM". Throws std::invalid_argument.
[[nodiscard]] View view_of(const std::string& text);

struct StillOptions {
  std::vector<double> times;  // of the frames shown; empty: `frames` of them, evenly over the run
  int frames = 6;
  bool charts = true;  // mode timeline and curves
  double width = 900;  // points
  View view;
};

[[nodiscard]] std::string draw_still(const RunData& data, Painter::Format format, const StillOptions& options = {});

// A name in a picture, in the coordinates of the scene: at a point, or with a measuring line from one point to another.
struct StillLabel {
  std::string text;  // empty: the place is within the picture, nothing is written
  Vec3 at = Vec3::Zero();
  std::optional<Vec3> to;
};

// What a picture with these labels shows.
[[nodiscard]] Bounds shown_bounds(const RunData& data, const std::vector<StillLabel>& labels);

// What the length scale takes of a picture, below its frame.
inline constexpr double kScaleRoom = 13;

// The scene at a recorded frame, inside a rectangle: the frame, and below it a length to compare with.
void draw_scene(Painter& painter, const RunData& data, std::size_t frame, const Vec2& corner, const Vec2& size,
                const View& view = {}, const std::vector<StillLabel>& labels = {});

}  // namespace stickslip::report
