// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Curves as an SVG page: observables over time, one panel each and one curve per run; differences over the step.
#pragma once

#include "batch.h"

#include <string>
#include <vector>

namespace stickslip::app {

// Throws std::runtime_error when the file cannot be written.
void write_plot(const std::string& path, const std::string& title, const std::vector<std::string>& observables,
                const std::vector<Variant>& variants, const std::vector<Result>& results);

// Both axes logarithmic: how far each run is from the next finer one, over its step, with lines of slope 1 and 2 to
// compare with. values[k][i]: observable k of the run with steps[i]; steps fall.
void write_order_plot(const std::string& path, const std::string& title, const std::vector<std::string>& observables,
                      const std::vector<double>& steps, const std::vector<std::vector<double>>& values);

}  // namespace stickslip::app
