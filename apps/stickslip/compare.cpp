// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip compare SCENE --methods A,B,...: the same scene under several models, side by side, and a verdict: which
// observables depend on the model, and by how much.
//
// A difference between two methods says something about the models only if it is larger than what the steps leave.
// Every method is therefore run twice, with its step and with half of it; the difference is its error bar, and an
// observable depends on the model when two methods differ by more than kSignificant times the sum of their bars. How
// large bars may be is told by how far the observable swings during the runs, so that one that ends at zero is judged
// too; one that never leaves the rounding of the others is zero.
#include "batch.h"
#include "figures.h"
#include "outputs.h"
#include "step_check.h"
#include "verbs.h"

#include "stickslip/scene/scene.h"
#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>

namespace stickslip::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kUnresolved = 0.1;  // of the values: error bars that leave the question open
constexpr double kSignificant = 2;
constexpr double kOfSwing = 0.1;     // a value that ends at zero is judged by this part of its largest one
constexpr double kRounding = 1e-13;  // of the largest observable

struct CompareOptions {
  std::string scene;
  std::vector<std::string> set, methods;
  std::string plot;
  bool force = false;
  int threads = default_threads();
  bool json = false;
};

constexpr const char* kExamples =
    "A method is the name of a stepper, or key=value pairs of [method] joined by '+' (the stepper's key may be left "
    "out):\n"
    "  stewart-trinkle          stewart-trinkle+step=1e-4          song-pang-kumar+motion=dynamic\n"
    "  friction=pyramid+directions=4\n"
    "Without --methods, every stepper that can run the scene, with each motion model (dynamic, first-order, "
    "quasi-static)\n"
    "that accepts it. Each method runs twice, with its step and half of it, so "
    "that\n"
    "the verdict can tell what the model does from what the step does: an observable depends on the model where two "
    "methods\n"
    "differ by more than twice the sum of their error bars. Where halving the step changes a run more than the "
    "stepper's\n"
    "order allows, a third run with a quarter of the step decides whether to warn.\n"
    "\n"
    "Examples:\n"
    "  stickslip compare examples/ball/scene.toml\n"
    "  stickslip compare examples/peg/scene.toml --methods stewart-trinkle,implicit,anitescu-potra --plot peg.svg\n"
    "  stickslip compare scene.toml --methods stewart-trinkle,song-pang-kumar+step=1e-5 --json\n"
    "\n"
    "Exit codes: 0 all runs certified, 1 a run failed (the others are shown; runs of other motion models than the "
    "scene's that\n"
    "were not asked for do not count), 2 bad input.";

// "stewart-trinkle+step=1e-4" -> overrides of method.stepper and method.step.
Variant parse_method(const std::string& text, const std::vector<scene::Override>& given) {
  Variant variant{text, given};
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, '+');) {
    const std::size_t equals = part.find('=');
    const std::string key = equals == std::string::npos ? "stepper" : part.substr(0, equals);
    std::string value = equals == std::string::npos ? part : part.substr(equals + 1);
    variant.overrides.push_back({"method." + key, value});
  }
  return variant;
}

struct Plan {
  std::vector<Variant> variants;
  std::size_t asked = 0;  // the first of them: given, or of the scene's own motion model; the others are tried
};

// Without --methods: every stepper with the scene's motion model, then with the other ones, as far as they accept the
// scene.
Plan plan(const CompareOptions& options, const std::vector<scene::Override>& given) {
  Plan plan;
  for (const std::string& method : options.methods) plan.variants.push_back(parse_method(method, given));
  plan.asked = plan.variants.size();
  if (plan.asked > 0) return plan;
  const stepping::MotionModel own = scene::load_scene(options.scene, given).method.motion;
  const auto try_all = [&](const std::string& motion) {
    for (const auto& info : stepping::steppers()) {
      Variant variant = parse_method(info.name + motion, given);
      try {
        (void)scene::load_scene(options.scene, variant.overrides);
      } catch (const scene::SceneError&) {
        continue;  // this stepper or motion model cannot run the scene
      }
      plan.variants.push_back(std::move(variant));
    }
  };
  try_all("");
  plan.asked = plan.variants.size();
  for (const std::string_view motion : stepping::kChoices<stepping::MotionModel>)
    if (motion != name_of(own)) try_all(fmt::format("+motion={}", motion));
  return plan;
}

