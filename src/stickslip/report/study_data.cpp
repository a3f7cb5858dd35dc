// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/study_data.h"

#include "stickslip/report/axes.h"
#include "stickslip/scene/scene.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace stickslip::report {
namespace {

using study::TrialResult;

constexpr std::size_t kMostRows = 4000;  // single trials on the page: more lines than a chart can show
constexpr std::size_t kExtremes = 8;     // best and worst trials
constexpr std::size_t kMostMaps = 8;
constexpr std::int64_t kLeastBins = 8, kMostBins = 40;

// A number that each trial has.
struct TrialNumber {
  std::string name;
  std::function<double(const TrialResult&)> of;
};

std::vector<TrialNumber> values_of(const study::StoreHeader& header) {
  std::vector<TrialNumber> values{{"objective", [](const TrialResult& r) { return r.objective; }},
                                  {"end time", [](const TrialResult& r) { return r.end_time; }}};
  for (std::size_t k = 0; k < header.observables.size(); ++k)
    values.push_back({header.observables[k], [k](const TrialResult& r) { return r.observables[k]; }});
  return values;
}

struct CountedRange {
  Range range;
  std::int64_t count = 0;
  void add(double x) {
    range.add(x);
    count += std::isfinite(x) ? 1 : 0;
  }
};

Histogram empty_histogram(const std::string& name, const CountedRange& values) {
  Histogram histogram{name, values.range.low, values.range.high, {}, {}, {}, 0};
  // The cube root of the count follows from the least mean squared error of a smooth density; twice it is Rice's rule.
  const auto bins = static_cast<std::int64_t>(std::ceil(2 * std::cbrt(static_cast<double>(values.count))));
  histogram.counts.assign(static_cast<std::size_t>(std::clamp(bins, kLeastBins, kMostBins)), 0);
  histogram.successes = histogram.counts;
  return histogram;
}

void count(Histogram& histogram, double x, bool success) {
  if (!std::isfinite(x)) {
    ++histogram.undefined;
    return;
  }
  const double place = (x - histogram.low) / (histogram.high - histogram.low);
  const std::size_t last = histogram.counts.size() - 1;
  const std::size_t bin = std::min(last, static_cast<std::size_t>(place * static_cast<double>(last + 1)));
  ++histogram.counts[bin];
  histogram.successes[bin] += success ? 1 : 0;
}

// Small is good: the objective, else failures.
double cost_of(const StudyData& data, const TrialResult& result) {
  if (data.has_objective) return result.objective;
  return 1 - result.success;
}

// Keeps the first few of an order.
void keep(std::vector<TrialRow>& list, TrialRow row,
          const std::function<bool(const TrialRow&, const TrialRow&)>& before) {
  list.insert(std::upper_bound(list.begin(), list.end(), row, before), std::move(row));
  if (list.size() > kExtremes) list.pop_back();
}

void read_trials(study::Store& store, StudyData& data) {
  const std::vector<TrialNumber> values = values_of(data.header);
  std::vector<CountedRange> ranges(values.size());
  store.read([&](const study::TrialPoint&, const TrialResult& result) {
    for (std::size_t k = 0; k < values.size(); ++k) ranges[k].add(values[k].of(result));
  });
  std::vector<std::size_t> shown;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!(ranges[k].range.high > ranges[k].range.low)) continue;  // the same in all trials
    shown.push_back(k);
    data.histograms.push_back(empty_histogram(values[k].name, ranges[k]));
  }
  const auto stride =
      static_cast<std::int64_t>((static_cast<std::size_t>(data.summary.done) + kMostRows - 1) / kMostRows);
  std::int64_t place = 0;
  store.read([&](const study::TrialPoint& trial, const TrialResult& result) {
    for (std::size_t k = 0; k < shown.size(); ++k)
      count(data.histograms[k], values[shown[k]].of(result), result.success == 1);
    if (place++ % stride == 0) data.rows.push_back({trial, result});
    const double cost = cost_of(data, result);
    if (std::isnan(cost)) return;
    keep(data.best, {trial, result},
         [&](const TrialRow& x, const TrialRow& y) { return cost_of(data, x.result) < cost_of(data, y.result); });
    keep(data.worst, {trial, result},
         [&](const TrialRow& x, const TrialRow& y) { return cost_of(data, x.result) > cost_of(data, y.result); });
  });
  for (Histogram& histogram : data.histograms) {
    std::int64_t total = 0;
    for (const std::int64_t n : histogram.counts) total += n;
    for (const std::int64_t n : histogram.counts) histogram.shares.push_back(study::wilson_interval(n, total));
  }
}

void add_maps(study::Store& store, const study::Study& study, StudyData& data) {
  std::vector<std::string> names;
  if (data.has_success) names.emplace_back("success");
  if (data.has_objective) names.emplace_back("objective");
  for (const std::string& name : data.header.observables) names.push_back(name);
  if (names.size() > kMostMaps) names.resize(kMostMaps);
  for (const std::string& name : names) {
    const bool differs =
        name == "success" || std::ranges::any_of(data.histograms, [&](const Histogram& h) { return h.name == name; });
    if (differs) data.maps.push_back(study::heat_map_of(store, study, name));
  }
}

template <class List>
std::vector<std::string> units_of(const std::vector<std::string>& names, const List& quantities) {
  std::vector<std::string> units;
  for (const std::string& name : names) {
    const auto found = std::ranges::find_if(quantities, [&](const auto& q) { return q.name == name; });
    units.push_back(found == quantities.end() ? std::string() : found->unit);
  }
  return units;
}

std::int64_t grids_of(const study::Study& study) {
  return std::ranges::count_if(study.variations, [](const study::Variation& v) {
    return v.kind == study::Variation::Kind::Grid && v.values.size() > 1;
  });
}

}  // namespace

StudyData prepare_study(study::Store& store, const std::optional<study::Study>& study, const std::string& store_name) {
  StudyData data;
  data.store = store_name;
  data.header = store.header();
  data.summary = study::summarise(store);
  data.has_success = data.summary.success.count > 0;
  data.has_objective = data.summary.objective.count > 0;
  read_trials(store, data);
  data.parameter_units.resize(data.header.parameters.size());
  data.observable_units.resize(data.header.observables.size());
  if (study) {
    data.title = study->title;
    const scene::Scene scene = scene::load_scene(study->scene_file, study->set);
    data.parameter_units = units_of(data.header.parameters, scene.parameters);
    data.observable_units = units_of(data.header.observables, scene.observables);
    if (grids_of(*study) >= 2) add_maps(store, *study, data);
  } else {
    data.without_maps = "the study file is not where it was; stickslip report --study FILE draws maps";
  }
  return data;
}

}  // namespace stickslip::report
