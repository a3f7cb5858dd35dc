// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip sensitivity SCENE: derivatives of the observables with respect to parameters, with error estimates.
#include "batch.h"
#include "verbs.h"

#include "stickslip/study/sensitivity.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

namespace stickslip::app {
namespace {

constexpr const char* kSensitivityExamples =
    "Implicit differentiation of every step where the stepper (implicit, stewart-trinkle) allows it: one run for all\n"
    "parameters; sums, means and extremes over the run and contact forces are differentiated too. Otherwise central\n"
    "differences with two steps: the derivative and an estimate of its error; one between runs whose contacts stick,\n"
    "slide or part in another order is marked, since the observable may have a corner or a jump there.\n"
    "\n"
    "Examples:\n"
    "  stickslip sensitivity examples/ball/scene.toml\n"
    "  stickslip sensitivity scene.toml --of mu --of speed --step 1e-5 --set method.stepper=second-order\n"
    "\n"
    "Exit codes: 0 done, 2 bad input.";

struct SensitivityCommand {
  std::string scene;
  std::vector<std::string> set, of;
  double step = 1e-4;
  int threads = 0;
  bool json = false;
  study::DerivativeMethod method = study::DerivativeMethod::Automatic;
};

void print_table(const study::Sensitivities& s) {
  for (std::size_t j = 0; j < s.observables.size(); ++j) {
    fmt::print("{} = {:.12g}\n", s.observables[j], s.observable_values[j]);
    for (std::size_t i = 0; i < s.parameters.size(); ++i) {
      const study::Derivative& d = s.at(i, j);
      const std::string error = d.implicit ? "implicit" : fmt::format("+- {:.1e}", d.error);
      fmt::print("  d/d {:<12} {:>16.9g}  {}{}\n", s.parameters[i], d.value, error,
                 std::isnan(d.value) ? "  not defined"
                 : d.same_modes      ? ""
                                     : "  contact modes change within the step");
    }
  }
  fmt::print("{} runs\n", s.runs);
}

void print_json(const study::Sensitivities& s) {
  const auto number = [](double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr); };
  nlohmann::json observables = nlohmann::json::object();
  for (std::size_t j = 0; j < s.observables.size(); ++j) {
    nlohmann::json derivatives = nlohmann::json::object();
    for (std::size_t i = 0; i < s.parameters.size(); ++i)
      derivatives[s.parameters[i]] = {{"value", number(s.at(i, j).value)},
                                      {"error", number(s.at(i, j).error)},
                                      {"method", s.at(i, j).implicit ? "implicit" : "differences"},
                                      {"same_modes", s.at(i, j).same_modes}};
    observables[s.observables[j]] = {{"value", number(s.observable_values[j])}, {"derivatives", derivatives}};
  }
  fmt::print("{}\n", nlohmann::json{{"runs", s.runs}, {"observables", observables}}.dump());
}

int run_sensitivity(const SensitivityCommand& command) {
  std::vector<scene::Override> overrides;
  for (const std::string& argument : command.set) overrides.push_back(scene::parse_override_argument(argument));
  const scene::Document document = scene::read_document(command.scene);
  std::vector<std::string> parameters = command.of;
  const scene::Scene scene = scene::make_scene(document, overrides);
  require_step(scene, "sensitivity");
  if (parameters.empty())
    for (const scene::Parameter& parameter : scene.parameters) parameters.push_back(parameter.name);
  study::SensitivityOptions options;
  options.step = command.step;
  options.method = command.method;
  options.threads = command.threads > 0 ? command.threads : static_cast<int>(std::thread::hardware_concurrency());
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
  CLI::App* verb = app.add_subcommand("sensitivity", "Derivatives of the observables with respect to parameters");
  verb->footer(kSensitivityExamples);
  verb->add_option("SCENE", command->scene, "Scene file (TOML)")->required();
  verb->add_option("--of", command->of, "Parameter (default: all)")->take_all()->expected(1);
  verb->add_option("--set", command->set, "name=value, as in run")->take_all()->expected(1);
  verb->add_option("--method", command->method, "auto, implicit or differences")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, study::DerivativeMethod>{{"auto", study::DerivativeMethod::Automatic},
                                                         {"implicit", study::DerivativeMethod::Implicit},
                                                         {"differences", study::DerivativeMethod::Differences}}))
      ->option_text("TEXT [auto]");
  verb->add_option("--step", command->step, "Of differences, relative to the parameter")
      ->check(CLI::Range(1e-12, 0.1))
      ->capture_default_str();
  verb->add_option("--threads", command->threads, "Threads (default: all cores)")->check(CLI::PositiveNumber);
  verb->add_flag("--json", command->json, "One JSON object on standard output");
  verb->callback([command, &exit_code] {
    try {
      exit_code = run_sensitivity(*command);
    } catch (const scene::SceneError& error) {
      fmt::print(stderr, "stickslip: {}\n", error.what());
      exit_code = kBadInput;
    }
  });
}

}  // namespace stickslip::app
