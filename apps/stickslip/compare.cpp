// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip compare SCENE --methods A,B,...: the same scene under several models, side by side, and a verdict: which
// observables depend on the model, and by how much (comparison.h).
#include "common_options.h"
#include "comparison.h"
#include "comparison_page.h"
#include "figures.h"
#include "mode_mark.h"
#include "outputs.h"
#include "recording_info.h"
#include "terminal.h"
#include "verbs.h"

#include "stickslip/files/output_file.h"
#include "stickslip/report/units.h"
#include "stickslip/scene/scene.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

namespace stickslip::app {
namespace {

struct CompareOptions {
  std::string scene;
  std::vector<std::string> set, methods;
  std::string plot, page;
  bool force = false;
  int threads = default_threads();
  bool json = false;
};

constexpr const char* kExamples =
    "A method is the name of a stepper, or key=value pairs of [method] joined by '+' (without the stepper's key):\n"
    "  stewart-trinkle          stewart-trinkle+step=1e-4          song-pang-kumar+motion=dynamic\n"
    "  friction=pyramid+directions=4\n"
    "Without --methods, every stepper that can run the scene, with each motion model (dynamic, first-order,\n"
    "quasi-static) that accepts it. Each method runs twice, with its step and half of it, so that the verdict can\n"
    "separate the effect of the model from that of the step: an observable depends on the model where two methods "
    "differ by more\n"
    "than twice the sum of their error bars. Where halving the step changes a run more than the stepper's order "
    "allows,\n"
    "a third run with a quarter of the step decides whether to warn.\n"
    "\n"
    "Examples:\n"
    "  stickslip compare examples/ball/scene.toml\n"
    "  stickslip compare examples/peg/scene.toml --methods stewart-trinkle,implicit,anitescu-potra --plot peg.svg\n"
    "  stickslip compare examples/ball/scene.toml --page ball-models.html       verdicts, curves, replays to look at\n"
    "  stickslip compare scene.toml --methods stewart-trinkle,song-pang-kumar+step=1e-5 --json\n"
    "\n"
    "Exit codes: 0 all runs certified, 1 a run failed (the others are shown; runs of other motion models than the\n"
    "scene's that were not asked for do not count), 2 bad input.";

// One line per pair and method.
void print_modes(const Comparison& c) {
  constexpr int kUsual = 60;
  std::vector<std::pair<int, int>> pairs;
  for (const Result& result : c.fine)
    for (const auto& interval : result.modes) pairs.emplace_back(interval.body_a, interval.body_b);
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (pairs.empty()) return;
  std::size_t width = 0;
  for (const Variant& variant : c.variants) width = std::max(width, variant.label.size());
  const int columns = band_columns(kUsual, width + 6);
  fmt::print("\ncontact modes   = stick   o roll   ~ slide   . open\n");
  for (std::size_t p = 0; p < std::min<std::size_t>(pairs.size(), 8); ++p) {
    fmt::print("  {} / {}\n", c.bodies[static_cast<std::size_t>(pairs[p].first)],
               c.bodies[static_cast<std::size_t>(pairs[p].second)]);
    for (std::size_t i = 0; i < c.fine.size(); ++i) {
      std::vector<simulation::ModeInterval> of_pair;
      for (const auto& interval : c.fine[i].modes)
        if (std::pair(interval.body_a, interval.body_b) == pairs[p]) of_pair.push_back(interval);
      fmt::print("    {:<{}}  {}\n", c.variants[i].label, width, mode_band(of_pair, 0, c.fine[i].end_time, columns));
    }
  }
}

void print_table(const Comparison& c) {
  TextTable table("method", 0);
  table.add_column("step", 9);
  for (const scene::Observable& observable : c.observables) {
    table.add_column(observable.name, 15);
    table.add_column("+-", 9);
  }
  for (const auto& [head, width] : {std::pair{"steps", 9}, {"solves", 9}, {"seconds", 9}, {"residual", 8}})
    table.add_column(head, static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < c.fine.size(); ++i) {
    const Result& result = c.fine[i];
    std::vector<std::string> cells{fmt::format("{:.3g}", result.step)};
    if (!result.finished || !c.coarse[i].finished) {
      table.add_remark(c.variants[i].label, cells, result.finished ? c.coarse[i].failure : result.failure);
      continue;
    }
    for (std::size_t k = 0; k < result.values.size(); ++k) {
      cells.push_back(fmt::format("{:.9g}", result.values[k]));
      cells.push_back(fmt::format("{:.2g}", c.bar(i, k)));
    }
    cells.insert(cells.end(), {fmt::format("{}", result.steps), fmt::format("{}", result.solves),
                               fmt::format("{:.3g}", result.seconds), fmt::format("{:.1e}", result.worst_residual)});
    table.add_row(c.variants[i].label, cells);
  }
  table.print();
}

int compare(const CompareOptions& options) {
  try {
    const std::vector<scene::Override> given = overrides_of(options.set);
    const scene::Document document = scene::read_document(options.scene);
    Outputs outputs({options.scene}, options.force);
    if (!options.plot.empty()) outputs.claim(options.plot, figure_kind(options.plot));
    if (!options.page.empty()) outputs.claim(options.page, OutputKind::Page);
    const Comparison c = compare_methods(document, given, options.methods, options.threads);
    if (!options.plot.empty()) {
      const scene::Scene scene = scene::make_scene(document, given);
      write_figure(options.plot, series_figure(scene.title.empty() ? options.scene : scene.title, c.observables,
                                               report::units_of(describe(scene)).time, c.variants, c.fine));
    }
    if (!options.page.empty()) files::write_file(options.page, comparison_page(document, given, c));
    if (options.json) {
      fmt::print("{}\n", to_json(options.scene, c).dump());
    } else {
      print_table(c);
      print_modes(c);
      fmt::print("\n");
      for (std::size_t k = 0; k < c.observables.size(); ++k) fmt::print("{}\n", verdict_text(c, k, judge(c, k)));
      for (const StepCheck& check : c.checks)
        if (!check.warnings.empty())
          fmt::print("{}: {}: {}\n", toned("WARNING", Tone::Warning), check.label,
                     warning_text(check.warnings, check.stepper));
      if (!options.plot.empty()) fmt::print("\nplot: {}\n", options.plot);
      if (!options.page.empty()) fmt::print("\npage: {}\n", options.page);
    }
    // Another motion model may fit a scene only by its looks: forces that nothing balances end a quasi-static run.
    for (std::size_t i = 0; i < c.asked; ++i)
      if (!c.coarse[i].finished || !c.fine[i].finished) return kFailed;
    return kDone;
  } catch (const std::exception& error) {
    fmt::print(stderr, "stickslip: {}\n", error.what());
    return kBadInput;
  }
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* verb = app.add_subcommand("compare", "Run a scene under several models, side by side, with a verdict");
  verb->footer(kExamples);
  verb->add_option("SCENE", options->scene, "Scene file (TOML)")->required();
  verb->add_option("--methods", options->methods, "Methods, separated by commas (default: all that fit)")
      ->delimiter(',');
  add_set_option(*verb, options->set, "name=value, as in run; for all methods");
  verb->add_option("--plot", options->plot, "Write the observables over time, overlaid: .svg, .png or .pdf");
  verb->add_option("--page", options->page,
                   "Write a page to look at: verdicts, curves over each other, replays (.html)");
  add_force_option(*verb, options->force);
  add_threads_option(*verb, options->threads);
  add_json_option(*verb, options->json);
  verb->callback([options, &exit_code] { exit_code = compare(*options); });
}

}  // namespace stickslip::app
