// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "batch.h"

#include "stickslip/runs/observer.h"
#include "stickslip/simulation/simulation.h"
#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace stickslip::app {
namespace {

void sample(const runs::Observer& observer, const simulation::Simulation& run, Result& result) {
  observer.evaluate({run.state(), run.contacts(), run.last_report().events}, result.values);
  result.series.time.push_back(run.time());
  for (std::size_t k = 0; k < result.values.size(); ++k) result.series.values[k].push_back(result.values[k]);
}

void simulate(const scene::Scene& scene, int samples, Result& result) {
  simulation::Simulation run(scene.model, scene.method);
  runs::Observer observer(scene);
  result.values.resize(scene.observables.size());
  result.series.values.resize(scene.observables.size());
  result.step = scene.method.step;
  observer.advance({run.state(), run.contacts(), {}});
  const bool watch = !scene.trackers.empty() || !scene.stop.empty();
  const double interval = samples > 0 ? scene.duration / samples : 0;
  double next = 0;
  if (samples > 0) sample(observer, run, result), next += interval;
  if (observer.stopped_by() < 0)
    run.run_until(scene.duration, [&](const simulation::Simulation& now) {
      if (watch) observer.advance({now.state(), now.contacts(), now.last_report().events});
      if (samples > 0 && now.time() >= next - 0.5 * scene.method.step) sample(observer, now, result), next += interval;
      return observer.stopped_by() < 0;
    });
  observer.evaluate({run.state(), run.contacts(), run.last_report().events}, result.values);
  for (std::size_t k = 0; k < result.values.size(); ++k)
    result.grain.push_back(runs::grain_of(scene, k, result.values[k]));
  const simulation::Counters& counters = run.counters();
  result.certified = run.failure() == nullptr;
  result.finished = result.certified;
  result.end_time = run.time();
  for (const model::BodyState& body : run.state().bodies) result.positions.push_back(body.pose.position);
  result.steps = counters.steps;
  result.solves = counters.solves;
  result.worst_residual = counters.worst_residual;
  if (const stepping::StepFailure* failure = run.failure())
    result.failure = failure->reason.empty() ? fmt::format("the step at t = {:.6g} was not certified", failure->time)
                                             : fmt::format("at t = {:.6g}: {}", failure->time, failure->reason);
  result.modes.assign(run.timeline().finished().begin(), run.timeline().finished().end());
  result.modes.insert(result.modes.end(), run.timeline().current().begin(), run.timeline().current().end());
}

Result run_one(const Batch& batch, const Variant& variant) {
  Result result;
  try {
    const scene::Scene scene = scene::load_scene(batch.scene, variant.overrides);
    const auto begin = std::chrono::steady_clock::now();
    simulate(scene, batch.samples, result);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  return result;
}

}  // namespace

std::vector<Result> run_batch(const Batch& batch, const std::vector<Variant>& variants) {
  std::vector<Result> results(variants.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < variants.size(); k = next++) results[k] = run_one(batch, variants[k]);
  };
  const auto count = std::min(static_cast<std::size_t>(std::max(1, batch.threads)), variants.size());
  std::vector<std::thread> threads;
  for (std::size_t k = 1; k < count; ++k) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return results;
}

std::vector<scene::Override> overrides_of(const std::vector<std::string>& arguments) {
  std::vector<scene::Override> overrides;
  for (const std::string& argument : arguments) overrides.push_back(scene::parse_override_argument(argument));
  return overrides;
}

simulation::StepChoice find_step(const std::string& scene, const std::vector<scene::Override>& overrides,
                                 const stepping::Method& method) {
  constexpr int kMostRuns = 16;  // the last one has 32768 times as many steps as the first
  const auto run = [&](double step) {
    Variant variant{"", overrides};
    variant.overrides.push_back({"method.step", fmt::format("{:.17g}", step)});
    Result result = run_batch({scene, 1, 0}, {variant})[0];
    if (!result.error.empty()) throw std::runtime_error(result.error);
    return result.certified ? std::move(result.positions) : std::vector<Vec3>{};
  };
  return simulation::choose_step(method.tolerance, method.step, stepping::order_of(method.stepper), kMostRuns, run);
}

void require_step(const scene::Scene& scene, const char* verb) {
  if (scene.method.tolerance > 0)
    throw scene::SceneError({scene.file.string(), 0, 0},
                            fmt::format("{} takes the step as given, and the scene has a tolerance", verb),
                            "leave method.tolerance out, or --set method.tolerance=0");
}

int default_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace stickslip::app