// A method that asks for a tolerance gets the step that meets it.
void set_steps(const std::string& scene, std::vector<Variant>& variants) {
  for (Variant& variant : variants) {
    const stepping::Method method = scene::load_scene(scene, variant.overrides).method;
    if (method.tolerance == 0) continue;
    const simulation::StepChoice choice = find_step(scene, variant.overrides, method);
    if (!choice.reached)
      throw std::runtime_error(
          fmt::format("{}: {}: tolerance = {:g} is out of reach: with step {:.3g} the error is "
                      "still about {:.2g}",
                      scene, variant.label, method.tolerance, choice.step, choice.estimate));
    variant.overrides.push_back({"method.step", fmt::format("{:.17g}", choice.step)});
  }
}

// The same with half the step.
std::vector<Variant> halved(const std::string& scene, const std::vector<Variant>& variants) {
  std::vector<Variant> fine = variants;
  for (Variant& variant : fine) {
    const double step = scene::load_scene(scene, variant.overrides).method.step;
    variant.overrides.push_back({"method.step", fmt::format("{:.17g}", 0.5 * step)});
  }
  return fine;
}

struct Comparison {
  std::vector<scene::Observable> observables;
  std::vector<std::string> bodies;
  std::vector<Variant> variants;
  std::vector<Result> coarse, fine;
  std::vector<StepCheck> checks;  // per method

  // The largest value that the observable takes in any run.
  [[nodiscard]] double swing(std::size_t k) const {
    double largest = 0;
    for (const auto* results : {&coarse, &fine})
      for (const Result& result : *results)
        for (const double value : result.series.values[k])
          if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    return largest;
  }
  [[nodiscard]] bool is_zero(std::size_t k) const {
    double largest = 0;
    for (std::size_t j = 0; j < observables.size(); ++j) largest = std::max(largest, swing(j));
    return swing(k) <= kRounding * largest;
  }

  [[nodiscard]] double bar(std::size_t method, std::size_t k) const {
    const double scale = std::max(std::fabs(fine[method].values[k]), std::fabs(coarse[method].values[k]));
    return std::max(std::fabs(fine[method].values[k] - coarse[method].values[k]) + 1e-11 * scale,
                    fine[method].grain[k]);
  }
};

struct Verdict {
  bool depends = false;
  double spread = 0, largest_bar = 0, low = 0, high = 0;
  std::size_t first = 0, second = 0;  // the methods that differ most
};

Verdict judge(const Comparison& c, std::size_t k) {
  Verdict verdict;
  verdict.low = INFINITY, verdict.high = -INFINITY;
  double worst = 0;
  const bool zero = c.is_zero(k);
  for (std::size_t i = 0; i < c.fine.size(); ++i) {
    if (!c.fine[i].finished || !c.coarse[i].finished) continue;
    const double value = c.fine[i].values[k];
    verdict.low = std::min(verdict.low, value);
    verdict.high = std::max(verdict.high, value);
    verdict.largest_bar = std::max(verdict.largest_bar, c.bar(i, k));
    for (std::size_t j = 0; j < i; ++j) {
      if (!c.fine[j].finished || !c.coarse[j].finished) continue;
      const double difference = std::fabs(value - c.fine[j].values[k]);
      const double ratio = difference / (c.bar(i, k) + c.bar(j, k));
      if (ratio <= worst) continue;
      worst = ratio;
      verdict.first = j, verdict.second = i;
      verdict.depends = ratio > kSignificant && !zero;
    }
  }
  verdict.spread = verdict.high - verdict.low;
  return verdict;
}

std::string verdict_text(const Comparison& c, std::size_t k, const Verdict& v) {
  const std::string& name = c.observables[k].name;
  if (!std::isfinite(v.spread)) return fmt::format("{}: not known (a value is missing)", name);
  const double value = std::max(std::fabs(v.low), std::fabs(v.high)), scale = std::max(value, kOfSwing * c.swing(k));
  const std::string relative = value > kRounding * scale ? fmt::format(" ({:.2g} %)", 100 * v.spread / value) : "";
  if (c.fine.size() >= 2 && c.is_zero(k))
    return fmt::format("{}: does not depend on the model: zero, up to rounding, in all runs", name);
  if (c.fine.size() < 2) return fmt::format("{}: nothing to compare with", name);
  if (!v.depends && v.largest_bar > kUnresolved * scale && v.spread > kUnresolved * scale)
    return fmt::format("{}: not known: the steps leave error bars up to {:.2g} (spread {:.3g}{}); take shorter ones",
                       name, v.largest_bar, v.spread, relative);
  if (!v.depends)
    return fmt::format(
        "{}: does not depend on the model beyond what the steps leave (spread {:.3g}{}, error bars up to "
        "{:.2g})",
        name, v.spread, relative, v.largest_bar);
  return fmt::format(
      "{}: DEPENDS on the model: {:.6g} .. {:.6g}{}; {} and {} differ by {:.3g}, error bars {:.2g} and "
      "{:.2g}",
      name, v.low, v.high, relative, c.variants[v.first].label, c.variants[v.second].label,
      std::fabs(c.fine[v.first].values[k] - c.fine[v.second].values[k]), c.bar(v.first, k), c.bar(v.second, k));
}

