// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "search_page.h"

#include "page_runs.h"
#include "study_run.h"

#include "stickslip/study/trial_plan.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace stickslip::app {
namespace {

using Json = nlohmann::json;
using report::number;
using report::Packer;

// What is no number is worse than every number.
double cost(double objective) {
  return std::isfinite(objective) ? objective : std::numeric_limits<double>::infinity();
}

std::vector<std::int64_t> trials_to_show(const study::OptimiseResult& result) {
  const std::vector<double>&before = result.first.objectives, &after = result.best.objectives;
  if (after.empty()) return {};
  std::size_t most = 0, worst = 0;
  const auto gain = [&](std::size_t k) {
    const double then = k < before.size() ? cost(before[k]) : std::numeric_limits<double>::infinity();
    return std::isinf(then) && std::isinf(cost(after[k])) ? 0.0 : then - cost(after[k]);
  };
  for (std::size_t k = 1; k < after.size(); ++k) {
    if (std::fabs(gain(k)) > std::fabs(gain(most))) most = k;
    if (cost(after[k]) > cost(after[worst])) worst = k;
  }
  std::vector<std::int64_t> list{static_cast<std::int64_t>(most)};
  if (worst != most) list.push_back(static_cast<std::int64_t>(worst));
  return list;
}

void record_trials(const study::Study& study, const study::OptimiseResult& result, PageRuns& runs) {
  const study::TrialPlan plan(study);
  for (const std::int64_t trial : trials_to_show(result))
    for (const bool after : {false, true}) {
      const study::Evaluation& evaluation = after ? result.best : result.first;
      std::vector<scene::Override> overrides = study::overrides_of(study, plan.trial(trial));
      for (std::size_t k = 0; k < evaluation.design.size(); ++k)
        overrides.push_back({study.optimise->variables[k].parameter, fmt::format("{}", evaluation.design[k])});
      const std::string name = fmt::format("{}, {}", report::replay_name(trial), after ? "after" : "before");
      runs.record(name, [&] { return scene::load_scene(study.scene_file, overrides); });
    }
}

Json variables_json(const study::Study& study, const study::OptimiseResult& result) {
  const scene::Scene scene = scene::load_scene(study.scene_file, study.set);
  Json list = Json::array();
  for (std::size_t k = 0; k < study.optimise->variables.size(); ++k) {
    const study::DesignVariable& variable = study.optimise->variables[k];
    const auto known =
        std::ranges::find_if(scene.parameters, [&](const auto& p) { return p.name == variable.parameter; });
    const bool found = known != scene.parameters.end();
    list.push_back({{"name", variable.parameter},
                    {"unit", found ? known->unit : ""},
                    {"description", found ? known->description : ""},
                    {"low", number(variable.low)},
                    {"high", number(variable.high)},
                    {"first", number(result.first.design[k])},
                    {"best", number(result.best.design[k])}});
  }
  return list;
}

Json points_json(const std::vector<SearchPoint>& points, std::size_t variables, Packer& packer) {
  std::vector<std::int32_t> round, start;
  std::vector<double> value;
  for (const SearchPoint& point : points) {
    round.push_back(point.round);
    start.push_back(point.start);
    value.push_back(point.value);
  }
  Json designs = Json::array();
  for (std::size_t k = 0; k < variables; ++k) {
    std::vector<double> column;
    for (const SearchPoint& point : points) column.push_back(point.design[k]);
    designs.push_back(packer.f64(column));
  }
  return {{"round", packer.i32(round)},
          {"start", packer.i32(start)},
          {"value", packer.f64(value)},
          {"designs", std::move(designs)}};
}

Json trials_json(const study::Study& study, const study::OptimiseResult& result) {
  const study::TrialPlan plan(study);
  Json list = Json::array();
  for (std::size_t k = 0; k < result.best.objectives.size(); ++k) {
    const study::TrialPoint trial = plan.trial(static_cast<std::int64_t>(k));
    Json values = Json::array();
    for (const double x : trial.values) values.push_back(number(x));
    const bool known = k < result.first.objectives.size();
    list.push_back({{"trial", k},
                    {"values", std::move(values)},
                    {"before", known ? number(result.first.objectives[k]) : Json(nullptr)},
                    {"after", number(result.best.objectives[k])}});
  }
  return list;
}

}  // namespace

std::string search_page(const study::Study& study, const SearchHistory& history) {
  const study::OptimiseResult& result = history.result;
  PageRuns replays;
  record_trials(study, result, replays);
  const report::PageData rest = [&](Packer& packer) {
    Json varied = Json::array(), checks = Json::array(), warnings = Json::array();
    for (const study::Variation& variation : study.variations) varied.push_back(variation.parameter);
    for (const study::DesignCheck& check : history.rounds) checks.push_back(study::text_of(check));
    for (const StepCheck& check : history.checks)
      if (!check.warnings.empty())
        warnings.push_back(fmt::format("{}: {}", check.label, warning_text(check.warnings, check.stepper)));
    const bool artefact =
        !history.rounds.empty() && history.rounds.back().verdict == study::DesignCheck::Verdict::Artefact;
    return Json{{"kind", "optimise"},
                {"title", study.title.empty() ? study.file.string() : study.title},
                {"version", STICKSLIP_VERSION},
                {"study_text", study.text},
                {"objective", study.objective},
                {"method", study::kSearchNames[static_cast<std::size_t>(study.optimise->method)]},
                {"stepping", study_method(study)},
                {"ending", result.ending},
                {"artefact", artefact},
                {"first", number(result.first.value)},
                {"first_cause", result.first.cause},
                {"best", number(result.best.value)},
                {"evaluations", result.evaluations},
                {"runs_made", result.runs},
                {"gradients", result.gradients},
                {"implicit_gradients", result.implicit_gradients},
                {"seconds", history.seconds},
                {"variables", variables_json(study, result)},
                {"points", points_json(history.points, study.optimise->variables.size(), packer)},
                {"varied", std::move(varied)},
                {"trials", trials_json(study, result)},
                {"checks", std::move(checks)},
                {"warnings", std::move(warnings)},
                {"without_replays", replays.note()}};
  };
  return report::page_with_runs(rest, replays.runs());
}

}  // namespace stickslip::app
