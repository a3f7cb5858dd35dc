// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/observable_derivatives.h"

#include "stickslip/complementarity/worker_pool.h"
#include "stickslip/runs/observer.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/sensitivity/differentiable_stepper.h"
#include "stickslip/sensitivity/scene_sensitivity.h"
#include "stickslip/sensitivity/start_coordinate.h"
#include "stickslip/study/scene_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::study {
namespace {

// Where the runs for one parameter are: on both sides of its value, or on one where a bound leaves no room.
struct Stencil {
  static constexpr double kBoth[] = {-1, -0.5, 0.5, 1}, kOne[] = {0.25, 0.5, 1};  // in steps
  static constexpr double kCloser[] = {-0.25, 0.25};                              // besides, for each side alone

  double value = 0;
  double step = 0;  // negative: one side, downwards; 0: there is no room at all
  bool one_sided = false;
  std::size_t first = 0;  // among all runs

  [[nodiscard]] std::span<const double> places() const {
    return one_sided ? std::span<const double>(kOne) : std::span<const double>(kBoth);
  }
};

double value_of(const scene::Scene& scene, const std::string& name) {
  if (!sensitivity::names_start(name)) return scene::parameter_named(scene, name).value;
  return sensitivity::start_value(scene.model, sensitivity::start_coordinate(scene, name));
}

Stencil stencil_for(const scene::Scene& scene, const std::string& name, double relative_step) {
  Stencil stencil;
  stencil.value = value_of(scene, name);
  stencil.step = relative_step * (stencil.value != 0 ? std::abs(stencil.value) : 1);
  if (sensitivity::names_start(name)) return stencil;
  const scene::Parameter& parameter = scene::parameter_named(scene, name);
  const double below = parameter.value - parameter.min, above = parameter.max - parameter.value;
  stencil.one_sided = std::min(below, above) < stencil.step;
  if (stencil.one_sided) stencil.step = above >= below ? std::min(above, stencil.step) : -std::min(below, stencil.step);
  return stencil;
}

SceneRun run_with(const scene::Document& document, std::span<const scene::Override> overrides, const std::string& name,
                  double value, double change, const runs::Run::Hook& hook) {
  std::vector<scene::Override> all(overrides.begin(), overrides.end());
  const bool start = sensitivity::names_start(name);
  if (!start) all.push_back({name, fmt::format("{}", value)});
  try {
    scene::Scene scene = scene::make_scene(document, all);
    if (start) sensitivity::move_start(sensitivity::start_coordinate(scene, name), change, scene.model);
    return run_scene(scene, 0, hook);
  } catch (const scene::SceneError& error) {  // beyond the parameter's range, for one
    SceneRun run;
    run.status = TrialStatus::Rejected;
    run.cause = error.message();
    return run;
  }
}

// With its error, from values at a quarter, half and all of step s, and here.
Derivative::Side one_sided(const double (&f)[3], double here, double s, double rounding) {
  const double wide = (4 * f[1] - f[2] - 3 * here) / s, narrow = 2 * (4 * f[0] - f[1] - 3 * here) / s;
  return {(4 * narrow - wide) / 3, std::abs(narrow - wide) / 3 + 8 * rounding / std::abs(s)};
}

double rounding_of(double size, double grain) {
  return 4 * std::numeric_limits<double>::epsilon() * size + grain;
}

Derivative derivative_of(const Stencil& stencil, std::span<const SceneRun> runs, const SceneRun& base,
                         std::size_t observable, double grain) {
  Derivative derivative;
  derivative.same_modes = true;
  double f[4] = {}, size = std::abs(base.observables[observable]);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (!runs[k].ran()) {
      derivative.reason = runs[k].cause;
      derivative.same_modes = false;
      return derivative;
    }
    f[k] = runs[k].observables[observable];
    size = std::max(size, std::abs(f[k]));
    derivative.same_modes &= runs[k].modes == base.modes && runs[k].status == base.status;
  }
  const double s = stencil.step, here = base.observables[observable];
  const double rounding = rounding_of(size, grain);
  if (stencil.one_sided) {
    const Derivative::Side side = one_sided({f[0], f[1], f[2]}, here, s, rounding);
    derivative.value = side.value;
    derivative.error = side.error;
    return derivative;
  }
  const double wide = (f[3] - f[0]) / (2 * s), narrow = (f[2] - f[1]) / s;
  derivative.value = (4 * narrow - wide) / 3;
  derivative.error = std::abs(narrow - wide) / 3 + rounding / std::abs(s);
  return derivative;
}

