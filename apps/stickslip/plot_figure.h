// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// From opened files and options to a figure.
#pragma once

#include "plot_sources.h"

#include "stickslip/report/figure.h"

#include <string>
#include <vector>

namespace stickslip::app {

struct PlotResult {
  report::Figure figure;
  std::vector<std::string> notes;   // what the user should know: for standard error
  std::vector<std::string> slopes;  // fitted, one line each
};

// Throws SeriesError and std::invalid_argument with one line. `sources` must outlive the result.
[[nodiscard]] PlotResult make_plot(const PlotOptions& options, PlotSources& sources);

// Least-squares slope of log y over log x; nan with fewer than two points that have logarithms.
struct LogFit {
  double slope = 0, at_one = 0;  // y = at_one * x^slope
};
[[nodiscard]] LogFit fit_logarithms(const std::vector<Vec2>& points);

// All numbers of a figure as CSV: panel, curve, x, y; u, v: components of arrows, u: values of cells.
[[nodiscard]] std::string figure_csv(const report::Figure& figure);

}  // namespace stickslip::app
