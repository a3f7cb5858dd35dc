// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of trial_run.h.
//
// Staged verification of one design: geometry, then simulations, the cheap ones first. The first stage that a design
// fails ends it, and the first trials that decide a stage end that stage.
#include "stickslip/complementarity/seconds_since.h"
#include "stickslip/study/passage.h"
#include "stickslip/study/trial_run.h"
#include "stickslip/study/trial_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

namespace stickslip::study {
namespace {

constexpr int kAngles = 8;  // tried at a goal that leaves the angle open

// Why the design fails a stage; empty: it passes.
struct StageVerdict {
  std::string objection;
  std::int64_t runs = 0, steps = 0;
  double residual = 0;
};

std::vector<scene::Override> design_of(const Study& study, const TrialPoint& trial) {
  std::vector<scene::Override> design;
  for (std::size_t i = 0; i < study.variations.size(); ++i)
    design.push_back({study.variations[i].parameter, fmt::format("{}", trial.values[i])});
  return design;
}

StageVerdict check_path(const Study& study, const Stage& stage, const scene::Document& document,
                        const TrialPoint& trial) {
  std::vector<scene::Override> overrides = stage.set;
  for (const scene::Override& over : design_of(study, trial)) overrides.push_back(over);
  const scene::Scene scene = scene::make_scene(document, overrides);
  const expression::Scope scope = result_scope(scene, {}, 0);
  const auto number = [&](const std::string& text) { return expression::Expression(text, scope).evaluate(0); };
  int part = 0;
  while (scene.model.bodies[static_cast<std::size_t>(part)].name != stage.part) ++part;
  std::vector<PlanarPose> goals;
  const double x = number(stage.goal[0]), y = number(stage.goal[1]);
  if (stage.goal.size() == 3)
    goals.push_back({x, y, number(stage.goal[2])});
  else
    for (int i = 0; i < kAngles; ++i) goals.push_back({x, y, 2 * std::numbers::pi * i / kAngles});
  PassageOptions options;
  options.low = {number(stage.low[0]), number(stage.low[1])};
  options.high = {number(stage.high[0]), number(stage.high[1])};
  options.samples = stage.samples;
  options.seed = study.seed;
  const PassageWorld world(scene.model, part);
  StageVerdict verdict;
  if (!world.free(world.start()))
    verdict.objection = "the part does not fit at the start";
  else if (std::ranges::none_of(goals, [&](const PlanarPose& goal) { return world.free(goal); }))
    verdict.objection = "the part does not fit at the goal";
  else if (!find_passage(world, goals, options).found)
    verdict.objection = "no path found";
  return verdict;
}

StageVerdict check_runs(const Stage& stage, const TrialRunner& runner, const std::vector<scene::Override>& design) {
  const std::int64_t total = stage.runs->total();
  // So many failures that too few successes are left decide against, so many successes for the design.
  const auto needed = static_cast<std::int64_t>(std::ceil(stage.required * static_cast<double>(total) - 1e-9));
  const TrialPlan plan(*stage.runs);
  StageVerdict verdict;
  std::int64_t good = 0, bad = 0;
  for (std::int64_t i = 0; i < total && good < needed && bad <= total - needed; ++i) {
    const TrialResult result = runner.run(plan.trial(i), design);
    ++verdict.runs;
    verdict.steps += result.steps;
    if (!std::isnan(result.residual)) verdict.residual = std::max(verdict.residual, result.residual);
    (result.success == 1 ? good : bad) += 1;
    if (bad > total - needed) verdict.objection = result.cause;
  }
  return verdict;
}

}  // namespace

TrialResult TrialRunner::run_last_stage(const TrialPoint& trial) const {
  return run_stages(trial, study_.stages.size() - 1);
}

TrialResult TrialRunner::run_stages(const TrialPoint& trial, std::size_t from) const {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  TrialResult result;
  result.index = trial.index;
  result.success = 1;
  result.residual = 0;
  result.stage_seconds.assign(study_.stages.size(), kNotANumber);
  std::int64_t passed = 0, runs = 0;
  const std::vector<scene::Override> design = design_of(study_, trial);
  for (std::size_t s = from; s < study_.stages.size() && result.success == 1; ++s) {
    const Stage& stage = study_.stages[s];
    const auto stage_begin = Clock::now();
    StageVerdict verdict;
    try {
      verdict = stage.kind == Stage::Kind::Path ? check_path(study_, stage, document_, trial)
                                                : check_runs(stage, *stages_[s], design);
    } catch (const scene::SceneError& error) {
      verdict.objection = error.message();
    } catch (const std::invalid_argument& error) {
      verdict.objection = error.what();
    }
    result.stage_seconds[s] = complementarity::seconds_since(stage_begin);
    runs += verdict.runs;
    result.steps += verdict.steps;
    result.residual = std::max(result.residual, verdict.residual);
    if (verdict.objection.empty()) {
      ++passed;
      continue;
    }
    result.success = 0;
    result.cause = fmt::format("stage {}: {}", stage.name, verdict.objection);
  }
  result.observables = {static_cast<double>(passed), static_cast<double>(runs)};
  result.seconds = complementarity::seconds_since(begin);
  return result;
}

}  // namespace stickslip::study