// Of one side: runs at a quarter, half and all of the step, which must agree in their modes. Nan: they do not.
Derivative::Side side_of(const SceneRun* const (&runs)[3], const SceneRun& base, std::size_t observable, double s,
                         double grain) {
  double f[3] = {}, size = std::abs(base.observables[observable]);
  for (std::size_t k = 0; k < 3; ++k) {
    if (!runs[k]->ran() || runs[k]->modes != runs[0]->modes || runs[k]->status != base.status) return {};
    f[k] = runs[k]->observables[observable];
    size = std::max(size, std::abs(f[k]));
  }
  return one_sided(f, base.observables[observable], s, rounding_of(size, grain));
}

// Left and right derivative, where they differ for certain.
void look_for_corner(const Stencil& stencil, std::span<const SceneRun> runs, std::span<const SceneRun> closer,
                     const SceneRun& base, std::size_t observable, double grain, Derivative& derivative) {
  constexpr double kCertain = 10;  // errors
  const double s = stencil.step;
  const Derivative::Side left = side_of({closer.data(), &runs[1], &runs[0]}, base, observable, -s, grain);
  const Derivative::Side right = side_of({&closer[1], &runs[2], &runs[3]}, base, observable, s, grain);
  if (!(std::abs(right.value - left.value) > kCertain * (left.error + right.error))) return;
  derivative.corner = true;
  derivative.left = left;
  derivative.right = right;
  derivative.value = derivative.error = kNotANumber;
}

// Why the scene's runs cannot be differentiated step by step; empty when they can.
std::string objection_to(const scene::Scene& scene) {
  if (scene.method.tolerance > 0) return "the step follows from method.tolerance, by whole runs";
  return sensitivity::RunSensitivity::objection_to(scene.model, scene.method);
}

// Fills in the derivatives that one differentiated run gives, and says why it does not give the others. False: there
// are others.
bool differentiate_run(const scene::Document& document, std::span<const scene::Override> overrides,
                       const SensitivityOptions& options, Sensitivities& result) {
  const auto refuse_all = [&](const std::string& reason) {
    for (Derivative& derivative : result.derivatives) derivative.reason = reason;
    return false;
  };
  try {
    const sensitivity::ParameterDirections unknowns(document, overrides, result.parameters);
    const sensitivity::ObservableDerivatives exact =
        sensitivity::differentiate(unknowns, 0, runs::asking(options.go_on));
    ++result.runs;
    if (!exact.finished) return refuse_all(exact.reason);
    bool complete = true;
    for (std::size_t j = 0; j < result.observables.size(); ++j) {
      if (std::isnan(exact.values[j])) continue;  // no run has it
      const bool on_grid = runs::grain_of(unknowns.scene(), j, exact.values[j]) > 0;
      for (std::size_t i = 0; i < result.parameters.size(); ++i) {
        const double value = exact.value(j, i);
        Derivative& derivative = result.derivatives[i * result.observables.size() + j];
        if (exact.in_doubt[j])
          derivative.reason = "redundant contacts share their load in a way that is not known";
        else if (on_grid)
          derivative.reason = "a time read off the grid of steps";
        else if (!std::isfinite(value))
          derivative.reason = "not a number beside the run";
        else {
          derivative.value = value;
          derivative.same_modes = derivative.implicit = true;
        }
        complete &= derivative.implicit;
      }
    }
    return complete;
  } catch (const scene::SceneError&) {
    return refuse_all("an observable is not a number beside the run");  // the edge of its domain
  }
}

// A run with one parameter changed.
struct Point {
  std::size_t parameter;
  double value, change;
};

// Runs beside the one whose observables are differentiated.
struct RunsBeside {
  const scene::Document& document;
  std::span<const scene::Override> overrides;
  const scene::Scene& scene;
  const SceneRun& base;
  const SensitivityOptions& options;
  Sensitivities& result;

  [[nodiscard]] std::vector<SceneRun> run(const std::vector<Point>& points) const {
    std::vector<SceneRun> done(points.size());
    complementarity::WorkerPool().run(options.threads, static_cast<int>(points.size()), [&](int, int job) {
      const auto k = static_cast<std::size_t>(job);
      done[k] = run_with(document, overrides, result.parameters[points[k].parameter], points[k].value, points[k].change,
                         runs::asking(options.go_on));
    });
    result.runs += static_cast<std::int64_t>(points.size());
    return done;
  }
  [[nodiscard]] double grain(std::size_t observable) const {
    return runs::grain_of(scene, observable, base.observables[observable]);
  }
  [[nodiscard]] std::span<Derivative> derivatives_by(std::size_t parameter) const {
    return {&result.derivatives[parameter * result.observables.size()], result.observables.size()};
  }
};

