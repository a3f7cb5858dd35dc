// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The same scene run several times with different settings, several runs at once: what compare and converge stand on.
// Results do not depend on the number of threads.
#pragma once

#include "stickslip/scene/scene.h"
#include "stickslip/simulation/mode_timeline.h"

#include <functional>
#include <string>
#include <vector>

namespace stickslip::app {

struct Variant {
  std::string label;
  std::vector<scene::Override> overrides;
};

struct Series {
  std::vector<double> time;
  std::vector<std::vector<double>> values;  // per observable
};

struct Result {
  std::string error;      // the scene is not valid with these settings; nothing was run
  bool finished = false;  // to the end, or to a stop condition, with every step certified
  std::string failure;    // why not
  double step = 0, end_time = 0, seconds = 0, worst_residual = 0;
  std::int64_t steps = 0, solves = 0;
  std::vector<double> values;  // of the observables, at the end
  std::vector<double> grain;   // of the values: the step for a time that was read off the grid, else 0
  Series series;
  std::vector<simulation::ModeInterval> modes;
};

struct Batch {
  const scene::Document& document;
  int threads = 1;
  int samples = 0;              // of the series; 0: none
  std::function<bool()> go_on;  // asked by the calling thread now and then; false ends all runs where they are
};

// One result per variant, in their order. Runs that go_on ended are not finished, those that it kept from starting have
// an error.
[[nodiscard]] std::vector<Result> run_batch(const Batch& batch, const std::vector<Variant>& variants);

// Overrides from name=value arguments; throws SceneError.
[[nodiscard]] std::vector<scene::Override> overrides_of(const std::vector<std::string>& arguments);

[[nodiscard]] int default_threads();

}  // namespace stickslip::app
