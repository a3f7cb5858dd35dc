// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace stickslip::study {
namespace {

// The value of a trial that the map shows; nan: none.
std::function<double(const TrialResult&)> reader_of(const Store& store, const std::string& value) {
  if (value == "success") return [](const TrialResult& result) { return result.success; };
  if (value == "objective") return [](const TrialResult& result) { return result.objective; };
  const auto& names = store.header().observables;
  const auto found = std::ranges::find(names, value);
  if (found == names.end())
    throw StoreError(fmt::format("the store has no '{}': success, objective and the observables can be drawn", value),
                     true);
  const auto i = static_cast<std::size_t>(found - names.begin());
  return [i](const TrialResult& result) { return result.observables[i]; };
}

}  // namespace

HeatMap heat_map_of(Store& store, const Study& study, const std::string& value) {
  HeatMap map;
  map.value = !value.empty() ? value : study.success.empty() ? "objective" : "success";
  map.title = study.title;
  const auto read = reader_of(store, map.value);
  std::vector<std::size_t> grids;
  for (std::size_t i = 0; i < study.variations.size(); ++i)
    if (study.variations[i].kind == Variation::Kind::Grid && study.variations[i].values.size() > 1) grids.push_back(i);
  if (grids.size() < 2)
    throw StoreError("a map needs a study over at least two grids or lists of more than one value", true);
  // The two largest grids are the axes, in their order.
  std::vector<std::size_t> axes = grids;
  std::ranges::stable_sort(axes, std::greater<>(), [&](std::size_t i) { return study.variations[i].values.size(); });
  const std::size_t x = std::min(axes[0], axes[1]), y = std::max(axes[0], axes[1]);
  std::vector<std::size_t> others;
  for (const std::size_t i : grids)
    if (i != x && i != y) others.push_back(i);
  map.x_name = study.variations[x].parameter;
  map.y_name = study.variations[y].parameter;
  for (const std::size_t i : others) map.other_names.push_back(study.variations[i].parameter);
  map.xs = study.variations[x].values;
  map.ys = study.variations[y].values;
  std::ranges::sort(map.xs);
  std::ranges::sort(map.ys);

  struct Cell {
    HeatMapCell cell;
    RateEstimator rate;
    MeanEstimator mean;
  };
  std::map<std::int64_t, Cell> cells;
  store.read([&](const TrialPoint& trial, const TrialResult& result) {
    Cell& cell = cells[trial.group];
    cell.cell.x = trial.values[x];
    cell.cell.y = trial.values[y];
    cell.cell.others.clear();
    for (const std::size_t i : others) cell.cell.others.push_back(trial.values[i]);
    const double number = read(result);
    if (std::isnan(number)) return;
    cell.rate.add(number != 0);
    cell.mean.add(number);
  });
  std::set<std::vector<double>> panels;
  for (auto& [group, cell] : cells) {
    cell.cell.estimate = map.value == "success" ? cell.rate.estimate() : cell.mean.estimate();
    panels.insert(cell.cell.others);
    map.cells.push_back(cell.cell);
  }
  map.panels.assign(panels.begin(), panels.end());
  return map;
}

}  // namespace stickslip::study
