// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One panel of a figure (private to figure*.cpp): how much room it needs, and how it is drawn.
#pragma once

#include "stickslip/report/figure.h"

namespace stickslip::report {

inline constexpr double kLetters = 9, kTitleLetters = 10.5;

// How one curve looks.
struct CurveStyle {
  Color color;
  std::vector<double> dashes;
  Mark mark = Mark::Disc;
  double width = 1.3;
};
[[nodiscard]] CurveStyle curve_style(const FigureCurve& curve, std::size_t index, bool print);

// Where the parts of a panel are, relative to its upper left corner.
struct PanelLayout {
  double width = 0, height = 0;
  Axes axes;                         // the chart
  std::vector<Vec2> legend;          // upper left corner of each entry; empty: none
  std::vector<std::size_t> entries;  // the curve of each
  double bands_top = 0;
  double numbers = 0;  // width of the widest number of the y axis
};
// least: of the chart's corner, so that charts beside and below each other line up.
[[nodiscard]] PanelLayout lay_out(const Painter& painter, const FigurePanel& panel, const Figure& figure, double width,
                                  bool legend, const Vec2& least = Vec2::Zero());

void draw_panel(Painter& painter, const FigurePanel& panel, const PanelLayout& layout, const Vec2& corner,
                const Figure& figure);

}  // namespace stickslip::report
