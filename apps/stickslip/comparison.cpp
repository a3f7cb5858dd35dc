// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "comparison.h"

#include "stickslip/report/json_number.h"
#include "stickslip/runs/run.h"
#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace stickslip::app {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr auto number = report::number<OrderedJson>;

constexpr double kUnresolved = 0.1;  // of the values: error bars that leave the question open
constexpr double kSignificant = 2;
constexpr double kOfSwing = 0.1;     // a value that ends at zero is judged by this part of its largest one
constexpr double kRounding = 1e-13;  // of the largest observable

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

struct ComparisonPlan {
  std::vector<Variant> variants;
  std::size_t asked = 0;  // the first of them: given, or of the scene's own motion model; the others are tried
};

// Without methods: every stepper with the scene's motion model, then with the other ones, as far as they accept the
// scene.
ComparisonPlan plan(const scene::Document& document, const std::vector<scene::Override>& given,
                    const std::vector<std::string>& methods) {
  ComparisonPlan plan;
  for (const std::string& method : methods) plan.variants.push_back(parse_method(method, given));
  plan.asked = plan.variants.size();
  if (plan.asked > 0) return plan;
  const stepping::MotionModel own = scene::make_scene(document, given).method.motion;
  const auto try_all = [&](const std::string& motion) {
    for (const auto& info : stepping::steppers()) {
      Variant variant = parse_method(info.name + motion, given);
      try {
        (void)scene::make_scene(document, variant.overrides);
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
void set_steps(const scene::Document& document, std::vector<Variant>& variants) {
  for (Variant& variant : variants) {
    const scene::Scene loaded = scene::make_scene(document, variant.overrides);
    if (loaded.method.tolerance == 0) continue;
    const simulation::StepChoice choice = runs::find_step(loaded);
    if (!choice.reached)
      throw std::runtime_error(fmt::format("{}: {}: {}", document.file.string(), variant.label,
                                           runs::tolerance_out_of_reach(loaded, choice)));
    variant.overrides.push_back({"method.step", fmt::format("{:.17g}", choice.step)});
  }
}

// The same with half the step.
std::vector<Variant> halved(const scene::Document& document, const std::vector<Variant>& variants) {
  std::vector<Variant> fine = variants;
  for (Variant& variant : fine) {
    const double step = scene::make_scene(document, variant.overrides).method.step;
    variant.overrides.push_back({"method.step", fmt::format("{:.17g}", 0.5 * step)});
  }
  return fine;
}

// " (4.1 %)", " (200 %)"
std::string percent(double share) {
  return share < 0.995 ? fmt::format(" ({:.2g} %)", 100 * share) : fmt::format(" ({:.0f} %)", 100 * share);
}

}  // namespace

double Comparison::swing(std::size_t k) const {
  double largest = 0;
  for (const auto* results : {&coarse, &fine})
    for (const Result& result : *results)
      for (const double value : result.series.values[k])
        if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  return largest;
}

bool Comparison::is_zero(std::size_t k) const {
  double largest = 0;
  for (std::size_t j = 0; j < observables.size(); ++j) largest = std::max(largest, swing(j));
  return swing(k) <= kRounding * largest;
}

double Comparison::bar(std::size_t method, std::size_t k) const {
  const double scale = std::max(std::fabs(fine[method].values[k]), std::fabs(coarse[method].values[k]));
  return std::max(std::fabs(fine[method].values[k] - coarse[method].values[k]) + 1e-11 * scale, fine[method].grain[k]);
}

Comparison compare_methods(const scene::Document& document, const std::vector<scene::Override>& given,
                           const std::vector<std::string>& methods, int threads, const std::function<bool()>& go_on) {
  Comparison c;
  const scene::Scene scene = scene::make_scene(document, given);
  if (scene.observables.empty())
    throw std::runtime_error(fmt::format("{}: nothing to compare: add an [observe] table", document.file.string()));
  c.observables = scene.observables;
  for (const model::Body& body : scene.model.bodies) c.bodies.push_back(body.name);
  ComparisonPlan chosen = plan(document, given, methods);
  c.variants = std::move(chosen.variants);
  c.asked = chosen.asked;
  set_steps(document, c.variants);
  const std::vector<Variant> half = halved(document, c.variants);
  std::vector<Variant> all = c.variants;
  all.insert(all.end(), half.begin(), half.end());
  const Batch batch{document, threads, kStepSamples, go_on};
  std::vector<Result> results = run_batch(batch, all);
  c.coarse.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(c.variants.size()));
  c.fine.assign(results.begin() + static_cast<std::ptrdiff_t>(c.variants.size()), results.end());
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!results[i].error.empty()) throw std::runtime_error(all[i].label + ": " + results[i].error);
  c.checks = check_steps(batch, c.variants, c.coarse, c.fine);
  return c;
}

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
  const std::string relative = value > kRounding * scale ? percent(v.spread / value) : "";
  if (c.fine.size() >= 2 && c.is_zero(k))
    return fmt::format("{}: does not depend on the model: zero, up to rounding, in all runs", name);
  if (c.fine.size() < 2) return fmt::format("{}: nothing to compare with", name);
  if (!v.depends && v.largest_bar > kUnresolved * scale && v.spread > kUnresolved * scale)
    return fmt::format("{}: not known: the steps leave error bars up to {:.2g} (spread {:.3g}{}); take shorter steps",
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

nlohmann::ordered_json to_json(const std::string& scene, const Comparison& c) {
  OrderedJson out{{"scene", scene}, {"methods", OrderedJson::array()}, {"observe", OrderedJson::object()}};
  for (std::size_t i = 0; i < c.fine.size(); ++i) {
    OrderedJson method{{"method", c.variants[i].label},
                       {"step", c.fine[i].step},
                       {"certified", c.fine[i].finished && c.coarse[i].finished},
                       {"steps", c.fine[i].steps},
                       {"solves", c.fine[i].solves},
                       {"seconds", c.fine[i].seconds},
                       {"worst_residual", number(c.fine[i].worst_residual)}};
    if (!c.fine[i].failure.empty()) method["failure"] = c.fine[i].failure;
    method["observe"] = OrderedJson::object();
    if (c.fine[i].finished && c.coarse[i].finished)
      for (std::size_t k = 0; k < c.observables.size(); ++k)
        method["observe"][c.observables[k].name] = {{"value", number(c.fine[i].values[k])},
                                                    {"error_bar", number(c.bar(i, k))}};
    OrderedJson modes = OrderedJson::array();
    for (const auto& interval : c.fine[i].modes)
      modes.push_back(
          {{"bodies",
            {c.bodies[static_cast<std::size_t>(interval.body_a)], c.bodies[static_cast<std::size_t>(interval.body_b)]}},
           {"mode", contact::to_string(interval.mode)},
           {"begin", interval.begin},
           {"end", interval.end}});
    method["modes"] = std::move(modes);
    method["contradicts_order"] = OrderedJson::array();
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

}  // namespace stickslip::app
