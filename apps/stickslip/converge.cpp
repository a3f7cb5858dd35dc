// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip converge SCENE: the same scene with ever shorter steps (and ever more friction directions): observed order,
// error bar and limit of every observable.
#include "common_options.h"
#include "comparison_page.h"
#include "figures.h"
#include "outputs.h"
#include "recording_info.h"
#include "refinement.h"
#include "terminal.h"
#include "verbs.h"

#include "stickslip/files/output_file.h"
#include "stickslip/report/units.h"
#include "stickslip/scene/scene.h"
#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <CLI/CLI.hpp>
#include <memory>

namespace stickslip::app {
namespace {

struct ConvergeOptions {
  std::string scene;
  std::vector<std::string> set;
  int levels = 5;
  std::vector<int> directions;
  int threads = default_threads();
  bool json = false;
  std::string plot, page;
  bool force = false;
};

constexpr const char* kExamples =
    "Runs the scene with its own step h, h/2, h/4, ... and compares the observables.\n"
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
    "  stickslip converge examples/ball/scene.toml --page order.html    panels with fitted slopes, curves\n"
    "  stickslip converge scene.toml --json\n"
    "\n"
    "Exit codes: 0 all runs certified, 1 a run failed, 2 bad input.";

std::string order_text(const Convergence& c) {
  return c.has_order ? fmt::format("{:.2f}", c.order) : "none: " + c.why_not;
}

void print_sweep(const RefinementSweep& sweep, const std::vector<scene::Observable>& observables) {
  TextTable table(sweep.name, 22);
  for (const scene::Observable& observable : observables) table.add_column(observable.name, 20);
  table.add_column("steps", 10);
  table.add_column("seconds", 9);
  for (std::size_t i = 0; i < sweep.results.size(); ++i) {
    std::vector<std::string> cells;
    for (double value : sweep.results[i].values) cells.push_back(fmt::format("{:.12g}", value));
    cells.push_back(fmt::format("{}", sweep.results[i].steps));
    cells.push_back(fmt::format("{:.3g}", sweep.results[i].seconds));
    table.add_row(fmt::format("{:.10g}", sweep.resolution[i]), cells);
  }
  fmt::print("\n");
  table.print();
}

void print_verdicts(const RefinementSweep& sweep, const std::vector<scene::Observable>& observables) {
  TextTable table("observable", 10);
  for (const auto& [head, width] : {std::pair{"finest value", 21}, {"error bar", 13}, {"limit", 21}})
    table.add_column(head, static_cast<std::size_t>(width));
  table.set_remark_head(fmt::format("order in {}", sweep.name));
  for (std::size_t k = 0; k < observables.size(); ++k) {
    const Convergence c = analyse_observable(sweep, k);
    table.add_remark(observables[k].name,
                     {fmt::format("{:.12g}", sweep.results.back().values[k]), fmt::format("{:.3g}", c.error_bar),
                      c.has_order ? fmt::format("{:.12g}", c.limit) : "-"},
                     order_text(c));
  }
  fmt::print("\n");
  table.print();
}

void plot_orders(const ConvergeOptions& options, const std::vector<RefinementSweep>& sweeps,
                 const scene::Scene& scene) {
  std::vector<Refinement> refinements;
  for (const RefinementSweep& sweep : sweeps) {
    refinements.push_back({sweep.name, sweep.resolution, {}, {}});
    for (std::size_t k = 0; k < scene.observables.size(); ++k) {
      const Convergence verdict = analyse_observable(sweep, k);
      refinements.back().why_not.push_back(verdict.has_order ? "" : verdict.why_not);
      refinements.back().values.emplace_back();
      for (const Result& result : sweep.results) refinements.back().values.back().push_back(result.values[k]);
    }
  }
  write_figure(options.plot, order_figure(fmt::format("{}: {}", scene.title.empty() ? options.scene : scene.title,
                                                      scene.method.stepper),
                                          scene.observables, report::units_of(describe(scene)).time, refinements));
}

int converge(const ConvergeOptions& options) {
  try {
    const std::vector<scene::Override> given = overrides_of(options.set);
    const scene::Document document = scene::read_document(options.scene);
    Outputs outputs({options.scene}, options.force);
    if (!options.plot.empty()) outputs.claim(options.plot, figure_kind(options.plot));
    if (!options.page.empty()) outputs.claim(options.page, OutputKind::Page);
    const Refined refined = refine(document, given, {options.levels, options.directions, options.threads, {}});
    const auto& [scene, sweeps, warnings] = refined;
    bool bad_input = false;
    if (const std::string failure = failure_of(sweeps, bad_input); !failure.empty()) {
      fmt::print(stderr, "stickslip: {}\n", failure);
      return bad_input ? kBadInput : kFailed;
    }
    if (!options.plot.empty()) plot_orders(options, sweeps, scene);
    if (!options.page.empty()) files::write_file(options.page, refinement_page(options.scene, refined));
    if (options.json) {
      fmt::print("{}\n", to_json(options.scene, refined).dump());
      return kDone;
    }
    fmt::print("{}: {}, {}\n", scene.title.empty() ? options.scene : scene.title,
               stepping::name_of(scene.method.motion), scene.method.stepper);
    for (const RefinementSweep& sweep : sweeps) {
      print_sweep(sweep, scene.observables);
      print_verdicts(sweep, scene.observables);
    }
    if (!warnings.empty())
      fmt::print("\n{}: {}\n", toned("WARNING", Tone::Warning), warning_text(warnings, scene.method.stepper));
    if (!options.page.empty()) fmt::print("\npage: {}\n", options.page);
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
  add_set_option(*verb, options->set);
  verb->add_option("--levels", options->levels, "Runs, each with half the step of the one before")
      ->check(CLI::Range(2, 12))
      ->capture_default_str();
  verb->add_option("--directions", options->directions,
                   "Also friction pyramids with these numbers of sides, at the scene's step")
      ->delimiter(',');
  add_threads_option(*verb, options->threads);
  verb->add_option("--plot", options->plot, "Write how the observables converge: .svg, .png or .pdf");
  verb->add_option("--page", options->page,
                   "Write a page to look at: a panel per observable, curves of all steps (.html)");
  add_force_option(*verb, options->force);
  add_json_option(*verb, options->json);
  verb->callback([options, &exit_code] { exit_code = converge(*options); });
}

}  // namespace stickslip::app
