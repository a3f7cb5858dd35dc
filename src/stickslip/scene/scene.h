// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A scene: everything that a file says about a run. docs/scene-reference.md describes the file.
#pragma once

#include "stickslip/expression/expression.h"
#include "stickslip/expression/tracker.h"
#include "stickslip/files/scene_error.h"
#include "stickslip/model/model.h"
#include "stickslip/scene/document.h"
#include "stickslip/stepping/method.h"

#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace stickslip::scene {

struct Parameter {
  std::string name;
  double value = 0;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::vector<double> choices;  // the only possible values; empty: all between min and max
  std::string unit, description, group;
  bool derived = false;  // an expression of other parameters
};

struct Observable {
  std::string name;
  std::string text;  // the expression as written
  expression::Expression expression;
  std::string unit, description;
  Place place;
};

struct StopCondition {
  std::string text;
  expression::Expression expression;
  Place place;
};

struct RecordingOptions {
  double interval = 0;  // between frames; 0: every step
  bool contacts = true;
};

struct Scene {
  std::string title, description;
  std::vector<Parameter> parameters;
  model::Model model;
  stepping::Method method;  // its stepper is a concrete name
  std::string why_stepper;  // why that one was chosen; empty: the scene names it
  double duration = 0;
  bool settle = false;  // bodies settle before t = 0 (runs/run.h)
  std::vector<StopCondition> stop;
  std::vector<Observable> observables;
  std::vector<expression::Tracker> trackers;  // of observables and stop conditions, in their initial state
  std::vector<std::string> tracker_owners;    // whose each tracker is, for messages
  RecordingOptions recording;
  std::filesystem::path file;
  std::string text;                  // of the file, as read
  std::vector<SourceFile> included;  // the files that it includes, as read
};

// --set name=value: of a parameter, or of duration, method.KEY, record.KEY. The value may be an expression.
struct Override {
  std::string name, value;
};
// Splits "name=value"; throws SceneError.
[[nodiscard]] Override parse_override_argument(std::string_view argument);

struct LoadOptions {
  std::size_t most_bodies = 100000;  // a slip of the pen in `count` must not fill the memory
};

// Throws SceneError (and nothing else) when the scene is not valid.
[[nodiscard]] Scene load_scene(const std::filesystem::path& file, std::span<const Override> overrides = {},
                               const LoadOptions& options = {});
// The same from text; `name` stands for the file in messages, and other files are found relative to its folder.
[[nodiscard]] Scene parse_scene(std::string text, const std::filesystem::path& name,
                                std::span<const Override> overrides = {}, const LoadOptions& options = {});
// The same from a file that was read before: studies make many scenes from one file.
[[nodiscard]] Scene make_scene(const Document& document, std::span<const Override> overrides = {},
                               const LoadOptions& options = {});

}  // namespace stickslip::scene
