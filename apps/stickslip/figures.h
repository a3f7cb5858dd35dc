// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The figures of compare and converge, and how figures become files.
#pragma once

#include "batch.h"
#include "outputs.h"

#include "stickslip/report/figure.h"
#include "stickslip/study/heat_map.h"

#include <string>
#include <vector>

namespace stickslip::app {

// By the ending of the name: .svg, .png, .pdf. Throws std::invalid_argument on another one.
[[nodiscard]] report::Painter::Format figure_format(const std::string& path);

[[nodiscard]] OutputKind figure_kind(const std::string& path);  // what to claim it as; throws likewise

// Throws std::runtime_error when the file cannot be written, std::invalid_argument when its name has another ending.
void write_figure(const std::string& path, const report::Figure& figure, int pixels = 0);

// Observables over time, one panel each and one curve per run.
[[nodiscard]] report::Figure series_figure(const std::string& title, const std::vector<scene::Observable>& observables,
                                           const std::string& time_unit, const std::vector<Variant>& variants,
                                           const std::vector<Result>& results);

// For each panel of a map its values, and beside them the width of their intervals.
[[nodiscard]] report::Figure map_figure(const study::HeatMap& map);

// What is made finer, and what the runs gave. values[k][i]: observable k of the run with resolution[i].
struct Refinement {
  std::string name;                // "step", "directions"
  std::vector<double> resolution;  // in the order of the runs, ever finer
  std::vector<std::vector<double>> values;
  std::vector<std::string> why_not;  // of each observable: why no order is stated (convergence.h); empty: there is one
};

// Both axes logarithmic, a panel per observable and refinement: how far each run is from the next finer one, with the
// slope fitted to it where there is an order.
[[nodiscard]] report::Figure order_figure(const std::string& title, const std::vector<scene::Observable>& observables,
                                          const std::string& time_unit, const std::vector<Refinement>& refinements);

}  // namespace stickslip::app
