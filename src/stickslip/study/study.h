// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A study: one scene, what varies in it, how often, and what counts as success. docs/studies.md describes the file.
//
// All values of all grids and lists, combined, are the groups of the study; each group has `trials` trials. Trials are
// numbered from 0, group by group: trial = group * trials + repeat. A trial is the scene, these numbers and the seed,
// and nothing else.
#pragma once

#include "stickslip/runs/error_bars.h"
#include "stickslip/scene/document.h"
#include "stickslip/scene/scene.h"
#include "stickslip/study/statistics.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::study {

// How a parameter varies.
struct Variation {
  enum class Kind { Grid, Uniform, Normal, Sobol, Latin };
  // What a drawn number belongs to: every trial has its own; all trials of a group share one; the trials with the same
  // place in their groups share one (common random numbers, which make groups comparable).
  enum class Each { Trial, Group, Repeat };

  std::string parameter;
  Kind kind = Kind::Uniform;
  Each each = Each::Trial;
  std::vector<double> values;  // Grid: all of them (a list is a grid, too)
  double a = 0, b = 0;         // from, to; Normal: mean, standard deviation
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();  // Normal
  int dimension = 0;  // Sobol: which coordinate
  scene::Place place;
};

// When to stop before all trials are done: once the interval of the rate of success or of the mean of the objective is
// narrow enough, over the trials 0 .. k without a gap. What follows trial k does not belong to the study.
struct StopRule {
  enum class Of { Success, Objective };
  Of of = Of::Success;
  double width = 0;  // of the whole interval
  double confidence = 0.95;
  std::int64_t least = 20;  // trials before it may hold
  bool per_group = false;
};

// One parameter of a design that optimise may change.
struct DesignVariable {
  std::string parameter;
  double start = 0, low = 0, high = 0, step = 0;  // step: how far the first search goes; 0: a tenth of the range
};

struct OptimiseSettings {
  enum class Search { NelderMead, Bobyqa, Cobyla, Crs, Slsqp, GaussNewton };
  enum class Combine { Sum, Mean, Worst, Cvar };
  Search method = Search::NelderMead;
  Combine combine = Combine::Sum;
  double tail = 0.1;               // Cvar: the share of worst trials
  std::int64_t evaluations = 500;  // of designs, all starts together
  double tolerance = 1e-4;         // relative change of design and objective at which a search ends
  double target = -std::numeric_limits<double>::infinity();  // good enough: the search ends
  int starts = 1;
  double difference = 1e-4;  // gradient-based methods: step of the differences, relative to the range
  // gauss-newton: groups of expressions of observables and parameters; the objective of a trial is the sum of their
  // norms, over the moments at every `every` (0: at the end of the run only).
  std::vector<std::vector<std::string>> residuals;
  double every = 0;
  std::vector<DesignVariable> variables;
};

// As study files have them.
inline constexpr std::string_view kSearchNames[] = {"nelder-mead", "bobyqa", "cobyla", "crs", "slsqp", "gauss-newton"};

struct Study;

// One stage of a verification: what a design must pass before the next, costlier one looks at it. In a study with
// stages a trial is a design, and each stage has trials of its own.
struct Stage {
  enum class Kind { Run, Path };
  std::string name;
  Kind kind = Kind::Run;
  std::shared_ptr<const Study> runs;  // Run: scene, variations and success of its trials
  double required = 1;                // Run: share of the trials that must succeed
  // Path: can `part` be moved from its start to the goal without touching anything (passage.h)?
  std::string part;
  std::vector<std::string> goal, low, high;  // [x, y] or [x, y, angle]; corners [x, y]; expressions of parameters
  std::int64_t samples = 2000;
  std::vector<scene::Override> set;
};

struct Study {
  std::string title;
  std::filesystem::path file, scene_file;
  std::string text;  // of the study file, as read
  std::uint64_t seed = 1;
  std::int64_t trials = 1;  // per group
  std::vector<scene::Override> set;
  std::vector<Variation> variations;
  std::string success, objective;  // expressions of parameters and observables; empty: none
  scene::Place success_place, objective_place;
  runs::ErrorBar::Claim known_errors = runs::ErrorBar::Claim::None;  // of all observables, else a trial is an error
  std::optional<StopRule> stop;
  std::vector<Stage> stages;
  std::optional<OptimiseSettings> optimise;

  [[nodiscard]] std::int64_t groups() const;
  [[nodiscard]] std::int64_t total() const { return groups() * trials; }
};

// Reads and checks a study file, the scene that it names, and everything against each other. Throws SceneError.
// `set`: of the study's keys scene, trials and seed; all others are for the scene, after the study's own [set].
[[nodiscard]] Study load_study(const std::filesystem::path& file, std::span<const scene::Override> set = {});

}  // namespace stickslip::study
