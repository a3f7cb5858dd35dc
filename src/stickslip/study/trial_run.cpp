// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/trial_run.h"

#include "stickslip/complementarity/seconds_since.h"
#include "stickslip/study/trial_scene.h"

#include <chrono>
#include <cmath>

namespace stickslip::study {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1));
}

}  // namespace

expression::Scope result_scope(const scene::Scene& scene, std::span<const double> observables, double end_time) {
  expression::Scope scope;
  scope.constants["end_time"] = end_time;
  for (const scene::Parameter& parameter : scene.parameters) scope.constants[parameter.name] = parameter.value;
  for (std::size_t i = 0; i < observables.size(); ++i) scope.constants[scene.observables[i].name] = observables[i];
  return scope;
}

std::vector<std::string> conjuncts(std::string_view condition) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < condition.size(); ++i) {
    const char c = condition[i];
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (depth != 0) continue;
    if (c == '?' || condition.substr(i).starts_with("||")) return {trimmed(condition)};
    if (condition.substr(i).starts_with("&&")) {
      parts.push_back(trimmed(condition.substr(begin, i - begin)));
      begin = ++i + 1;
    }
  }
  parts.push_back(trimmed(condition.substr(begin)));
  return parts;
}

TrialRunner::TrialRunner(const Study& study) : study_(study), document_(scene::read_document(study.scene_file)) {
  if (study.stages.empty()) {
    const scene::Scene scene = scene::make_scene(document_, study.set);
    for (const scene::Observable& observable : scene.observables) observables_.push_back(observable.name);
    if (!study.success.empty()) conditions_ = conjuncts(study.success);
    return;
  }
  observables_ = {kStagesPassed, kStageRuns};
  for (const Stage& stage : study.stages)
    stages_.push_back(stage.kind == Stage::Kind::Run ? std::make_unique<TrialRunner>(*stage.runs) : nullptr);
}

TrialRunner::~TrialRunner() = default;

TrialResult TrialRunner::run(const TrialPoint& trial, std::span<const scene::Override> design) const {
  if (!study_.stages.empty()) return run_stages(trial, 0);
  return run_scene_of(trial, design, 0, {});
}

TrialResult TrialRunner::run_scene_of(const TrialPoint& trial, std::span<const scene::Override> design, double every,
                                      const Look& look) const {
  const auto begin = std::chrono::steady_clock::now();
  TrialResult result;
  result.index = trial.index;
  result.observables.assign(observables_.size(), kNotANumber);
  std::vector<scene::Override> overrides = overrides_of(study_, trial);
  overrides.insert(overrides.end(), design.begin(), design.end());
  try {
    const scene::Scene scene = scene::make_scene(document_, overrides);
    SceneRun run = run_scene(scene, every, {}, study_.known_errors);
    if (look && run.ran()) look(scene, run);
    result.status = run.status;
    result.cause = std::move(run.cause);
    result.observables = std::move(run.observables);
    result.end_time = run.end_time;
    result.residual = run.residual;
    result.steps = run.steps;
    if (result.ran()) judge(scene, result);
  } catch (const scene::SceneError& error) {
    result.status = TrialStatus::Rejected;
    result.cause = error.message();
  } catch (const std::invalid_argument& error) {
    result.status = TrialStatus::Rejected;
    result.cause = error.what();
  }
  if (!result.ran() && !study_.success.empty()) result.success = 0;
  result.seconds = complementarity::seconds_since(begin);
  return result;
}

// Success and objective; of a failure, the first condition that does not hold.
void TrialRunner::judge(const scene::Scene& scene, TrialResult& result) const {
  const expression::Scope scope = result_scope(scene, result.observables, result.end_time);
  if (!study_.objective.empty()) result.objective = expression::Expression(study_.objective, scope).evaluate(0);
  if (conditions_.empty()) return;
  result.success = 1;
  for (const std::string& condition : conditions_) {
    const double holds = expression::Expression(condition, scope).evaluate(0);
    if (holds != 0 && !std::isnan(holds)) continue;
    result.success = 0;
    result.cause = "not: " + condition;
    return;
  }
}

}  // namespace stickslip::study
