// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The pages of compare and converge, one HTML file each (report/page.h; web/src/model_data.ts has the types that the
// page reads).
#pragma once

#include "comparison.h"
#include "refinement.h"

#include "stickslip/scene/document.h"

#include <string>
#include <vector>

namespace stickslip::app {

// Verdicts, values with error bars, curves and contact modes of all methods over each other, and replays of the first
// kMostReplays of them that finished, each run again with half its step.
constexpr std::size_t kMostReplays = 8;
[[nodiscard]] std::string comparison_page(const scene::Document& document, const std::vector<scene::Override>& given,
                                          const Comparison& comparison);

// A panel with logarithmic axes per observable, the values, and the curves of all steps over each other.
[[nodiscard]] std::string refinement_page(const std::string& scene, const Refined& refined);

}  // namespace stickslip::app
