// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the user asked of stickslip plot, and the small languages of its options.
#pragma once

#include "stickslip/report/still.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stickslip::app {

struct PlotOptions {
  std::vector<std::string> files, set, vary;
  std::vector<std::string> y, theory, overlay;
  std::string x, against, reduce, field, heat, arrow_unit;
  std::string window, x_range, y_range, log;
  bool slope = false, points = false, split = false, legend = true, modes = false, contact_modes = false, equal = false,
       not_equal = false, mark_start = true;
  std::vector<double> stills;
  std::vector<std::string> labels;  // of the stills: TEXT@X,Y or TEXT@X,Y,X,Y
  std::string title, x_label;
  std::vector<std::string> y_labels;
  std::string style = "colour", size;
  int columns = 1;
  std::vector<std::string> outputs;
  std::string data;
  std::vector<std::string> insets;  // TIME[@CORNER[,PANEL]]
  std::string view = "oblique";
  int pixels = 0;
  bool force = false;
};

// "speed: hypot(vx, vy)" -> its label and its expression; without a label the expression is both.
struct Labelled {
  std::string label, expression;
  bool named = false;
};
[[nodiscard]] Labelled labelled(const std::string& text);

// At commas outside brackets. Throws std::invalid_argument on an empty part.
[[nodiscard]] std::vector<std::string> split_list(const std::string& text);

// The label given for a panel: one is for all panels, several are in their order; else `otherwise`.
[[nodiscard]] std::string y_label(const PlotOptions& options, std::size_t panel, const std::string& otherwise);

// "A:B", either end may be left out; `option` for the message. Throws std::invalid_argument.
struct AxisLimits {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};
[[nodiscard]] AxisLimits interval_of(const std::string& text, const char* option);

// "WIDTHxHEIGHT" in centimetres -> points. Throws std::invalid_argument.
[[nodiscard]] std::pair<double, double> page_size(const std::string& text);

}  // namespace stickslip::app
