// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/sensitivity.h"

#include "stickslip/scene/observer.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/sensitivity/scene_sensitivity.h"
#include "stickslip/study/scene_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

namespace stickslip::study {
namespace {

constexpr int kPoints = 4;
constexpr double kPlaces[kPoints] = {-1, -0.5, 0.5, 1};  // in steps

SceneRun run_with(const scene::Document& document, std::span<const scene::Override> overrides, const std::string& name,
                  double value) {
  std::vector<scene::Override> all(overrides.begin(), overrides.end());
  all.push_back({name, fmt::format("{}", value)});
  try {
    return run_scene(scene::make_scene(document, all));
  } catch (const scene::SceneError& error) {  // beyond the parameter's range, for one
    SceneRun run;
    run.status = TrialStatus::Rejected;
    run.cause = error.message();
    return run;
  }
}

Derivative derivative_of(const std::vector<SceneRun>& runs, std::size_t first, const SceneRun& base,
                         std::size_t observable, double step, double grain) {
  Derivative derivative;
  derivative.same_modes = true;
  double f[kPoints];
  for (std::size_t k = 0; k < kPoints; ++k) {
    const SceneRun& run = runs[first + k];
    if (!run.ran()) return {};
    f[k] = run.observables[observable];
    derivative.same_modes &= run.modes == base.modes && run.status == base.status;
  }
  const double wide = (f[3] - f[0]) / (2 * step), narrow = (f[2] - f[1]) / step;
  const double size = std::max({std::abs(f[0]), std::abs(f[1]), std::abs(f[2]), std::abs(f[3])});
  derivative.value = (4 * narrow - wide) / 3;
  derivative.error =
      std::abs(narrow - wide) / 3 + 4 * std::numeric_limits<double>::epsilon() * size / step + grain / step;
  return derivative;
}

// Why the scene's runs cannot be differentiated step by step; empty when they can.
std::string objection_to(const scene::Scene& scene) {
  if (!scene.stop.empty()) return "the run may end by a stop condition, whose instant is not differentiated";
  return sensitivity::RunSensitivity::objection_to(scene.model, scene.method);
}

// Fills in the derivatives that one differentiated run gives. False: some observables have none, or the run failed.
bool differentiate_run(const scene::Document& document, std::span<const scene::Override> overrides,
                       Sensitivities& result) {
  const sensitivity::ObservableDerivatives exact =
      sensitivity::differentiate(sensitivity::ParameterDirections(document, overrides, result.parameters));
  ++result.runs;
  if (!exact.finished) return false;
  bool complete = true;
  for (std::size_t i = 0; i < result.parameters.size(); ++i)
    for (std::size_t j = 0; j < result.observables.size(); ++j) {
      const double value = exact.value(j, i);
      complete &= std::isfinite(value);
      if (std::isfinite(value))
        result.derivatives[i * result.observables.size() + j] = {value, kNotANumber, true, true};
    }
  return complete;
}

// Fills in the others by four runs per parameter.
void difference_runs(const scene::Document& document, std::span<const scene::Override> overrides,
                     const scene::Scene& scene, const SceneRun& base, const SensitivityOptions& options,
                     Sensitivities& result) {
  std::vector<double> steps;
  for (const double value : result.parameter_values) steps.push_back(options.step * (value != 0 ? std::abs(value) : 1));
  std::vector<SceneRun> runs(kPoints * steps.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < runs.size(); k = next++) {
      const std::size_t i = k / kPoints;
      runs[k] = run_with(document, overrides, result.parameters[i],
                         result.parameter_values[i] + kPlaces[k % kPoints] * steps[i]);
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 1; i < options.threads; ++i) workers.emplace_back(work);
    work();
  }
  result.runs += static_cast<std::int64_t>(runs.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (std::size_t j = 0; j < result.observables.size(); ++j) {
      Derivative& derivative = result.derivatives[i * result.observables.size() + j];
      if (!derivative.implicit)
        derivative =
            derivative_of(runs, kPoints * i, base, j, steps[i], scene::grain_of(scene, j, base.observables[j]));
    }
}

}  // namespace

Sensitivities sensitivities(const scene::Document& document, std::span<const scene::Override> overrides,
                            const std::vector<std::string>& parameters, const SensitivityOptions& options) {
  const scene::Scene scene = scene::make_scene(document, overrides);
  Sensitivities result;
  result.parameters = parameters;
  for (const std::string& name : parameters)
    result.parameter_values.push_back(scene::parameter_named(scene, name).value);
  for (const scene::Observable& observable : scene.observables) result.observables.push_back(observable.name);
  result.derivatives.resize(parameters.size() * scene.observables.size());
  const std::string objection = objection_to(scene);
  if (options.method == DerivativeMethod::Implicit && !objection.empty())
    throw scene::SceneError({scene.file.string(), 0, 0}, "no implicit differentiation: " + objection);
  const SceneRun base = run_scene(scene);
  if (!base.ran()) throw scene::SceneError({scene.file.string(), 0, 0}, base.cause);
  result.observable_values = base.observables;
  result.runs = 1;
  const bool complete = options.method != DerivativeMethod::Differences && objection.empty() &&
                        differentiate_run(document, overrides, result);
  if (!complete && options.method != DerivativeMethod::Implicit)
    difference_runs(document, overrides, scene, base, options, result);
  return result;
}

}  // namespace stickslip::study
