// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A study over two grids as a map: the estimate of every cell with its 95 % interval. Studies with more grids give one
// panel for each combination of the others. Drawn by `stickslip study map` and on the page of the study.
#pragma once

#include "stickslip/study/store.h"

#include <string>
#include <vector>

namespace stickslip::study {

struct HeatMapCell {
  double x = 0, y = 0;
  std::vector<double> others;  // values of the other grids
  Estimate estimate;
};

struct HeatMap {
  std::string title, value;    // what is shown: success, objective or an observable
  std::string x_name, y_name;  // parameters along the axes
  std::vector<std::string> other_names;
  std::vector<double> xs, ys;               // sorted
  std::vector<std::vector<double>> panels;  // combinations of the other grids, in their order
  std::vector<HeatMapCell> cells;
};

// From a store of a study with at least two grids; `value` empty: success if there is one, else the objective. Throws
// StoreError when there is no such value or there are fewer than two grids.
[[nodiscard]] HeatMap heat_map_of(Store& store, const Study& study, const std::string& value = {});

}  // namespace stickslip::study
