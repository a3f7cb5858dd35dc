// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The derivative of a trial's objective, an expression of observables and parameters:
//
//     d J / d p_i = (J(p_i above, observables of the shadow above) - J(below)) / width        (scene_sensitivity.h)
//
// by one run; or by two runs per parameter where its steps have no derivative. Residuals of a Gauss-Newton search are
// differentiated likewise, at every moment that the run keeps.
#include "stickslip/scene/scene_file.h"
#include "stickslip/sensitivity/scene_sensitivity.h"
#include "stickslip/simulation/simulation.h"
#include "stickslip/study/trial_run.h"
#include "stickslip/study/trial_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace stickslip::study {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double evaluate(const std::string& expression, const scene::Scene& scene, std::span<const double> observables,
                double time) {
  return scene::Expression(expression, result_scope(scene, observables, time)).evaluate(0);
}

std::span<const double> column_of(const Eigen::MatrixXd& matrix, std::size_t k) {
  const auto rows = static_cast<std::size_t>(matrix.rows());
  return {matrix.data() + k * rows, rows};
}

NormModel terms_of(const OptimiseSettings& settings, const sensitivity::ParameterDirections& unknowns,
                   const sensitivity::ObservableDerivatives& run) {
  std::vector<sensitivity::Moment> end;
  if (settings.every == 0) end.push_back({run.end_time, run.values, run.low, run.high});
  const std::vector<sensitivity::Moment>& moments = settings.every > 0 ? run.moments : end;
  NormModel terms;
  std::size_t count = 0;
  for (const auto& group : settings.residuals) count += group.size();
  terms.residuals.resize(static_cast<Eigen::Index>(count * moments.size()));
  terms.slopes.resize(terms.residuals.size(), std::ssize(unknowns.directions()));
  Eigen::Index at = 0;
  for (const sensitivity::Moment& moment : moments)
    for (const auto& group : settings.residuals) {
      terms.sizes.push_back(static_cast<int>(group.size()));
      terms.weight.push_back(1);
      for (const std::string& text : group) {
        terms.residuals[at] = evaluate(text, unknowns.scene(), moment.values, moment.time);
        for (std::size_t k = 0; k < unknowns.directions().size(); ++k) {
          const sensitivity::Direction& direction = unknowns.directions()[k];
          const double low = direction.below > 0
                                 ? evaluate(text, unknowns.low(k), column_of(moment.low, k), moment.time)
                                 : terms.residuals[at];
          const double high = direction.above > 0
                                  ? evaluate(text, unknowns.high(k), column_of(moment.high, k), moment.time)
                                  : terms.residuals[at];
          terms.slopes(at, static_cast<Eigen::Index>(k)) = (high - low) / (direction.below + direction.above);
        }
        ++at;
      }
    }
  if (!terms.residuals.allFinite() || !terms.slopes.allFinite()) return {};
  return terms;
}

double value_with(const scene::Override& over) {
  double value = kNotANumber;
  const auto end = over.value.data() + over.value.size();
  std::from_chars(over.value.data(), end, value);
  return value;
}

}  // namespace

// False: not possible here, or the run needs what differentiated runs do not do (steps in parts).
bool TrialRunner::differentiate_run(const Trial& trial, std::span<const scene::Override> design,
                                    const OptimiseSettings& settings, TrialGradient& out) const {
  const auto begin = Clock::now();
  std::vector<scene::Override> overrides = overrides_of(study_, trial);
  overrides.insert(overrides.end(), design.begin(), design.end());
  std::vector<std::string> names;
  for (const DesignVariable& variable : settings.variables) names.push_back(variable.parameter);
  try {
    {
      const scene::Scene scene = scene::make_scene(document_, overrides);
      if (!sensitivity::RunSensitivity::objection_to(scene.model, scene.method).empty()) return false;
      if (!simulation::Simulation(scene.model, scene.method).overlaps().empty()) return false;
    }
    const sensitivity::ParameterDirections unknowns(document_, overrides, names);
    const sensitivity::ObservableDerivatives run = sensitivity::differentiate(unknowns, settings.every);
    if (!run.finished) return false;
    TrialResult& result = out.result;
    result.index = trial.index;
    result.status = run.stopped ? TrialStatus::Stopped : TrialStatus::Finished;
    result.observables = run.values;
    result.end_time = run.end_time;
    result.residual = run.residual;
    result.steps = run.steps;
    judge(unknowns.scene(), result);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const sensitivity::Direction& direction = unknowns.directions()[k];
      const double low = evaluate(study_.objective, unknowns.low(k), column_of(run.low, k), run.end_time);
      const double high = evaluate(study_.objective, unknowns.high(k), column_of(run.high, k), run.end_time);
      out.gradient.push_back((high - low) / (direction.below + direction.above));
      if (!std::isfinite(out.gradient.back())) return false;
    }
    if (!settings.residuals.empty()) out.terms = terms_of(settings, unknowns, run);
    result.seconds = seconds_since(begin);
  } catch (const scene::SceneError&) {
    return false;
  } catch (const std::invalid_argument&) {
    return false;
  }
  out.implicit = true;
  return true;
}

TrialGradient TrialRunner::run_with_gradient(const Trial& trial, std::span<const scene::Override> design,
                                             const OptimiseSettings& settings) const {
  TrialGradient out;
  if (study_.stages.empty() && differentiate_run(trial, design, settings, out)) return out;
  out = {};
  out.result = run(trial, design);
  std::vector<scene::Override> moved(design.begin(), design.end());
  for (const DesignVariable& variable : settings.variables) {
    const auto place = std::ranges::find(moved, variable.parameter, &scene::Override::name);
    const scene::Override here = *place;
    const double value = value_with(here), step = settings.difference * (variable.high - variable.low);
    const double above = std::min(variable.high, value + step), below = std::max(variable.low, value - step);
    place->value = fmt::format("{}", above);
    const double high = run(trial, moved).objective;
    place->value = fmt::format("{}", below);
    const double low = run(trial, moved).objective;
    *place = here;
    out.gradient.push_back((high - low) / (above - below));
    out.runs += 2;
  }
  return out;
}

}  // namespace stickslip::study
