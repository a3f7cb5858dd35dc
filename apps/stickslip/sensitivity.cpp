// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip sensitivity SCENE: derivatives of the observables with respect to parameters and the initial state: how
// each was got, and how exact differences are.
#include "batch.h"
#include "common_options.h"
#include "require_step.h"
#include "verbs.h"

#include "stickslip/report/json_number.h"
#include "stickslip/sensitivity/start_coordinate.h"
#include "stickslip/study/observable_derivatives.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace stickslip::app {
namespace {

constexpr const char* kSensitivityExamples =
    "Every step is differentiated implicitly where the stepper allows it: one run gives the derivatives by all\n"
    "parameters, also of sums, means and extremes over the run and of contact forces. Otherwise central differences\n"
    "with two steps are taken, with an estimate of their error and the reason. A difference between runs whose "
    "contacts\n"
    "stick, slide or part in another order is marked, since the observable may have a corner or a jump there. Where "
    "left\n"
    "and right derivative certainly differ, both are given (corner).\n"
    "A name with a dot is a number of the initial state: x, y, angle, vx, vy, wz of a planar body; x, y, z, vx ... wz\n"
    "of one in space, and rx, ry, rz, a small rotation about the world's axes.\n"
    "\n"
    "Examples:\n"
    "  stickslip sensitivity examples/ball/scene.toml\n"
    "  stickslip sensitivity scene.toml --of mu --of speed --step 1e-5 --set method.stepper=second-order\n"
    "  stickslip sensitivity examples/ball/scene.toml --of mu --of ball.vx\n"
    "  stickslip sensitivity examples/ball/scene.toml --initial-state\n"
    "\n"
    "Exit codes: 0 done, 2 bad input.";

struct SensitivityCommand {
  std::string scene;
  std::vector<std::string> set, of;
  double step = 1e-4;
  int threads = 0;
  bool json = false, initial_state = false;
  study::DerivativeMethod method = study::DerivativeMethod::Automatic;
};

void print_table(const study::Sensitivities& s) {
  std::size_t width = 12;
  for (const std::string& name : s.parameters) width = std::max(width, name.size());
  std::map<std::string, int> reasons;
  for (std::size_t j = 0; j < s.observables.size(); ++j) {
    fmt::print("{} = {:.12g}\n", s.observables[j], s.observable_values[j]);
    for (std::size_t i = 0; i < s.parameters.size(); ++i) {
      const study::Derivative& d = s.at(i, j);
      if (d.corner) {
        fmt::print("  d/d {:<{}} {:>16}  left {:.9g} +- {:.1e}, right {:.9g} +- {:.1e}\n", s.parameters[i], width,
                   "corner", d.left.value, d.left.error, d.right.value, d.right.error);
        if (!d.reason.empty()) ++reasons[d.reason];
        continue;
      }
      const std::string how = std::isnan(d.value) ? "not defined"
                              : d.implicit        ? "implicit"
                                                  : fmt::format("differences, +- {:.1e}", d.error);
      const bool marked = !std::isnan(d.value) && !d.same_modes;
      fmt::print("  d/d {:<{}} {:>16.9g}  {}{}\n", s.parameters[i], width, d.value, how,
                 marked ? "  contact modes change within the step" : "");
      if (!d.reason.empty()) ++reasons[d.reason];
    }
  }
  fmt::print("{} runs\n", s.runs);
  if (!s.note.empty()) fmt::print("{}\n", s.note);
  for (const auto& [reason, count] : reasons) fmt::print("{} not implicit: {}\n", count, reason);
}

void print_json(const study::Sensitivities& s) {
  nlohmann::json observables = nlohmann::json::object();
  for (std::size_t j = 0; j < s.observables.size(); ++j) {
    nlohmann::json derivatives = nlohmann::json::object();
    for (std::size_t i = 0; i < s.parameters.size(); ++i) {
      derivatives[s.parameters[i]] = {{"value", report::number(s.at(i, j).value)},
                                      {"error", report::number(s.at(i, j).error)},
                                      {"method", s.at(i, j).implicit ? "implicit" : "differences"},
                                      {"reason", s.at(i, j).reason},
                                      {"same_modes", s.at(i, j).same_modes}};
      const study::Derivative& d = s.at(i, j);
      if (!d.corner) continue;
      derivatives[s.parameters[i]]["left"] = {{"value", report::number(d.left.value)},
                                              {"error", report::number(d.left.error)}};
      derivatives[s.parameters[i]]["right"] = {{"value", report::number(d.right.value)},
                                               {"error", report::number(d.right.error)}};
    }
    observables[s.observables[j]] = {{"value", report::number(s.observable_values[j])}, {"derivatives", derivatives}};
  }
  fmt::print("{}\n", nlohmann::json{{"runs", s.runs}, {"note", s.note}, {"observables", observables}}.dump());
}

int run_sensitivity(const SensitivityCommand& command) {
  const std::vector<scene::Override> overrides = overrides_of(command.set);
  const scene::Document document = scene::read_document(command.scene);
  std::vector<std::string> parameters = command.of;
  const scene::Scene scene = scene::make_scene(document, overrides);
  require_step(scene, "sensitivity");
  if (command.initial_state)
    for (const std::string& name : sensitivity::start_coordinates(scene)) parameters.push_back(name);
  if (parameters.empty())
    for (const scene::Parameter& parameter : scene.parameters) parameters.push_back(parameter.name);
  study::SensitivityOptions options;
  options.step = command.step;
  options.method = command.method;
  options.threads = command.threads > 0 ? command.threads : default_threads();
  const study::Sensitivities result = study::sensitivities(document, overrides, parameters, options);
  if (command.json)
    print_json(result);
  else
    print_table(result);
  return kDone;
}

}  // namespace

void add_sensitivity(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<SensitivityCommand>();
  CLI::App* verb =
      app.add_subcommand("sensitivity", "Derivatives of the observables with respect to parameters and initial state");
  verb->footer(kSensitivityExamples);
  verb->add_option("SCENE", command->scene, "Scene file (TOML)")->required();
  verb->add_option("--of", command->of, "Parameter, or body.coordinate of the initial state (default: all parameters)")
      ->take_all()
      ->expected(1);
  verb->add_flag("--initial-state", command->initial_state, "All free coordinates of the initial state");
  add_set_option(*verb, command->set);
  verb->add_option("--method", command->method, "auto, implicit or differences")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, study::DerivativeMethod>{{"auto", study::DerivativeMethod::Automatic},
                                                         {"implicit", study::DerivativeMethod::Implicit},
                                                         {"differences", study::DerivativeMethod::Differences}}))
      ->option_text("TEXT [auto]");
  verb->add_option("--step", command->step, "Of differences, relative to the parameter")
      ->check(CLI::Range(1e-12, 0.1))
      ->capture_default_str();
  add_threads_option(*verb, command->threads);
  add_json_option(*verb, command->json);
  verb->callback([command, &exit_code] { exit_code = run_sensitivity(*command); });
}

}  // namespace stickslip::app
