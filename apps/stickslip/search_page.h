// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The page of optimise, one HTML file (report/page.h; web/src/search_data.ts has the types that the page reads): the
// objective over the evaluations, the designs, and trials before and after.
#pragma once

#include "step_check.h"

#include "stickslip/study/design_check.h"
#include "stickslip/study/optimise.h"

#include <string>
#include <vector>

namespace stickslip::app {

// One evaluation of a search, in the order of all of them.
struct SearchPoint {
  int round = 0;  // each has half the step of the one before
  int start = 0;  // which search of the round
  std::vector<double> design;
  double value = study::kNotANumber;
};

struct SearchHistory {
  std::vector<SearchPoint> points;
  study::OptimiseResult result;
  std::vector<study::DesignCheck> rounds;
  std::vector<StepCheck> checks;
  double seconds = 0;
};

// Two trials are replayed with the first and with the best design: the one whose objective changed most, and the one
// that is worst in the end.
[[nodiscard]] std::string search_page(const study::Study& study, const SearchHistory& history);

}  // namespace stickslip::app
