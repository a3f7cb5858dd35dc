// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "comparison_page.h"

#include "page_runs.h"
#include "plot_figure.h"
#include "recording_info.h"

#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace stickslip::app {
namespace {

using Json = nlohmann::json;
using report::number;
using report::Packer;

std::string title_of(const scene::Scene& scene, const std::string& file) {
  return scene.title.empty() ? file : scene.title;
}

Json observable_json(const scene::Observable& observable) {
  return {{"name", observable.name}, {"unit", observable.unit}, {"description", observable.description}};
}

Json series_json(const Series& series, Packer& packer) {
  Json values = Json::array();
  for (const std::vector<double>& list : series.values)
    values.push_back(packer.f32(std::vector<float>(list.begin(), list.end())));
  return {{"time", packer.f64(series.time)}, {"values", std::move(values)}};
}

Json modes_json(const std::vector<simulation::ModeInterval>& modes) {
  Json list = Json::array();
  for (const simulation::ModeInterval& interval : modes)
    list.push_back({{"a", interval.body_a},
                    {"b", interval.body_b},
                    {"mode", static_cast<int>(interval.mode)},
                    {"begin", interval.begin},
                    {"end", interval.end}});
  return list;
}

Json method_json(const Comparison& c, std::size_t i, Packer& packer) {
  const Result& fine = c.fine[i];
  const bool finished = fine.finished && c.coarse[i].finished;
  Json values = Json::array(), bars = Json::array();
  for (std::size_t k = 0; finished && k < c.observables.size(); ++k) {
    values.push_back(number(fine.values[k]));
    bars.push_back(number(c.bar(i, k)));
  }
  return {{"name", c.variants[i].label},
          {"step", fine.step},
          {"finished", finished},
          {"asked", i < c.asked},
          {"failure", !fine.failure.empty() ? fine.failure : c.coarse[i].failure},
          {"steps", fine.steps},
          {"solves", fine.solves},
          {"seconds", fine.seconds},
          {"worst_residual", number(fine.worst_residual)},
          {"values", std::move(values)},
          {"bars", std::move(bars)},
          {"warning", warning_text(c.checks[i].warnings, c.checks[i].stepper)},
          {"modes", modes_json(fine.modes)},
          {"series", series_json(fine.series, packer)}};
}

Json verdict_json(const Comparison& c, std::size_t k) {
  const Verdict verdict = judge(c, k);
  Json out = observable_json(c.observables[k]);
  out["depends"] = verdict.depends;
  out["text"] = verdict_text(c, k, verdict);
  out["spread"] = number(verdict.spread);
  out["largest_bar"] = number(verdict.largest_bar);
  return out;
}

// Every method with half its step, as its curves are.
void record_methods(const scene::Document& document, const Comparison& c, PageRuns& runs) {
  for (std::size_t i = 0; i < c.variants.size() && runs.runs().size() < kMostReplays; ++i) {
    if (!c.fine[i].finished) continue;
    runs.record(c.variants[i].label, [&] {
      scene::Scene scene = scene::make_scene(document, c.variants[i].overrides);
      scene.method.step = c.fine[i].step;
      scene.method.tolerance = 0;  // the step is the one that meets it
      return scene;
    });
  }
}

Json refined_json(const RefinementSweep& sweep, const scene::Observable& observable, std::size_t k) {
  const Convergence c = analyse_observable(sweep, k);
  Json out = observable_json(observable), values = Json::array(), changes = Json::array();
  std::vector<Vec2> points;
  for (std::size_t i = 0; i < sweep.results.size(); ++i) values.push_back(number(sweep.results[i].values[k]));
  for (std::size_t i = 0; i + 1 < sweep.results.size(); ++i) {
    const double change = std::fabs(sweep.results[i + 1].values[k] - sweep.results[i].values[k]);
    changes.push_back(number(change));
    if (change > 0) points.emplace_back(sweep.resolution[i], change);
  }
  const LogFit fit = fit_logarithms(points);
  out["values"] = std::move(values);
  out["changes"] = std::move(changes);
  out["order"] = c.has_order ? number(c.order) : Json(nullptr);
  out["slope"] = c.has_order ? number(fit.slope) : Json(nullptr);
  out["at_one"] = c.has_order ? number(fit.at_one) : Json(nullptr);
  out["error_bar"] = number(c.error_bar);
  out["limit"] = c.has_order ? number(c.limit) : Json(nullptr);
  out["exact"] = c.exact;
  out["why_not"] = c.why_not;
  return out;
}

Json sweep_json(const RefinementSweep& sweep, const std::vector<scene::Observable>& observables, Packer& packer) {
  Json runs = Json::array(), list = Json::array();
  for (std::size_t i = 0; i < sweep.results.size(); ++i)
    runs.push_back({{"name", sweep.variants[i].label},
                    {"resolution", sweep.resolution[i]},
                    {"steps", sweep.results[i].steps},
                    {"seconds", sweep.results[i].seconds},
                    {"series", series_json(sweep.results[i].series, packer)}});
  for (std::size_t k = 0; k < observables.size(); ++k) list.push_back(refined_json(sweep, observables[k], k));
  return {{"name", sweep.name}, {"runs", std::move(runs)}, {"observables", std::move(list)}};
}

}  // namespace

std::string comparison_page(const scene::Document& document, const std::vector<scene::Override>& given,
                            const Comparison& comparison) {
  const scene::Scene scene = scene::make_scene(document, given);
  const report::Units units = report::units_of(describe(scene));
  PageRuns replays;
  record_methods(document, comparison, replays);
  const report::PageData rest = [&](Packer& packer) {
    Json methods = Json::array(), observables = Json::array();
    for (std::size_t i = 0; i < comparison.variants.size(); ++i) methods.push_back(method_json(comparison, i, packer));
    for (std::size_t k = 0; k < comparison.observables.size(); ++k) observables.push_back(verdict_json(comparison, k));
    return Json{{"kind", "compare"},
                {"title", title_of(scene, document.file.string())},
                {"description", scene.description},
                {"scene", scene.text},
                {"version", STICKSLIP_VERSION},
                {"time_unit", units.time},
                {"bodies", comparison.bodies},
                {"observables", std::move(observables)},
                {"methods", std::move(methods)},
                {"without_replays", replays.note()}};
  };
  return report::page_with_runs(rest, replays.runs());
}

std::string refinement_page(const std::string& scene, const Refined& refined) {
  const report::Units units = report::units_of(describe(refined.scene));
  const report::PageData rest = [&](Packer& packer) {
    Json sweeps = Json::array();
    for (const RefinementSweep& sweep : refined.sweeps)
      sweeps.push_back(sweep_json(sweep, refined.scene.observables, packer));
    return Json{{"kind", "converge"},
                {"title", title_of(refined.scene, scene)},
                {"description", refined.scene.description},
                {"scene", refined.scene.text},
                {"version", STICKSLIP_VERSION},
                {"time_unit", units.time},
                {"stepper", refined.scene.method.stepper},
                {"motion", stepping::name_of(refined.scene.method.motion)},
                {"order", stepping::order_of(refined.scene.method.stepper)},
                {"warning", warning_text(refined.warnings, refined.scene.method.stepper)},
                {"sweeps", std::move(sweeps)}};
  };
  return report::page_with_runs(rest, {});
}

}  // namespace stickslip::app