char mark_of(contact::Mode mode) {
  switch (mode) {
    case contact::Mode::Open: return '.';
    case contact::Mode::Stick: return '=';
    case contact::Mode::Roll: return 'o';
    case contact::Mode::Slide: return '~';
  }
  return '?';
}

// One line per pair and method: the mode at the middle of each column.
void print_modes(const Comparison& c) {
  constexpr int kColumns = 60;
  std::vector<std::pair<int, int>> pairs;
  for (const Result& result : c.fine)
    for (const auto& interval : result.modes) pairs.emplace_back(interval.body_a, interval.body_b);
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (pairs.empty()) return;
  std::size_t width = 0;
  for (const Variant& variant : c.variants) width = std::max(width, variant.label.size());
  fmt::print("\ncontact modes   = stick   o roll   ~ slide   . open\n");
  for (std::size_t p = 0; p < std::min<std::size_t>(pairs.size(), 8); ++p) {
    fmt::print("  {} / {}\n", c.bodies[static_cast<std::size_t>(pairs[p].first)],
               c.bodies[static_cast<std::size_t>(pairs[p].second)]);
    for (std::size_t i = 0; i < c.fine.size(); ++i) {
      std::string line(kColumns, ' ');
      for (const auto& interval : c.fine[i].modes) {
        if (std::pair(interval.body_a, interval.body_b) != pairs[p]) continue;
        for (int k = 0; k < kColumns; ++k) {
          const double t = (k + 0.5) / kColumns * c.fine[i].end_time;
          if (t >= interval.begin && t < interval.end) line[static_cast<std::size_t>(k)] = mark_of(interval.mode);
        }
      }
      fmt::print("    {:<{}}  {}\n", c.variants[i].label, width, line);
    }
  }
}

void print_table(const Comparison& c) {
  std::size_t width = 6;
  for (const Variant& variant : c.variants) width = std::max(width, variant.label.size());
  fmt::print("{:<{}} {:>9}", "method", width, "step");
  for (const scene::Observable& observable : c.observables) fmt::print(" {:>15} {:>9}", observable.name, "+-");
  fmt::print(" {:>9} {:>9} {:>9} {:>8}\n", "steps", "solves", "seconds", "residual");
  for (std::size_t i = 0; i < c.fine.size(); ++i) {
    const Result& result = c.fine[i];
    fmt::print("{:<{}} {:>9.3g}", c.variants[i].label, width, result.step);
    if (!result.finished || !c.coarse[i].finished) {
      fmt::print("  {}\n", result.finished ? c.coarse[i].failure : result.failure);
      continue;
    }
    for (std::size_t k = 0; k < result.values.size(); ++k)
      fmt::print(" {:>15.9g} {:>9.2g}", result.values[k], c.bar(i, k));
    fmt::print(" {:>9} {:>9} {:>9.3g} {:>8.1e}\n", result.steps, result.solves, result.seconds, result.worst_residual);
  }
}

Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json to_json(const std::string& scene, const Comparison& c) {
  Json out{{"scene", scene}, {"methods", Json::array()}, {"observe", Json::object()}};
  for (std::size_t i = 0; i < c.fine.size(); ++i) {
    Json method{{"method", c.variants[i].label},
                {"step", c.fine[i].step},
                {"certified", c.fine[i].certified && c.coarse[i].certified},
                {"steps", c.fine[i].steps},
                {"solves", c.fine[i].solves},
                {"seconds", c.fine[i].seconds},
                {"worst_residual", number(c.fine[i].worst_residual)}};
    if (!c.fine[i].failure.empty()) method["failure"] = c.fine[i].failure;
    method["observe"] = Json::object();
    if (c.fine[i].finished && c.coarse[i].finished)
      for (std::size_t k = 0; k < c.observables.size(); ++k)
        method["observe"][c.observables[k].name] = {{"value", number(c.fine[i].values[k])},
                                                    {"error_bar", number(c.bar(i, k))}};
    Json modes = Json::array();
    for (const auto& interval : c.fine[i].modes)
      modes.push_back(
          {{"bodies",
            {c.bodies[static_cast<std::size_t>(interval.body_a)], c.bodies[static_cast<std::size_t>(interval.body_b)]}},
           {"mode", contact::to_string(interval.mode)},
           {"begin", interval.begin},
           {"end", interval.end}});
    method["modes"] = std::move(modes);
    method["contradicts_order"] = Json::array();
    for (const StepWarning& warning : c.checks[i].warnings)
      method["contradicts_order"].push_back({{"observable", warning.observable}, {"changes", warning.changes}});
    out["methods"].push_back(std::move(method));
  }
  for (std::size_t k = 0; k < c.observables.size(); ++k) {
    const Verdict verdict = judge(c, k);
    out["observe"][c.observables[k].name] = {{"depends_on_model", verdict.depends},
                                             {"spread", number(verdict.spread)},
                                             {"largest_error_bar", number(verdict.largest_bar)},
                                             {"verdict", verdict_text(c, k, verdict)}};
  }
  return out;
}

