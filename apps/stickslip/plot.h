// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Curves over time as an SVG page: one panel per observable, one curve per run.
#pragma once

#include "batch.h"

#include <string>
#include <vector>

namespace stickslip::app {

// Throws std::runtime_error when the file cannot be written.
void write_plot(const std::string& path, const std::string& title, const std::vector<std::string>& observables,
                const std::vector<Variant>& variants, const std::vector<Result>& results);

}  // namespace stickslip::app
