// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip converge SCENE: the same scene with ever shorter steps (and ever more friction directions): observed order,
// error bar and limit of every observable.
#include "batch.h"
#include "convergence.h"
#include "figures.h"
#include "outputs.h"
#include "step_check.h"
#include "verbs.h"

#include "stickslip/scene/scene.h"
#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

namespace stickslip::app {
namespace {

using Json = nlohmann::ordered_json;

struct ConvergeOptions {
  std::string scene;
  std::vector<std::string> set;
  int levels = 5;
  std::vector<int> directions;
  int threads = default_threads();
  bool json = false;
  std::string plot;
  bool force = false;
};

constexpr const char* kExamples =
    "Runs the scene with its own step h, h/2, h/4, ... and looks at what the observables do.\n"
    "An order is printed only where the differences support one: they must fall, with one sign, at the same rate "
    "twice.\n"
    "The error bar is Richardson's where there is an order, else the larger of the last two differences.\n"
    "Observables whose changes over the whole run do not fall as the stepper's order claims are named: then the runs "
    "do\n"
    "not follow one motion, however well they are certified.\n"
    "\n"
    "Examples:\n"
    "  stickslip converge examples/ball/scene.toml\n"
    "  stickslip converge examples/bounce/scene.toml --levels 6 --set method.stepper=song-pang-kumar\n"
    "  stickslip converge examples/ball/scene.toml --directions 4,8,16,32,64      pyramids beside the cone\n"
    "  stickslip converge examples/ball/scene.toml --plot order.svg\n"
    "  stickslip converge scene.toml --json\n"
    "\n"
    "Exit codes: 0 all runs certified, 1 a run failed, 2 bad input.";

Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

std::string order_text(const Convergence& c) {
  return c.has_order ? fmt::format("{:.2f}", c.order) : "none: " + c.why_not;
}

// Of one list of variants: values of all observables, and what they say.
struct Sweep {
  const char* name;                // "step" or "directions"
  std::vector<double> resolution;  // steps or directions
  std::vector<Variant> variants;
  std::vector<Result> results;
};

void print_sweep(const Sweep& sweep, const std::vector<scene::Observable>& observables) {
  fmt::print("\n{:<22}", sweep.name);
  for (const scene::Observable& observable : observables) fmt::print(" {:>20}", observable.name);
  fmt::print(" {:>10} {:>9}\n", "steps", "seconds");
  for (std::size_t i = 0; i < sweep.results.size(); ++i) {
    fmt::print("{:<22.10g}", sweep.resolution[i]);
    for (double value : sweep.results[i].values) fmt::print(" {:>20.12g}", value);
    fmt::print(" {:>10} {:>9.3g}\n", sweep.results[i].steps, sweep.results[i].seconds);
  }
}

Convergence analyse_observable(const Sweep& sweep, std::size_t k) {
  std::vector<double> values;
  for (const Result& result : sweep.results) values.push_back(result.values[k]);
  return analyse(values, sweep.results.back().grain[k]);
}

void print_verdicts(const Sweep& sweep, const std::vector<scene::Observable>& observables) {
  std::size_t width = 10;
  for (const scene::Observable& observable : observables) width = std::max(width, observable.name.size());
  fmt::print("\n{:<{}}  {:>20}  {:>12}  {:>20}  order in {}\n", "observable", width, "finest value", "error bar",
             "limit", sweep.name);
  for (std::size_t k = 0; k < observables.size(); ++k) {
    const Convergence c = analyse_observable(sweep, k);
    fmt::print("{:<{}}  {:>20.12g}  {:>12.3g}  {:>20}  {}\n", observables[k].name, width,
               sweep.results.back().values[k], c.error_bar, c.has_order ? fmt::format("{:.12g}", c.limit) : "-",
               order_text(c));
  }
}

Json sweep_json(const Sweep& sweep, const std::vector<scene::Observable>& observables) {
  Json out;
  out[sweep.name] = sweep.resolution;
  out["observe"] = Json::object();
  for (std::size_t k = 0; k < observables.size(); ++k) {
    const Convergence c = analyse_observable(sweep, k);
    Json values = Json::array();
    for (const Result& result : sweep.results) values.push_back(number(result.values[k]));
    out["observe"][observables[k].name] = {{"values", values},
                                           {"order", c.has_order ? Json(c.order) : Json(nullptr)},
                                           {"error_bar", number(c.error_bar)},
                                           {"limit", c.has_order ? Json(c.limit) : Json(nullptr)},
                                           {"exact", c.exact},
                                           {"why_no_order", c.why_not}};
  }
  out["seconds"] = Json::array();
  for (const Result& result : sweep.results) out["seconds"].push_back(result.seconds);
  return out;
}

void plot_orders(const ConvergeOptions& options, const std::vector<Sweep>& sweeps, const scene::Scene& scene) {
  std::vector<Refinement> refinements;
  for (const Sweep& sweep : sweeps) {
    refinements.push_back({sweep.name, sweep.resolution, {}});
    for (std::size_t k = 0; k < scene.observables.size(); ++k) {
      refinements.back().values.emplace_back();
      for (const Result& result : sweep.results) refinements.back().values.back().push_back(result.values[k]);
    }
  }
  write_figure(options.plot, order_figure(fmt::format("{}: {}", scene.title.empty() ? options.scene : scene.title,
                                                      scene.method.stepper),
                                          scene.observables, refinements));
}

// What the runs with ever shorter steps say of the stepper's order.
std::vector<StepWarning> check(const Sweep& sweep, const scene::Scene& scene) {
  std::vector<const Result*> runs;
  for (const Result& result : sweep.results) runs.push_back(&result);
  std::vector<StepWarning> warnings = check_halvings(scene.observables, runs, stepping::order_of(scene.method.stepper));
  // Two runs cannot tell whether changes fall.
  if (runs.size() < 3) warnings.clear();
  return warnings;
}

std::vector<Sweep> plan(const ConvergeOptions& options, const scene::Scene& scene,
                        const std::vector<scene::Override>& given) {
  std::vector<Sweep> sweeps(1);
  sweeps[0].name = "step";
  for (int level = 0; level < options.levels; ++level) {
    const double step = scene.method.step / std::exp2(level);
    std::vector<scene::Override> overrides = given;
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

int report_failures(const std::vector<Sweep>& sweeps) {
  for (const Sweep& sweep : sweeps)
    for (std::size_t i = 0; i < sweep.results.size(); ++i) {
      const Result& result = sweep.results[i];
      if (!result.error.empty()) {
        fmt::print(stderr, "stickslip: with {}: {}\n", sweep.variants[i].label, result.error);
        return kBadInput;
      }
      if (!result.finished) {
        fmt::print(stderr, "stickslip: with {}: {}\n", sweep.variants[i].label, result.failure);
        return kFailed;
      }
    }
  return kDone;
}

int converge(const ConvergeOptions& options) {
  try {
    const std::vector<scene::Override> given = overrides_of(options.set);
    const scene::Scene scene = scene::load_scene(options.scene, given);
    if (scene.observables.empty())
      throw std::runtime_error(fmt::format("{}: nothing to look at: add an [observe] table", options.scene));
    require_step(scene, "converge");
    if (!options.plot.empty()) Outputs({options.scene}, options.force).claim(options.plot, figure_kind(options.plot));
    std::vector<Sweep> sweeps = plan(options, scene, given);
    for (Sweep& sweep : sweeps)
      sweep.results = run_batch({options.scene, options.threads, kStepSamples}, sweep.variants);
    if (const int code = report_failures(sweeps); code != kDone) return code;
    if (!options.plot.empty()) plot_orders(options, sweeps, scene);
    const std::vector<StepWarning> warnings = check(sweeps[0], scene);
    if (options.json) {
      Json out{{"scene", options.scene},
               {"stepper", scene.method.stepper},
               {"motion", stepping::name_of(scene.method.motion)}};
      for (const Sweep& sweep : sweeps) out[fmt::format("by_{}", sweep.name)] = sweep_json(sweep, scene.observables);
      out["contradicts_order"] = Json::array();
      for (const StepWarning& warning : warnings)
        out["contradicts_order"].push_back({{"observable", warning.observable}, {"changes", warning.changes}});
      fmt::print("{}\n", out.dump());
      return kDone;
    }
    fmt::print("{}: {}, {}\n", scene.title.empty() ? options.scene : scene.title,
               stepping::name_of(scene.method.motion), scene.method.stepper);
    for (const Sweep& sweep : sweeps) {
      print_sweep(sweep, scene.observables);
      print_verdicts(sweep, scene.observables);
    }
    if (!warnings.empty()) fmt::print("\nWARNING: {}\n", warning_text(warnings, scene.method.stepper));
    return kDone;
  } catch (const std::exception& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kBadInput;
  }
}

}  // namespace

void add_converge(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ConvergeOptions>();
  CLI::App* verb = app.add_subcommand("converge", "Shorten the step: observed order and error bar of every observable");
  verb->footer(kExamples);
  verb->add_option("SCENE", options->scene, "Scene file (TOML)")->required();
  verb->add_option("--set", options->set, "name=value, as in run")->take_all()->expected(1);
  verb->add_option("--levels", options->levels, "Runs, each with half the step of the one before")
      ->check(CLI::Range(2, 12))
      ->capture_default_str();
  verb->add_option("--directions", options->directions,
                   "Also friction pyramids with these numbers of sides, at the scene's step")
      ->delimiter(',');
  verb->add_option("-j,--threads", options->threads, "Runs at the same time")->check(CLI::Range(1, 1024));
  verb->add_option("--plot", options->plot, "Write how the observables converge: .svg, .png or .pdf");
  add_force_option(*verb, options->force);
  verb->add_flag("--json", options->json, "One JSON object on standard output");
  verb->callback([options, &exit_code] { exit_code = converge(*options); });
}

}  // namespace stickslip::app
