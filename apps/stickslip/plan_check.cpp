// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "plan_check.h"

#include "stickslip/planning/end_conditions.h"
#include "stickslip/runs/run.h"
#include "stickslip/study/design_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::app {
namespace {

constexpr double kSettles = 2, kSame = 6, kLowOrderShare = 0.125, kNone = 1e-4;
constexpr int kMostEighths = 3;

double violation(const planning::Plan& plan, const std::string& file, const std::string& stepper, double step) {
  const scene::Scene scene = scene::load_scene(
      file, std::vector<scene::Override>{{"method.stepper", stepper}, {"method.step", fmt::format("{:.17g}", step)}});
  runs::Run run(scene);
  const model::State start = run.simulation().state();
  run.begin();
  if (run.finish() == runs::RunEnd::Uncertified) return std::numeric_limits<double>::infinity();
  return planning::worst_violation(planning::EndConditions(plan, scene).reached(start, run.simulation().state()));
}

}  // namespace

PlanCheck check_plan(const planning::Plan& plan, const std::string& scene_file) {
  const scene::Scene scene = scene::load_scene(scene_file);
  PlanCheck check;
  check.stepper = scene.method.stepper;
  check.step = scene.method.step;
  check.half = violation(plan, scene_file, check.stepper, 0.5 * check.step);
  check.quarter = violation(plan, scene_file, check.stepper, 0.25 * check.step);
  double scale = 0;
  for (const planning::Unknown& unknown : plan.unknowns) scale = std::max(scale, unknown.scale);
  const double none = std::max(plan.tolerance, kNone * scale);
  check.artefact = check.quarter > std::max(none, kSettles * check.half);
  check.other = study::second_stepper_for(scene);
  if (check.other.empty()) return check;
  const bool lower = stepping::order_of(check.other) < stepping::order_of(check.stepper);
  check.other_step = lower ? kLowOrderShare * check.step : check.step;
  check.second = violation(plan, scene_file, check.other, check.other_step);
  double bound = std::max({none, kSame * check.half, kSame * check.quarter});
  // Its own error falls with its step, not evenly where impacts are found on the grid of steps: over several of them.
  const double first = check.second;
  for (int k = 1; lower && k <= kMostEighths && !(check.second <= bound); ++k) {
    check.other_step *= kLowOrderShare;
    check.second = violation(plan, scene_file, check.other, check.other_step);
    if (check.second <= first * std::pow(0.5, k)) bound = std::max(bound, check.second);
  }
  check.artefact = check.artefact || !(check.second <= bound);
  return check;
}

std::string text_of(const PlanCheck& check) {
  std::string text = fmt::format("conditions missed by {:.2g} with half the step of {}, by {:.2g} with a quarter",
                                 check.half, check.stepper, check.quarter);
  text += check.other.empty()
              ? std::string("; no second stepper takes the scene")
              : fmt::format(", by {:.2g} under {} with step {:.3g}", check.second, check.other, check.other_step);
  return text + (check.artefact ? ": an ARTEFACT of the steps" : ": holds");
}

}  // namespace stickslip::app
