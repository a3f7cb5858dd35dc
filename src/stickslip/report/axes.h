// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Axes of a chart: what range they show, where their ticks are, and where a value lies on the page. Linear axes have
// ticks at 1, 2 or 5 times a power of ten; logarithmic ones at the powers of ten, and within a decade at 1, 2 and 5
// where they show less than three.
#pragma once

#include "stickslip/report/painter.h"

#include <limits>
#include <string>
#include <vector>

namespace stickslip::report {

// 1, 2 or 5 times a power of ten that divides a length into about `parts`.
[[nodiscard]] double nice_step(double length, double parts);

// A multiple of `step` with as many digits as the step needs.
[[nodiscard]] std::string tick_text(double value, double step);

struct Tick {
  double value = 0;
  std::string text;  // empty: a small tick without a number
};

// One direction of a chart.
struct Scale {
  double low = 0, high = 1;
  bool logarithmic = false;

  [[nodiscard]] bool shows(double value) const;    // finite, and positive where the axis is logarithmic
  [[nodiscard]] double share(double value) const;  // 0 at low, 1 at high
  [[nodiscard]] double value_at(double share) const;
  [[nodiscard]] std::vector<Tick> ticks(double parts) const;  // about that many of them
};

// The least range that holds values.
struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double value);
  [[nodiscard]] bool empty() const { return !(low <= high); }
  // With air on both sides: `air` of the range, or of the value where all are the same.
  [[nodiscard]] Scale scale(bool logarithmic, double air) const;
};

// A chart's rectangle: data -> page.
struct Axes {
  Vec2 corner = Vec2::Zero(), size = Vec2::Ones();
  Scale x, y;
  [[nodiscard]] Vec2 at(double px, double py) const {
    return {corner.x() + x.share(px) * size.x(), corner.y() + (1 - y.share(py)) * size.y()};
  }
};

// Grid, ticks with numbers, and the frame.
void draw_axes(Painter& painter, const Axes& axes, double letters, bool grid = true);

}  // namespace stickslip::report
