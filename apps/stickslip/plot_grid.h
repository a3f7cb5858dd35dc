// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Panels over a plane: arrows of a velocity field, coloured cells of a map. Usually of the trials of a study over
// grids.
#pragma once

#include "plot_sources.h"

#include "stickslip/report/figure.h"

#include <string>
#include <vector>

namespace stickslip::app {

// One panel per source. Throws SeriesError and std::invalid_argument.
[[nodiscard]] std::vector<report::FigurePanel> field_panels(const PlotOptions& options,
                                                            const std::vector<PlotSource>& sources);
[[nodiscard]] std::vector<report::FigurePanel> heat_panels(const PlotOptions& options,
                                                           const std::vector<PlotSource>& sources);

// Arrows and cells as lines of figure_csv: panel, curve, x, y, then the arrow's components or the cell's value.
[[nodiscard]] std::string grid_csv(const report::FigurePanel& panel, const std::string& name);

}  // namespace stickslip::app
