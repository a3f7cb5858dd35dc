// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Line plots as SVG text: panels in a grid, logarithmic or linear axes, curves told apart by colour and dash pattern,
// in colours that people with any colour vision can tell apart (Okabe and Ito's set), a legend in each panel.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace stickslip::bench {

struct Curve {
  std::string label;
  std::vector<double> x, y;  // points with x or y not finite are left out
  bool steps = false;        // y holds to the right of its x until the next point
  bool strong = false;       // drawn thick: what the plot is about
};

struct Axis {
  std::string label;
  bool logarithmic = false;
  double from = 0, to = 1;
  std::vector<double> ticks;         // where the numbers stand
  std::vector<std::string> numbers;  // their text; empty: the value
};

struct Panel {
  std::string title;
  Axis x, y;
  std::vector<Curve> curves;
};

[[nodiscard]] std::string svg_plot(const std::string& title, std::span<const Panel> panels, int columns);

// Powers of ten that enclose the values, as a logarithmic axis.
[[nodiscard]] Axis decades(std::string label, double smallest, double largest);

}  // namespace stickslip::bench
