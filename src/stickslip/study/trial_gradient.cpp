// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of trial_run.h.
//
// The derivative of a trial's objective, an expression of observables and parameters:
//
//     d J / d p_i = (J(p_i above, observables of the shadow above) - J(below)) / width        (scene_sensitivity.h)
//
// by one run; or by two runs per parameter where its steps have no derivative. Residuals of a Gauss-Newton search are
// differentiated likewise, at every moment that the run keeps. Differences between runs whose contacts went through
// other modes may be those of a corner or a jump: they are counted.
#include "stickslip/complementarity/seconds_since.h"
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

double evaluate(const std::string& expression, const scene::Scene& scene, std::span<const double> observables,
                double time) {
  return expression::Expression(expression, result_scope(scene, observables, time)).evaluate(0);
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

// False: not possible here, or the run has steps without a derivative.
bool TrialRunner::differentiate_run(const TrialPoint& trial, std::span<const scene::Override> design,
                                    const OptimiseSettings& settings, TrialGradient& out) const {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<scene::Override> overrides = overrides_of(study_, trial);
  overrides.insert(overrides.end(), design.begin(), design.end());
  std::vector<std::string> names;
  for (const DesignVariable& variable : settings.variables) names.push_back(variable.parameter);
  try {
    {
      const scene::Scene scene = scene::make_scene(document_, overrides);
      if (scene.method.tolerance > 0) return false;  // its step is found by whole runs
      if (!sensitivity::RunSensitivity::objection_to(scene.model, scene.method).empty()) return false;
      if (!simulation::Simulation(scene.model, scene.method).overlaps().empty()) return false;
    }
    const sensitivity::ParameterDirections unknowns(document_, overrides, names);
    const sensitivity::ObservableDerivatives run = sensitivity::differentiate(unknowns, settings.every);
    if (!run.finished || std::ranges::find(run.in_doubt, true) != run.in_doubt.end()) return false;
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
    result.seconds = complementarity::seconds_since(begin);
  } catch (const scene::SceneError&) {
    return false;
  } catch (const std::invalid_argument&) {
    return false;
  }
  out.implicit = true;
  return true;
}

struct TrialRunner::Sample {
  TrialResult result;
  std::uint64_t modes = 0;
  std::vector<double> residuals;
};

TrialRunner::Sample TrialRunner::run_sample(const TrialPoint& trial, std::span<const scene::Override> design,
                                            const OptimiseSettings& settings) const {
  Sample sample;
  if (!study_.stages.empty()) {
    sample.result = run(trial, design);
    return sample;
  }
  const Look look = [&](const scene::Scene& scene, const SceneRun& run) {
    sample.modes = run.modes;
    const std::vector<SceneRun::Moment> end{{run.end_time, run.observables}};
    for (const SceneRun::Moment& moment : settings.every > 0 ? run.moments : end)
      for (const auto& group : settings.residuals)
        for (const std::string& text : group)
          sample.residuals.push_back(evaluate(text, scene, moment.observables, moment.time));
  };
  sample.result = run_scene_of(trial, design, settings.every, look);
  return sample;
}

TrialGradient TrialRunner::run_with_gradient(const TrialPoint& trial, std::span<const scene::Override> design,
                                             const OptimiseSettings& settings) const {
  TrialGradient out;
  if (study_.stages.empty() && differentiate_run(trial, design, settings, out)) return out;
  out = {};
  const Sample here = run_sample(trial, design, settings);
  out.result = here.result;
  std::size_t each = 0;  // residuals per moment
  for (const auto& group : settings.residuals) each += group.size();
  NormModel& terms = out.terms;
  if (each > 0 && !here.residuals.empty()) {
    terms.residuals = Eigen::Map<const Eigen::VectorXd>(here.residuals.data(), std::ssize(here.residuals));
    terms.slopes.resize(terms.residuals.size(), std::ssize(settings.variables));
    for (std::size_t moment = 0; moment < here.residuals.size() / each; ++moment)
      for (const auto& group : settings.residuals) terms.sizes.push_back(static_cast<int>(group.size()));
    terms.weight.assign(terms.sizes.size(), 1.0);
  }
  std::vector<scene::Override> moved(design.begin(), design.end());
  for (std::size_t i = 0; i < settings.variables.size(); ++i) {
    const DesignVariable& variable = settings.variables[i];
    const auto place = std::ranges::find(moved, variable.parameter, &scene::Override::name);
    const scene::Override kept = *place;
    const double value = value_with(kept), step = settings.difference * (variable.high - variable.low);
    const double above = std::min(variable.high, value + step), below = std::max(variable.low, value - step);
    place->value = fmt::format("{}", above);
    const Sample high = run_sample(trial, moved, settings);
    place->value = fmt::format("{}", below);
    const Sample low = run_sample(trial, moved, settings);
    *place = kept;
    out.gradient.push_back((high.result.objective - low.result.objective) / (above - below));
    out.crossed |= high.modes != here.modes || low.modes != here.modes;
    out.runs += 2;
    if (terms.empty()) continue;
    if (high.residuals.size() != here.residuals.size() || low.residuals.size() != here.residuals.size()) {
      terms = {};  // a run beside this one ended elsewhere
      continue;
    }
    for (std::size_t k = 0; k < here.residuals.size(); ++k)
      terms.slopes(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) =
          (high.residuals[k] - low.residuals[k]) / (above - below);
  }
  if (!terms.empty() && (!terms.residuals.allFinite() || !terms.slopes.allFinite())) terms = {};
  return out;
}

}  // namespace stickslip::study
