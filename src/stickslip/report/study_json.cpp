// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of study_data.h.
//
// A study as the page reads it.
#include "stickslip/report/study_data.h"

namespace stickslip::report {
namespace {

using Json = nlohmann::json;

Json estimate_json(const study::Estimate& estimate) {
  return {{"value", number(estimate.value)},
          {"low", number(estimate.low)},
          {"high", number(estimate.high)},
          {"count", estimate.count}};
}

Json histogram_json(const Histogram& histogram) {
  Json low = Json::array(), high = Json::array();
  for (const study::Estimate& share : histogram.shares) {
    low.push_back(share.low);
    high.push_back(share.high);
  }
  return {{"name", histogram.name},           {"low", histogram.low},
          {"high", histogram.high},           {"counts", histogram.counts},
          {"successes", histogram.successes}, {"undefined", histogram.undefined},
          {"share_low", std::move(low)},      {"share_high", std::move(high)}};
}

Json map_json(const study::HeatMap& map) {
  Json cells = Json::array();
  for (const study::HeatMapCell& cell : map.cells)
    cells.push_back(
        {{"x", cell.x}, {"y", cell.y}, {"others", cell.others}, {"estimate", estimate_json(cell.estimate)}});
  return {{"value", map.value}, {"x_name", map.x_name}, {"y_name", map.y_name}, {"other_names", map.other_names},
          {"xs", map.xs},       {"ys", map.ys},         {"panels", map.panels}, {"cells", std::move(cells)}};
}

Json trial_json(const TrialRow& row) {
  Json parameters = Json::array(), observables = Json::array();
  for (const double x : row.trial.values) parameters.push_back(number(x));
  for (const double x : row.result.observables) observables.push_back(number(x));
  return {{"trial", row.trial.index},
          {"status", study::name_of(row.result.status)},
          {"cause", row.result.cause},
          {"success", number(row.result.success)},
          {"objective", number(row.result.objective)},
          {"end_time", number(row.result.end_time)},
          {"parameters", std::move(parameters)},
          {"observables", std::move(observables)}};
}

Json failures_json(const study::StudySummary& summary) {
  Json list = Json::array();
  for (const study::FailureCluster& cluster : summary.failures)
    list.push_back({{"cause", cluster.cause},
                    {"status", study::name_of(cluster.status)},
                    {"count", cluster.count},
                    {"trials", cluster.examples}});
  return list;
}

Json stages_json(const StudyData& data) {
  Json list = Json::array();
  for (std::size_t k = 0; k < data.summary.stages.size(); ++k) {
    const study::StudySummary::StageCost& stage = data.summary.stages[k];
    list.push_back({{"name", data.header.stages[k]},
                    {"designs", stage.designs},
                    {"passed", stage.passed},
                    {"seconds", stage.seconds}});
  }
  return list;
}

// Columns of the single trials: number, success, and one each for the objective, parameters and observables.
Json rows_json(const StudyData& data, Packer& packer) {
  std::vector<std::int32_t> trial;
  std::vector<float> success, objective;
  for (const TrialRow& row : data.rows) {
    trial.push_back(static_cast<std::int32_t>(row.trial.index));
    success.push_back(static_cast<float>(row.result.success));
    objective.push_back(static_cast<float>(row.result.objective));
  }
  const auto columns = [&](std::size_t count, const auto& value) {
    Json list = Json::array();
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<float> column;
      for (const TrialRow& row : data.rows) column.push_back(static_cast<float>(value(row, k)));
      list.push_back(packer.f32(column));
    }
    return list;
  };
  return {{"trial", packer.i32(trial)},
          {"success", packer.f32(success)},
          {"objective", packer.f32(objective)},
          {"parameters", columns(data.header.parameters.size(),
                                 [](const TrialRow& row, std::size_t k) { return row.trial.values[k]; })},
          {"observables", columns(data.header.observables.size(),
                                  [](const TrialRow& row, std::size_t k) { return row.result.observables[k]; })}};
}

}  // namespace

Json study_json(const StudyData& data, Packer& packer) {
  const study::StudySummary& summary = data.summary;
  Json status = Json::object(), histograms = Json::array(), maps = Json::array(), best = Json::array(),
       worst = Json::array();
  for (std::size_t k = 0; k < summary.by_status.size(); ++k)
    status[study::name_of(static_cast<study::TrialStatus>(k))] = summary.by_status[k];
  for (const Histogram& histogram : data.histograms) histograms.push_back(histogram_json(histogram));
  for (const study::HeatMap& map : data.maps) maps.push_back(map_json(map));
  for (const TrialRow& row : data.best) best.push_back(trial_json(row));
  for (const TrialRow& row : data.worst) worst.push_back(trial_json(row));
  return {{"store", data.store},
          {"title", data.title},
          {"version", data.header.version},
          {"study_text", data.header.study_text},
          {"scene_text", data.header.scene_text},
          {"parameters", data.header.parameters},
          {"observables", data.header.observables},
          {"parameter_units", data.parameter_units},
          {"observable_units", data.observable_units},
          {"total", summary.total},
          {"done", summary.done},
          {"status", std::move(status)},
          {"success", data.has_success ? estimate_json(summary.success) : Json(nullptr)},
          {"objective", data.has_objective ? estimate_json(summary.objective) : Json(nullptr)},
          {"worst_residual", number(summary.worst_residual)},
          {"seconds", summary.seconds},
          {"steps", summary.steps},
          {"stages", stages_json(data)},
          {"failures", failures_json(summary)},
          {"histograms", std::move(histograms)},
          {"maps", std::move(maps)},
          {"without_maps", data.without_maps},
          {"without_replays", data.without_replays},
          {"best", std::move(best)},
          {"worst", std::move(worst)},
          {"rows", rows_json(data, packer)}};
}

}  // namespace stickslip::report
