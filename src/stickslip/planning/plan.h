// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A boundary-value problem: a scene, what is not known of it, and what is to hold at the end. docs/planning.md
// describes the file.
//
// Unknowns are parameters of the scene. One that the plan file ties to a start coordinate ("ball.vx") becomes a
// parameter of its own: the body's velocity is rewritten to read it. So a plan is a scene with a few numbers left open,
// and a solution is the scene with the numbers filled in, which `run` replays.
#pragma once

#include "stickslip/scene/document.h"
#include "stickslip/scene/scene.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace stickslip::planning {

struct Unknown {
  std::string name;  // of the scene's parameter
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  std::vector<double> guesses;  // where the first searches begin; later ones at random within the bounds
  double scale = 1;             // how far random starts go where there are no bounds
  // A coordinate of a body at the start; body < 0: a parameter that the scene has.
  std::string start = {};  // "ball.vx"
  int body = -1;
  int component = 0;  // place in the body's tangent (sensitivity/tangent.h)
  scene::Place place;
};

// left == right, left <= right or left >= right, both expressions of the end state and the parameters.
struct Condition {
  enum class Relation { Equal, AtMost, AtLeast };
  std::string text;
  scene::Value left, right;
  Relation relation = Relation::Equal;
  scene::Place place;
};

// Where a coordinate of a body is thought to be during the motion, as a function of time: where multiple shooting begins.
struct PathEntry {
  int body = -1, component = 0;  // as in Unknown
  expression::Expression expression;
};

enum class SearchMethod { Auto, Shooting, Multiple, Whole };
enum class Wanted { One, All };

struct Plan {
  std::string title;
  std::filesystem::path file, scene_file;
  scene::Document document;                // the scene, with what the plan adds to it
  std::vector<scene::Override> overrides;  // [set] of the plan, then --set
  std::string stepper_note;                // on the stepper, where the scene leaves it open
  std::vector<Unknown> unknowns;
  std::vector<Condition> conditions;
  scene::Value objective;  // to be made small; Kind::Table: none
  bool has_objective = false;
  bool closest = false;  // fewer conditions than unknowns: the solution near the start is wanted
  std::int64_t steps = 0;
  SearchMethod method = SearchMethod::Auto;
  scene::Place method_place;
  int segments = 8;  // of multiple shooting
  std::vector<PathEntry> path;
  Wanted wanted = Wanted::One;
  int touches = -1;  // solutions with another number of located impacts are not taken; -1: any
  int starts = 0;    // 0: the guesses, and motions without contacts
  std::uint64_t seed = 1;
  double tolerance = 1e-9;                    // of every condition
  double holds_within = 0.05;                 // of its range along the motion, when the plan is run again
  int iterations = 60;                        // of one search
  std::vector<std::string> added_parameters;  // by the plan, not by unknowns
  // What scene_at() takes out of the scene: contacts, and gravity as well (starts.h).
  enum class Free { No, Ballistic, Straight };
  Free free = Free::No;
  // Asked before every run of a search; after a no there are no more runs, and what was found so far is the result.
  std::function<bool()> go_on;
  bool dynamic = true;  // of the scene: bodies keep moving when nothing touches them

  [[nodiscard]] int equations() const;  // conditions that are equations
  [[nodiscard]] int guesses() const;    // starts that the file gives
  [[nodiscard]] bool flies() const;     // do start coordinates alone decide about a motion without contacts?
};

// Reads and checks a plan file and the scene that it names. `overrides`: --set, of parameters, duration, method.KEY or
// steps. Throws SceneError.
[[nodiscard]] Plan load_plan(const std::filesystem::path& file, std::span<const scene::Override> overrides = {});

// The scene with the unknowns at the given values; its step is duration / steps. Throws SceneError.
[[nodiscard]] scene::Scene scene_at(const Plan& plan, std::span<const double> unknowns);
// The overrides that make it.
[[nodiscard]] std::vector<scene::Override> overrides_at(const Plan& plan, std::span<const double> unknowns);

// A scene file, to stand in `folder`, that includes the plan's scene and has all numbers filled in.
[[nodiscard]] std::string solved_scene(const Plan& plan, std::span<const double> unknowns,
                                       const std::filesystem::path& folder);

}  // namespace stickslip::planning
