// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/design_check.h"

#include "stickslip/stepping/stepper_traits.h"
#include "stickslip/study/trial_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stickslip::study {
namespace {

constexpr double kShare = 0.125;         // of the step, for a second stepper of lower order
constexpr double kSmallShare = 1. / 32;  // where the first differs

// Overrides that give one scene its steps.
void add_steps(const std::filesystem::path& scene_file, double share, bool second_stepper,
               std::vector<scene::Override>& set) {
  const scene::Scene scene = scene::load_scene(scene_file, set);
  const std::string other = second_stepper ? second_stepper_for(scene) : std::string();
  set.push_back({"method.step", fmt::format("{:.17g}", share * scene.method.step)});
  set.push_back({"method.stepper", other.empty() ? scene.method.stepper : other});
}

using Objective = std::function<double(const Study&)>;

DesignCheck check(const Study& study, double here, double start, const Objective& objective) {
  DesignCheck check;
  check.here = here;
  const scene::Scene scene = scene::load_scene(study.scene_file, study.set);
  check.stepper = scene.method.stepper;
  check.step = scene.method.step;
  const auto is_method = [](const std::string& name) { return name.starts_with("method."); };
  const bool varied = std::ranges::any_of(study.variations, is_method, &Variation::parameter);
  if (varied || scene.method.tolerance > 0 || !std::isfinite(here)) return check;
  check.allowed = kHolds * (std::abs(here) + (std::isfinite(start) ? 0.1 * std::abs(start - here) : 0.0));
  const auto agrees = [&](double value) { return std::abs(value - here) <= check.allowed; };  // not for nan
  check.half = objective(with_steps(study, 0.5, false));
  check.other = second_stepper_for(scene);
  if (!check.other.empty()) {
    const bool lower = stepping::order_of(check.other) < stepping::order_of(check.stepper);
    double share = lower ? kShare : 1;
    check.second = objective(with_steps(study, share, true));
    if (lower && !agrees(check.second)) check.second = objective(with_steps(study, share = kSmallShare, true));
    check.other_step = share * check.step;
  }
  const bool holds = agrees(check.half) && (check.other.empty() || agrees(check.second));
  check.verdict = holds ? DesignCheck::Verdict::Holds : DesignCheck::Verdict::Artefact;
  return check;
}

}  // namespace

std::string second_stepper_for(const scene::Scene& scene) {
  const std::string& own = scene.method.stepper;
  const bool compliant = stepping::traits_of(own).compliant;
  const std::vector<const char*> names = compliant
                                             ? std::vector<const char*>{"runge-kutta", "song-pang-kumar"}
                                             : std::vector<const char*>{"second-order", "stewart-trinkle", "implicit"};
  stepping::Method method = scene.method;
  for (const char* name : names) {
    method.stepper = name;
    if (own != name && stepping::objection_to(method, scene.model).empty()) return name;
  }
  return {};
}

Study with_steps(const Study& study, double share, bool second_stepper) {
  Study changed = study;
  add_steps(study.scene_file, share, second_stepper, changed.set);
  for (Stage& stage : changed.stages) {
    if (!stage.runs) continue;
    Study runs = *stage.runs;
    add_steps(runs.scene_file, share, second_stepper, runs.set);
    stage.runs = std::make_shared<const Study>(std::move(runs));
  }
  return changed;
}

DesignCheck check_design(const Study& study, int threads, const Evaluation& best, double start,
                         const std::function<bool()>& go_on) {
  bool ended = false;
  DesignCheck result = check(study, best.value, start, [&](const Study& changed) {
    ended = ended || (go_on && !go_on());
    if (ended) return kNotANumber;
    const TrialRunner runner(changed);
    return evaluate_design(changed, runner, threads, best.design).value;
  });
  if (ended) result.verdict = DesignCheck::Verdict::NotChecked;
  return result;
}

DesignCheck check_trial(const Study& study, const TrialPoint& trial) {
  const auto value = [&](const Study& changed) {
    const TrialResult result = TrialRunner(changed).run(trial);
    return study.objective.empty() ? result.success : result.objective;
  };
  DesignCheck result = check(study, value(study), kNotANumber, value);
  result.label = fmt::format("trial {}", trial.index);
  return result;
}

std::string text_of(const DesignCheck& check) {
  if (check.verdict == DesignCheck::Verdict::NotChecked) return "not checked";
  std::string text = fmt::format("{:.6g} with step {:.3g} of {}, {:.6g} with half of it", check.here, check.step,
                                 check.stepper, check.half);
  text += check.other.empty()
              ? std::string(", no second stepper takes the scene")
              : fmt::format(", {:.6g} by {} with step {:.3g}", check.second, check.other, check.other_step);
  if (check.verdict == DesignCheck::Verdict::Holds) return text + fmt::format(": holds (within {:.2g})", check.allowed);
  return text + fmt::format(": an ARTEFACT of the steps (it changes by more than {:.2g})", check.allowed);
}

}  // namespace stickslip::study
