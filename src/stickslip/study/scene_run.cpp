// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/scene_run.h"

#include <fmt/format.h>

#include <array>
#include <memory>

namespace stickslip::study {
namespace {

constexpr std::array<const char*, 5> kStatusNames{"finished", "stopped", "uncertified", "rejected", "error"};

// FNV-1a over who touched whom in which mode, in the order in which the modes ended, then those at the end.
std::uint64_t modes_of(const simulation::ModeTimeline& timeline) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto add = [&](std::int64_t x) { hash = (hash ^ static_cast<std::uint64_t>(x)) * 1099511628211ULL; };
  for (const auto intervals : {timeline.finished(), timeline.current()})
    for (const simulation::ModeInterval& interval : intervals) {
      add(interval.body_a);
      add(interval.body_b);
      add(static_cast<int>(interval.mode));
    }
  return hash;
}

void simulate(runs::Run& run, double every, const runs::Run::Hook& hook, SceneRun& result) {
  run.begin();
  const runs::RunEnd end = run.finish([&](const runs::Run& now) {
    // Steps that should end there may miss it by rounding.
    if (every > 0 && now.time() >= (static_cast<double>(result.moments.size()) + 1 - 1e-9) * every)
      result.moments.push_back({now.time(), now.observables()});
    if (hook) (void)hook(now);
    return true;
  });
  result.end_time = run.time();
  result.residual = run.simulation().counters().worst_residual;
  result.steps = run.simulation().counters().steps;
  result.modes = modes_of(run.simulation().timeline());
  result.cause = run.failure();
  switch (end) {
    case runs::RunEnd::Uncertified: result.status = TrialStatus::Uncertified; return;
    case runs::RunEnd::Stopped: result.status = TrialStatus::Stopped; break;
    case runs::RunEnd::Finished: result.status = TrialStatus::Finished; break;
  }
  run.observe(result.observables);
}

// Empty: the errors of all observables are known that well.
std::string errors_not_known(const runs::Run& run, const runs::Run::Hook& hook, runs::ErrorBar::Claim known) {
  const std::vector<runs::ErrorBar> bars = runs::error_bars(run, hook);
  for (std::size_t k = 0; k < bars.size(); ++k)
    if (bars[k].claim < known)
      return fmt::format("the error of {} has no {}: {}", run.scene().observables[k].name,
                         known == runs::ErrorBar::Claim::Bound ? "bound" : "estimate", bars[k].why_not);
  return {};
}

}  // namespace

const char* name_of(TrialStatus status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}

TrialStatus status_named(std::string_view name) {
  for (std::size_t i = 0; i < kStatusNames.size(); ++i)
    if (name == kStatusNames[i]) return static_cast<TrialStatus>(i);
  return TrialStatus::Error;  // of a damaged store, which its checksum refuses
}

SceneRun run_scene(const scene::Scene& scene, double every, const runs::Run::Hook& hook, runs::ErrorBar::Claim known) {
  SceneRun result;
  result.observables.assign(scene.observables.size(), kNotANumber);
  auto run = std::make_unique<runs::Run>(scene);
  result.cause = run->objection_to_start();
  if (!result.cause.empty()) {
    result.status = TrialStatus::Rejected;
    return result;
  }
  if (scene.method.tolerance > 0) {
    try {
      const simulation::StepChoice choice = runs::find_step(scene, hook);
      if (!choice.reached) result.cause = runs::tolerance_out_of_reach(scene, choice);
      run = std::make_unique<runs::Run>(scene, choice.step);
    } catch (const scene::SceneError& error) {
      result.cause = error.message();
    }
    if (!result.cause.empty()) {
      result.status = TrialStatus::Error;
      return result;
    }
  }
  try {
    simulate(*run, every, hook, result);
    if (known == runs::ErrorBar::Claim::None || !result.ran()) return result;
    result.cause = errors_not_known(*run, hook, known);
    if (!result.cause.empty()) result.status = TrialStatus::Error;
  } catch (const scene::SceneError& error) {
    result.status = TrialStatus::Error;
    result.cause = error.message();
    result.end_time = run->time();
  }
  return result;
}

}  // namespace stickslip::study