int compare(const CompareOptions& options) {
  try {
    const std::vector<scene::Override> given = overrides_of(options.set);
    Comparison c;
    std::string title;
    {
      const scene::Scene scene = scene::load_scene(options.scene, given);
      if (scene.observables.empty())
        throw std::runtime_error(fmt::format("{}: nothing to compare: add an [observe] table", options.scene));
      c.observables = scene.observables;
      title = scene.title;
      for (const model::Body& body : scene.model.bodies) c.bodies.push_back(body.name);
    }
    if (!options.plot.empty()) Outputs({options.scene}, options.force).claim(options.plot, figure_kind(options.plot));
    const Plan chosen = plan(options, given);
    c.variants = chosen.variants;
    set_steps(options.scene, c.variants);
    const std::vector<Variant> half = halved(options.scene, c.variants);
    std::vector<Variant> all = c.variants;
    all.insert(all.end(), half.begin(), half.end());
    std::vector<Result> results = run_batch({options.scene, options.threads, kStepSamples}, all);
    c.coarse.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(c.variants.size()));
    c.fine.assign(results.begin() + static_cast<std::ptrdiff_t>(c.variants.size()), results.end());
    for (std::size_t i = 0; i < results.size(); ++i)
      if (!results[i].error.empty()) throw std::runtime_error(all[i].label + ": " + results[i].error);
    c.checks = check_steps(options.scene, options.threads, c.variants, c.coarse, c.fine);
    if (!options.plot.empty()) {
      write_figure(options.plot,
                   series_figure(title.empty() ? options.scene : title, c.observables, c.variants, c.fine));
    }
    if (options.json) {
      fmt::print("{}\n", to_json(options.scene, c).dump());
    } else {
      print_table(c);
      print_modes(c);
      fmt::print("\n");
      for (std::size_t k = 0; k < c.observables.size(); ++k) fmt::print("{}\n", verdict_text(c, k, judge(c, k)));
      for (const StepCheck& check : c.checks)
        if (!check.warnings.empty())
          fmt::print("WARNING: {}: {}\n", check.label, warning_text(check.warnings, check.stepper));
      if (!options.plot.empty()) fmt::print("\nplot: {}\n", options.plot);
    }
    // Another motion model may fit a scene only by its looks: forces that nothing balances end a quasi-static run.
    for (std::size_t i = 0; i < chosen.asked; ++i)
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
  verb->add_option("--set", options->set, "name=value, as in run; for all methods")->take_all()->expected(1);
  verb->add_option("--plot", options->plot, "Write the observables over time, overlaid: .svg, .png or .pdf");
  add_force_option(*verb, options->force);
  verb->add_option("-j,--threads", options->threads, "Runs at the same time")->check(CLI::Range(1, 1024));
  verb->add_flag("--json", options->json, "One JSON object on standard output");
  verb->callback([options, &exit_code] { exit_code = compare(*options); });
}

}  // namespace stickslip::app
