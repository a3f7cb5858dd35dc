// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Figures: panels with curves, points, arrows, coloured cells or bands over axes with labels. What stickslip plot,
// compare --plot and converge --plot draw.
//
// Curves that follow each other differ in colour and dash. The colours are those of Okabe and Ito 2008, which people
// who do not see red or green tell apart too; the style for print uses black and greys, with other dashes and marks.
#pragma once

#include "stickslip/report/axes.h"
#include "stickslip/report/run_data.h"
#include "stickslip/report/still.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace stickslip::report {

enum class Mark { None, Disc, Square, Diamond, Triangle, Ring };

struct FigureCurve {
  std::string label;         // in the legend; empty: not there
  std::vector<Vec2> points;  // what is not finite is a gap
  bool line = true, marks = false;
  bool mark_start = false;  // a ring at the first point
  bool theory = false;      // black and dashed, over the others
  bool faint = false;       // grey and dotted: fitted slopes
  double thickness = 1;     // of the line, of the usual one
};

struct FigureArrow {
  Vec2 at, by;
};

// Values over a grid; nan: no value.
struct FigureCells {
  std::vector<double> xs, ys;  // centres, rising
  std::vector<double> values;  // of (x, y) at xs.size() * y + x
  std::string label;
  double low = 0, high = 1;        // of the colours
  std::vector<std::string> notes;  // for each value what it says while the pointer rests on it; empty: nothing
};

struct FigureAxis {
  std::string label;
  bool logarithmic = false;
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;  // nan: as the curves need
};

// A picture of the scene at a recorded frame.
struct FigureStill {
  const RunData* data = nullptr;
  std::size_t frame = 0;
  std::string title;               // before its time
  std::vector<StillLabel> labels;  // besides those of the figure
};

// The same inside a panel's chart, in one of its corners.
struct FigureInset {
  FigureStill still;
  bool right = true, top = true;
};

struct FigurePanel {
  std::string title;
  FigureAxis x, y;
  bool equal = false;  // lengths on both axes are the same on the page
  std::vector<FigureCurve> curves;
  std::vector<FigureArrow> arrows;
  std::string arrow_unit;
  std::optional<FigureCells> cells;
  std::vector<std::vector<Band>> bands;  // modes over time, below the panel; the x axis is the time
  std::vector<std::string> band_names;
  std::vector<FigureInset> insets;
};

struct Figure {
  std::string title, note;  // note: small, below all
  std::vector<FigurePanel> panels;
  std::vector<FigureStill> stills;  // in rows above the panels
  std::vector<StillLabel> labels;   // in each of the stills; with empty texts: places that all of them show
  std::size_t still_columns = 0;    // of stills; 0: as many as look well
  View view;                        // of the stills and insets
  int columns = 1;                  // of panels
  double width = 480;               // points
  double height = 250;              // of a panel's chart; panels with equal axes take what they need
  bool print = false;               // black and greys
};

// pixels: width of a PNG; 0: two and a half per point.
[[nodiscard]] std::string draw_figure(const Figure& figure, Painter::Format format, int pixels = 0);

// Colour of a value between 0 and 1: dark blue to yellow, or light to dark grey; brightness alone tells the values.
[[nodiscard]] Color shade(double share, bool print);

}  // namespace stickslip::report
