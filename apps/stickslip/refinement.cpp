// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "refinement.h"

#include "require_step.h"

#include "stickslip/report/json_number.h"
#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <stdexcept>

namespace stickslip::app {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr auto number = report::number<OrderedJson>;

// What the runs with ever shorter steps say of the stepper's order.
std::vector<StepWarning> check(const RefinementSweep& sweep, const scene::Scene& scene) {
  std::vector<const Result*> runs;
  for (const Result& result : sweep.results) runs.push_back(&result);
  std::vector<StepWarning> warnings = check_halvings(scene.observables, runs, stepping::order_of(scene.method.stepper));
  // Two runs cannot tell whether changes fall.
  if (runs.size() < 3) warnings.clear();
  return warnings;
}

std::vector<RefinementSweep> plan(const RefinementOptions& options, const scene::Scene& scene,
                                  const std::vector<scene::Override>& given) {
  std::vector<RefinementSweep> sweeps(1);
  sweeps[0].name = "step";
  for (int level = 0; level < options.levels; ++level) {
    const double step = scene.method.step / std::exp2(level);
    std::vector<scene::Override> overrides = given;
    overrides.push_back({"method.stepper", scene.method.stepper});  // the same at every level
    overrides.push_back({"method.step", fmt::format("{:.17g}", step)});
    sweeps[0].resolution.push_back(step);
    sweeps[0].variants.push_back({fmt::format("step {:.6g}", step), overrides});
  }
  if (options.directions.empty()) return sweeps;
  sweeps.push_back({"directions", {}, {}, {}});
  for (int count : options.directions) {
    std::vector<scene::Override> overrides = given;
    overrides.push_back({"method.friction", "pyramid"});
    overrides.push_back({"method.directions", std::to_string(count)});
    sweeps[1].resolution.push_back(count);
    sweeps[1].variants.push_back({fmt::format("{} directions", count), overrides});
  }
  return sweeps;
}

OrderedJson sweep_json(const RefinementSweep& sweep, const std::vector<scene::Observable>& observables) {
  OrderedJson out;
  out[sweep.name] = sweep.resolution;
  out["observe"] = OrderedJson::object();
  for (std::size_t k = 0; k < observables.size(); ++k) {
    const Convergence c = analyse_observable(sweep, k);
    OrderedJson values = OrderedJson::array();
    for (const Result& result : sweep.results) values.push_back(number(result.values[k]));
    out["observe"][observables[k].name] = {{"values", values},
                                           {"order", c.has_order ? OrderedJson(c.order) : OrderedJson(nullptr)},
                                           {"error_bar", number(c.error_bar)},
                                           {"limit", c.has_order ? OrderedJson(c.limit) : OrderedJson(nullptr)},
                                           {"exact", c.exact},
                                           {"why_no_order", c.why_not}};
  }
  out["seconds"] = OrderedJson::array();
  for (const Result& result : sweep.results) out["seconds"].push_back(result.seconds);
  return out;
}

}  // namespace

Convergence analyse_observable(const RefinementSweep& sweep, std::size_t k) {
  std::vector<double> values;
  for (const Result& result : sweep.results) values.push_back(result.values[k]);
  return analyse(values, sweep.results.back().grain[k]);
}

Refined refine(const scene::Document& document, const std::vector<scene::Override>& given,
               const RefinementOptions& options) {
  Refined refined{scene::make_scene(document, given), {}, {}};
  if (refined.scene.observables.empty())
    throw std::runtime_error(fmt::format("{}: nothing to look at: add an [observe] table", document.file.string()));
  require_step(refined.scene, "converge");
  refined.sweeps = plan(options, refined.scene, given);
  for (RefinementSweep& sweep : refined.sweeps)
    sweep.results = run_batch({document, options.threads, kStepSamples, options.go_on}, sweep.variants);
  bool bad_input = false;
  if (failure_of(refined.sweeps, bad_input).empty()) refined.warnings = check(refined.sweeps[0], refined.scene);
  return refined;
}

std::string failure_of(const std::vector<RefinementSweep>& sweeps, bool& bad_input) {
  for (const RefinementSweep& sweep : sweeps)
    for (std::size_t i = 0; i < sweep.results.size(); ++i) {
      const Result& result = sweep.results[i];
      bad_input = !result.error.empty();
      if (bad_input || !result.finished)
        return fmt::format("with {}: {}", sweep.variants[i].label, bad_input ? result.error : result.failure);
    }
  return {};
}

nlohmann::ordered_json to_json(const std::string& scene, const Refined& refined) {
  OrderedJson out{{"scene", scene},
                  {"stepper", refined.scene.method.stepper},
                  {"motion", stepping::name_of(refined.scene.method.motion)}};
  for (const RefinementSweep& sweep : refined.sweeps)
    out[fmt::format("by_{}", sweep.name)] = sweep_json(sweep, refined.scene.observables);
  out["contradicts_order"] = OrderedJson::array();
  for (const StepWarning& warning : refined.warnings)
    out["contradicts_order"].push_back({{"observable", warning.observable}, {"changes", warning.changes}});
  return out;
}

}  // namespace stickslip::app
