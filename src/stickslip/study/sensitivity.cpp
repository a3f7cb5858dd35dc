// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/sensitivity.h"

#include "stickslip/scene/nearest_name.h"
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

const scene::Parameter& checked_parameter(const scene::Scene& scene, const std::string& name) {
  const auto found = std::ranges::find(scene.parameters, name, &scene::Parameter::name);
  if (found != scene.parameters.end()) return *found;
  std::vector<std::string> names;
  for (const scene::Parameter& parameter : scene.parameters) names.push_back(parameter.name);
  throw scene::SceneError({scene.file.string(), 0, 0}, fmt::format("the scene has no parameter '{}'", name),
                          scene::did_you_mean(name, names));
}

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
                         std::size_t observable, double step) {
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
  derivative.error = std::abs(narrow - wide) / 3 + 4 * std::numeric_limits<double>::epsilon() * size / step;
  return derivative;
}

}  // namespace

Sensitivities sensitivities(const scene::Document& document, std::span<const scene::Override> overrides,
                            const std::vector<std::string>& parameters, const SensitivityOptions& options) {
  const scene::Scene scene = scene::make_scene(document, overrides);
  Sensitivities result;
  result.parameters = parameters;
  std::vector<double> steps;
  for (const std::string& name : parameters) {
    const double value = checked_parameter(scene, name).value;
    result.parameter_values.push_back(value);
    steps.push_back(options.step * (value != 0 ? std::abs(value) : 1));
  }
  for (const scene::Observable& observable : scene.observables) result.observables.push_back(observable.name);
  const SceneRun base = run_scene(scene);
  if (!base.ran()) throw scene::SceneError({scene.file.string(), 0, 0}, base.cause);
  result.observable_values = base.observables;

  std::vector<SceneRun> runs(kPoints * parameters.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < runs.size(); k = next++) {
      const std::size_t i = k / kPoints;
      runs[k] =
          run_with(document, overrides, parameters[i], result.parameter_values[i] + kPlaces[k % kPoints] * steps[i]);
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int i = 1; i < options.threads; ++i) workers.emplace_back(work);
    work();
  }
  result.runs = 1 + static_cast<std::int64_t>(runs.size());
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (std::size_t j = 0; j < result.observables.size(); ++j)
      result.derivatives.push_back(derivative_of(runs, kPoints * i, base, j, steps[i]));
  return result;
}

}  // namespace stickslip::study