// A difference between runs whose contacts went through other modes.
bool crosses(const Derivative& derivative) {
  return !derivative.implicit && !derivative.same_modes && !std::isnan(derivative.value);
}

// Looks nearer to the run where modes differ. beside: the runs of all stencils.
void look_for_corners(const RunsBeside& runs, const std::vector<Stencil>& stencils,
                      const std::vector<SceneRun>& beside) {
  std::vector<Point> closer;
  std::vector<std::size_t> first(stencils.size());
  for (std::size_t i = 0; i < stencils.size(); ++i) {
    first[i] = closer.size();
    if (stencils[i].one_sided || std::ranges::none_of(runs.derivatives_by(i), crosses)) continue;
    for (const double place : Stencil::kCloser)
      closer.push_back({i, stencils[i].value + place * stencils[i].step, place * stencils[i].step});
  }
  const std::vector<SceneRun> near = runs.run(closer);
  for (std::size_t i = 0; i < stencils.size(); ++i)
    for (std::size_t j = 0; j < runs.result.observables.size(); ++j) {
      Derivative& derivative = runs.derivatives_by(i)[j];
      if (stencils[i].one_sided || !crosses(derivative)) continue;
      look_for_corner(stencils[i], {&beside[stencils[i].first], 4}, {&near[first[i]], 2}, runs.base, j, runs.grain(j),
                      derivative);
    }
}

// Fills in the others by runs beside this one.
void difference_runs(const RunsBeside& runs) {
  std::vector<Stencil> stencils;
  std::vector<Point> points;
  for (std::size_t i = 0; i < runs.result.parameters.size(); ++i) {
    Stencil stencil = stencil_for(runs.scene, runs.result.parameters[i], runs.options.step);
    stencil.first = points.size();
    for (const double place : stencil.places())
      points.push_back({i, stencil.value + place * stencil.step, place * stencil.step});
    stencils.push_back(stencil);
  }
  const std::vector<SceneRun> beside = runs.run(points);
  for (std::size_t i = 0; i < stencils.size(); ++i)
    for (std::size_t j = 0; j < runs.result.observables.size(); ++j) {
      Derivative& derivative = runs.derivatives_by(i)[j];
      if (derivative.implicit || stencils[i].step == 0) continue;
      const std::span<const SceneRun> around(&beside[stencils[i].first], stencils[i].places().size());
      const std::string reason = derivative.reason;
      derivative = derivative_of(stencils[i], around, runs.base, j, runs.grain(j));
      if (!std::isnan(derivative.value)) derivative.reason = reason;
    }
  look_for_corners(runs, stencils, beside);
}

}  // namespace

Sensitivities sensitivities(const scene::Document& document, std::span<const scene::Override> given,
                            const std::vector<std::string>& parameters, const SensitivityOptions& options) {
  sensitivity::DifferentiableStepper choice{{given.begin(), given.end()}, {}};
  if (options.method != DerivativeMethod::Differences)
    choice = sensitivity::with_differentiable_stepper(document, given);
  const std::vector<scene::Override>& overrides = choice.overrides;
  const scene::Scene scene = scene::make_scene(document, overrides);
  Sensitivities result;
  result.note = choice.note;
  result.parameters = parameters;
  for (const std::string& name : parameters) result.parameter_values.push_back(value_of(scene, name));
  for (const scene::Observable& observable : scene.observables) result.observables.push_back(observable.name);
  result.derivatives.resize(parameters.size() * scene.observables.size());
  const std::string objection = objection_to(scene);
  if (options.method == DerivativeMethod::Implicit && !objection.empty())
    throw scene::SceneError({scene.file.string(), 0, 0}, "no implicit differentiation: " + objection);
  const SceneRun base = run_scene(scene, 0, runs::asking(options.go_on));
  if (!base.ran()) throw scene::SceneError({scene.file.string(), 0, 0}, base.cause);
  result.observable_values = base.observables;
  result.runs = 1;
  bool complete = false;
  if (options.method != DerivativeMethod::Differences) {
    if (objection.empty())
      complete = differentiate_run(document, overrides, options, result);
    else
      for (Derivative& derivative : result.derivatives) derivative.reason = objection;
  }
  if (!complete && options.method != DerivativeMethod::Implicit)
    difference_runs({document, overrides, scene, base, options, result});
  return result;
}

}  // namespace stickslip::study
