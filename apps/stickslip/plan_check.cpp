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

constexpr double kLowOrderShare = 0.125;
constexpr int kMostEighths = 3;

// A run of the solution: how far it is from each condition at its end, and was at most on its way.
struct Misses {
  std::vector<double> end, range;  // empty: the run failed

  [[nodiscard]] double largest() const {
    return end.empty() ? std::numeric_limits<double>::infinity() : *std::ranges::max_element(end);
  }
  // V_i / a_i.
  [[nodiscard]] double part_of(const std::vector<double>& allowed) const {
    double part = end.empty() ? std::numeric_limits<double>::infinity() : 0;
    for (std::size_t i = 0; i < end.size(); ++i) part = std::max(part, end[i] / allowed[i]);
    return part;
  }
};

Misses run_again(const planning::Plan& plan, const std::string& file, const std::string& stepper, double step) {
  const scene::Scene scene = scene::load_scene(
      file, std::vector<scene::Override>{{"method.stepper", stepper}, {"method.step", fmt::format("{:.17g}", step)}});
  planning::EndConditions conditions(plan, scene);
  runs::Run run(scene);
  run.begin();
  const model::State start = run.simulation().state();
  Misses misses;
  misses.range.assign(conditions.size(), 0);
  Eigen::VectorXd values;
  const auto watch = [&](const runs::Run& now) {
    conditions.evaluate(start, now.simulation().state(), values);
    for (std::size_t i = 0; i < misses.range.size(); ++i)
      misses.range[i] = std::max(misses.range[i], std::abs(values[static_cast<Eigen::Index>(i)]));
    return true;
  };
  watch(run);
  if (run.finish(watch) == runs::RunEnd::Uncertified) return {};
  for (const planning::ReachedCondition& reached : conditions.reached(start, run.simulation().state()))
    misses.end.push_back(reached.violation);
  return misses;
}

}  // namespace

PlanCheck check_plan(const planning::Plan& plan, const std::string& scene_file) {
  const scene::Scene scene = scene::load_scene(scene_file);
  PlanCheck check;
  check.stepper = scene.method.stepper;
  check.step = scene.method.step;
  check.holds_within = plan.holds_within;
  std::vector<double> allowed;
  for (const double range : run_again(plan, scene_file, check.stepper, check.step).range)
    allowed.push_back(std::max(plan.tolerance, plan.holds_within * range));
  const Misses half = run_again(plan, scene_file, check.stepper, 0.5 * check.step),
               quarter = run_again(plan, scene_file, check.stepper, 0.25 * check.step);
  check.half = half.largest();
  check.quarter = quarter.largest();
  check.part = std::max(half.part_of(allowed), quarter.part_of(allowed));
  check.other = study::second_stepper_for(scene);
  if (!check.other.empty()) {
    const bool lower = stepping::order_of(check.other) < stepping::order_of(check.stepper);
    check.other_step = lower ? kLowOrderShare * check.step : check.step;
    Misses second = run_again(plan, scene_file, check.other, check.other_step);
    for (int k = 1; lower && k <= kMostEighths && second.part_of(allowed) > 1; ++k) {
      check.other_step *= kLowOrderShare;
      second = run_again(plan, scene_file, check.other, check.other_step);
    }
    check.second = second.largest();
    check.part = std::max(check.part, second.part_of(allowed));
  }
  check.artefact = !(check.part <= 1);
  return check;
}

std::string text_of(const PlanCheck& check) {
  std::string text = fmt::format("conditions missed by {:.2g} with half the step of {}, by {:.2g} with a quarter",
                                 check.half, check.stepper, check.quarter);
  text += check.other.empty()
              ? std::string("; no second stepper takes the scene")
              : fmt::format(", by {:.2g} under {} with step {:.3g}", check.second, check.other, check.other_step);
  const double percent = 100 * check.holds_within;
  if (!check.artefact) return text + fmt::format(": holds (within {:.3g} % of what the motion covers)", percent);
  return text + fmt::format(": an ARTEFACT of the steps ({:.2g} times the {:.3g} % allowed)", check.part, percent);
}

}  // namespace stickslip::app
