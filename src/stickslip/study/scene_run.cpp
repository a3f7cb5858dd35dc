// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/study/scene_run.h"

#include "stickslip/runs/observer.h"
#include "stickslip/simulation/error_control.h"
#include "stickslip/simulation/simulation.h"

#include <fmt/format.h>

#include <array>

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

void simulate(const scene::Scene& scene, simulation::Simulation& simulation, double every, SceneRun& run) {
  runs::Observer observer(scene);
  const auto now = [&](bool with_contacts) {
    return runs::Observation{simulation.state(),
                             with_contacts ? simulation.contacts() : std::span<const contact::ContactResult>(),
                             simulation.last_report().events};
  };
  const bool watched = !scene.trackers.empty() || !scene.stop.empty();
  observer.advance(now(true));
  if (observer.stopped_by() < 0)
    simulation.run_until(scene.duration, [&](const simulation::Simulation&) {
      if (watched) observer.advance(now(observer.advance_needs_contacts()));
      // Steps that should end there may miss it by rounding.
      if (every > 0 && simulation.time() >= (static_cast<double>(run.moments.size()) + 1 - 1e-9) * every) {
        run.moments.push_back({simulation.time(), std::vector<double>(scene.observables.size())});
        observer.evaluate(now(true), run.moments.back().observables);
      }
      return !watched || observer.stopped_by() < 0;
    });
  run.end_time = simulation.time();
  run.residual = simulation.counters().worst_residual;
  run.steps = simulation.counters().steps;
  run.modes = modes_of(simulation.timeline());
  if (const stepping::StepFailure* failure = simulation.failure()) {
    run.status = TrialStatus::Uncertified;
    run.cause = failure->reason.empty() ? fmt::format("a step was not certified (residual {:.1e} by {})",
                                                      failure->residual, failure->solver)
                                        : failure->reason;
    return;
  }
  run.status = observer.stopped_by() >= 0 ? TrialStatus::Stopped : TrialStatus::Finished;
  observer.evaluate(now(true), run.observables);
}

// As `stickslip run` does for method.tolerance.
simulation::StepChoice find_step(const scene::Scene& scene) {
  constexpr int kMostRuns = 16;
  return simulation::choose_step(scene.method.tolerance, scene.method.step, stepping::order_of(scene.method.stepper),
                                 kMostRuns, [&](double step) {
                                   stepping::Method method = scene.method;
                                   method.step = step;
                                   simulation::Simulation simulation(scene.model, method);
                                   SceneRun run;
                                   run.observables.assign(scene.observables.size(), kNotANumber);
                                   simulate(scene, simulation, 0, run);
                                   std::vector<Vec3> ends;
                                   if (run.status == TrialStatus::Uncertified) return ends;
                                   for (const model::BodyState& body : simulation.state().bodies)
                                     ends.push_back(body.pose.position);
                                   return ends;
                                 });
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

SceneRun run_scene(const scene::Scene& scene, double every) {
  SceneRun run;
  run.observables.assign(scene.observables.size(), kNotANumber);
  stepping::Method method = scene.method;
  simulation::Simulation simulation(scene.model, method);
  const std::vector<simulation::Overlap> overlaps = simulation.overlaps();
  if (!overlaps.empty()) {
    run.status = TrialStatus::Rejected;
    run.cause = fmt::format("{} and {} overlap at the start", overlaps[0].body_a, overlaps[0].body_b);
    return run;
  }
  try {
    if (method.tolerance > 0) {
      const simulation::StepChoice choice = find_step(scene);
      if (!choice.reached) {
        run.status = TrialStatus::Error;
        run.cause = fmt::format("tolerance = {:g} is out of reach: with step {:.3g} the error is still about {:.2g}",
                                method.tolerance, choice.step, choice.estimate);
        return run;
      }
      method.step = choice.step;
    }
    simulate(scene, simulation, every, run);
  } catch (const scene::SceneError& error) {
    run.status = TrialStatus::Error;
    run.cause = error.message();
    run.end_time = simulation.time();
  }
  return run;
}

}  // namespace stickslip::study
