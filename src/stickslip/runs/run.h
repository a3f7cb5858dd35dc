// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A run of a scene: the simulation, the observables and stop conditions that watch it, and how it ended. All verbs and
// the Python package run scenes through this type, so that they all stop, fail and report alike. A run with derivatives
// is such a run too, watched by sensitivity/run_sensitivity.h (watch_parts). Only the search of plan steps simulations
// of its own; the plan that it finds is run here.
//
//     Run run(scene);
//     if (const std::string why = run.objection_to_start(); !why.empty()) ...
//     run.begin();
//     if (run.finish([](const Run& now) { ...; return true; }) == RunEnd::Uncertified) ... run.failure()
//     run.observe(values);
//
// A scene that asks for an accuracy (method.tolerance) is run several times to find its step: find_step().
//
// Cost over Simulation alone: the trackers and stop conditions of the scene after each step, nothing without any.
#pragma once

#include "stickslip/math/byte_stream.h"
#include "stickslip/runs/observer.h"
#include "stickslip/scene/scene.h"
#include "stickslip/simulation/error_control.h"
#include "stickslip/simulation/simulation.h"

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace stickslip::runs {

// Why a simulation failed, one line without the time (simulation.failure() has it); empty when it did not.
[[nodiscard]] std::string failure_of(const simulation::Simulation& simulation);

enum class RunEnd { Finished, Stopped, Uncertified };

class Run {
 public:
  // After every step that was certified, when the observer has seen it. False ends the run.
  using Hook = std::function<bool(const Run&)>;

  // The scene must outlive the run. step > 0: instead of the scene's own. Throws as Simulation does.
  explicit Run(const scene::Scene& scene, double step = 0);

  // Why the start is none: bodies that overlap, one line; empty when nothing does.
  [[nodiscard]] std::string objection_to_start();

  // The observer sees the start; of a scene with `settle`, after the bodies have come to rest. Once, before the first
  // step; not after restore() or continue_from(). Throws SceneError when they do not.
  // This and every step throw SceneError when what is observed is not a number.
  void begin();

  // Runs until the scene's duration, a stop condition, a hook that says no, or a step that is not certified.
  RunEnd finish(const Hook& hook = {});
  // The same until another time and without stop conditions. True when the time was reached.
  bool run_until(double time, const Hook& hook = {});
  stepping::StepReport step();

  [[nodiscard]] const scene::Scene& scene() const { return scene_; }
  [[nodiscard]] const simulation::Simulation& simulation() const { return simulation_; }
  [[nodiscard]] simulation::Simulation& simulation() { return simulation_; }
  [[nodiscard]] double time() const { return simulation_.time(); }
  [[nodiscard]] RunEnd end() const;  // how it ended, if it went on no further
  [[nodiscard]] bool stopped() const { return observer_.stopped_by() >= 0; }
  [[nodiscard]] const std::string& stop_text() const;  // the condition that held; empty: none
  // Why the run is uncertified; empty when it is certified.
  [[nodiscard]] std::string failure() const { return failure_of(simulation_); }

  [[nodiscard]] const Observer& observer() const { return observer_; }
  // The observables now, one value each.
  void observe(std::span<double> values) const;
  [[nodiscard]] std::vector<double> observables() const;
  [[nodiscard]] Observation now() const;

  // All that later steps and observations depend on. restore() throws std::runtime_error for bytes of another model.
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

  // Goes on where a run of a similar scene is (Simulation::continue_from); functions over the run keep what they
  // remember where there are as many.
  void continue_from(const Run& before);

 private:
  void watch();
  void settle();

  const scene::Scene& scene_;
  stepping::Method method_;
  simulation::Simulation simulation_;
  Observer observer_;
  bool watched_;  // something asks to see every step
};

// What a hook of asking() throws.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};
// A hook for what runs a scene several times on its own: asks every few steps, and throws Interrupted after a no.
[[nodiscard]] Run::Hook asking(std::function<bool()> go_on);

// The step with which the scene is as accurate as its method.tolerance asks, by repeated runs (error_control.h). The hook
// sees the steps of all of them, and can only end them by what it throws.
[[nodiscard]] simulation::StepChoice find_step(const scene::Scene& scene, const Run::Hook& hook = {});
// What to tell the user when none was found.
[[nodiscard]] std::string tolerance_out_of_reach(const scene::Scene& scene, const simulation::StepChoice& choice);

}  // namespace stickslip::runs
