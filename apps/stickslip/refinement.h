// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A scene with ever shorter steps, and ever more friction directions: observed order, error bar and limit of every
// observable (convergence.h). What `stickslip converge` and Model.converge() of Python show.
#pragma once

#include "batch.h"
#include "convergence.h"
#include "step_check.h"

#include "stickslip/scene/scene.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace stickslip::app {

// Of one list of variants: values of all observables, and what they say.
struct RefinementSweep {
  const char* name;                // "step" or "directions"
  std::vector<double> resolution;  // steps or directions
  std::vector<Variant> variants;
  std::vector<Result> results;
};

struct RefinementOptions {
  int levels = 5;               // runs, each with half the step of the one before
  std::vector<int> directions;  // friction pyramids with these numbers of sides, at the scene's step
  int threads = 1;
  std::function<bool()> go_on;  // batch.h
};

struct Refined {
  scene::Scene scene;
  std::vector<RefinementSweep> sweeps;  // by step, then by directions if asked for
  std::vector<StepWarning> warnings;    // observables whose changes contradict the stepper's order
};

// Throws SceneError, or std::runtime_error when nothing is observed or the scene asks for a tolerance. Runs that did not
// finish are in the sweeps; there are no warnings then.
[[nodiscard]] Refined refine(const scene::Document& document, const std::vector<scene::Override>& given,
                             const RefinementOptions& options);

// The first run that did not finish, as a line; empty when all did. bad_input: the scene is not valid with its settings.
[[nodiscard]] std::string failure_of(const std::vector<RefinementSweep>& sweeps, bool& bad_input);

[[nodiscard]] Convergence analyse_observable(const RefinementSweep& sweep, std::size_t k);

// Everything, as --json prints it; all runs must have finished.
[[nodiscard]] nlohmann::ordered_json to_json(const std::string& scene, const Refined& refined);

}  // namespace stickslip::app
