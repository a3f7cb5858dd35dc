// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What stickslip plot draws of a recording besides curves: pictures of the scene with names in them, above the panels
// or inside them, and contact modes as bands below a panel.
#pragma once

#include "plot_options.h"
#include "plot_sources.h"

#include "stickslip/report/figure.h"

#include <string>
#include <vector>

namespace stickslip::app {

// --modes, --contact-modes: of every run; of several, each band says of which. Returns notes for the user.
[[nodiscard]] std::vector<std::string> add_modes(const PlotOptions& options, const std::vector<PlotSource>& sources,
                                                 report::FigurePanel& panel);

// --still and --label: of the first run; with --split a row for each, all to one scale.
void add_stills(const PlotOptions& options, const std::vector<PlotSource>& sources, report::Figure& figure);

// --inset, into panels that are there.
void add_insets(const PlotOptions& options, const std::vector<PlotSource>& sources, report::Figure& figure);

}  // namespace stickslip::app
