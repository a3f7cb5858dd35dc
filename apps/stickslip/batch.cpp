// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "batch.h"

#include "stickslip/complementarity/seconds_since.h"
#include "stickslip/complementarity/worker_pool.h"
#include "stickslip/runs/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace stickslip::app {
namespace {

void sample(const runs::Run& run, Result& result) {
  run.observe(result.values);
  result.series.time.push_back(run.time());
  for (std::size_t k = 0; k < result.values.size(); ++k) result.series.values[k].push_back(result.values[k]);
}

void simulate(const scene::Scene& scene, int samples, const std::atomic<bool>& stop, Result& result) {
  runs::Run run(scene);
  const simulation::Simulation& simulation = run.simulation();
  result.values.resize(scene.observables.size());
  result.series.values.resize(scene.observables.size());
  result.step = scene.method.step;
  run.begin();
  const double interval = samples > 0 ? scene.duration / samples : 0;
  double next = 0;
  if (samples > 0) sample(run, result), next += interval;
  const runs::RunEnd end = run.finish([&](const runs::Run& now) {
    if (samples > 0 && now.time() >= next - 0.5 * scene.method.step) sample(now, result), next += interval;
    return !stop;
  });
  run.observe(result.values);
  for (std::size_t k = 0; k < result.values.size(); ++k)
    result.grain.push_back(runs::grain_of(scene, k, result.values[k]));
  result.finished = end != runs::RunEnd::Uncertified && !stop;
  result.end_time = run.time();
  result.steps = simulation.counters().steps;
  result.solves = simulation.counters().solves;
  result.worst_residual = simulation.counters().worst_residual;
  if (end == runs::RunEnd::Uncertified)
    result.failure = fmt::format("at t = {:.6g}: {}", simulation.failure()->time, run.failure());
  else if (!result.finished)
    result.failure = fmt::format("at t = {:.6g}: interrupted", run.time());
  result.modes.assign(simulation.timeline().finished().begin(), simulation.timeline().finished().end());
  result.modes.insert(result.modes.end(), simulation.timeline().current().begin(),
                      simulation.timeline().current().end());
}

Result run_one(const Batch& batch, const Variant& variant, const std::atomic<bool>& stop) {
  Result result;
  try {
    const scene::Scene scene = scene::make_scene(batch.document, variant.overrides);
    const auto begin = std::chrono::steady_clock::now();
    simulate(scene, batch.samples, stop, result);
    result.seconds = complementarity::seconds_since(begin);
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  return result;
}

}  // namespace

std::vector<Result> run_batch(const Batch& batch, const std::vector<Variant>& variants) {
  std::vector<Result> results(variants.size());
  std::atomic<bool> stop = false, ended = false;
  const auto run_all = [&] {
    complementarity::WorkerPool().run(batch.threads, static_cast<int>(variants.size()), [&](int, int k) {
      const auto at = static_cast<std::size_t>(k);
      if (stop)
        results[at].error = "interrupted";
      else
        results[at] = run_one(batch, variants[at], stop);
    });
    ended = true;
  };
  if (!batch.go_on) {
    run_all();
    return results;
  }
  const std::jthread workers(run_all);  // the calling thread asks whether to go on
  while (!ended) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (!stop && !batch.go_on()) stop = true;
  }
  return results;
}

std::vector<scene::Override> overrides_of(const std::vector<std::string>& arguments) {
  std::vector<scene::Override> overrides;
  for (const std::string& argument : arguments) overrides.push_back(scene::parse_override_argument(argument));
  return overrides;
}

int default_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace stickslip::app
