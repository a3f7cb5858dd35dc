// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of study.h.
//
// From a file to a Study: the keys, then everything against the scene (parameters exist, ranges fit, expressions know
// their names), so that what can be wrong is said before the first trial runs.
#include "stickslip/scene/scene_file.h"
#include "stickslip/study/study.h"
#include "stickslip/study/study_keys.h"
#include "stickslip/study/trial_scene.h"
#include "stickslip/study/variation_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

namespace stickslip::study {
namespace {

using scene::Parameter;
using scene::SceneError;
using scene::TableReader;
using scene::Value;

constexpr double kMostTrials = 1e9;

class StudyReader {
 public:
  StudyReader(scene::Document document, std::span<const scene::Override> given)
      : document_(std::move(document)), given_(given) {}

  Study read() {
    scene::require_kind(document_.root, scene::FileKind::Study);
    const TableReader top(document_.root, study_keys_of(""), constants_, "the study");
    study_.file = document_.file;
    study_.text = document_.text;
    study_.title = top.text("title", "");
    read_scene(top);
    study_.seed = static_cast<std::uint64_t>(own_integer(top, "seed", 0, 9e15));
    study_.trials = own_integer(top, "trials", 1, kMostTrials);
    if (const Value* vary = top.find("vary")) study_.variations = read_variations(*vary, scene_, constants_);
    if (static_cast<double>(study_.groups()) * static_cast<double>(study_.trials) > kMostTrials)
      throw SceneError(top.place(), fmt::format("more than {:.0e} trials", kMostTrials));
    read_results(top, study_);
    study_.known_errors = top.choice("error_bars", study_.known_errors);
    if (const Value* stages = top.find("stage")) read_stages(*stages);
    if (const Value* stop = top.find("stop")) read_stop(*stop);
    if (const Value* optimise = top.find("optimise")) read_optimise(*optimise);
    return std::move(study_);
  }

 private:
  [[nodiscard]] const scene::Override* given(std::string_view name) const {
    const scene::Override* found = nullptr;
    for (const scene::Override& over : given_)
      if (over.name == name) found = &over;  // the last one counts
    return found;
  }

  // A key of the study that --set may change.
  [[nodiscard]] std::int64_t own_integer(const TableReader& top, const char* key, double least, double most) const {
    const std::int64_t written = top.integer(key, 1, least, most);
    const scene::Override* over = given(key);
    if (over == nullptr) return written;
    double value = 0;
    const char* end = over->value.data() + over->value.size();
    const auto [stop, error] = std::from_chars(over->value.data(), end, value);
    if (error != std::errc() || stop != end || value != std::floor(value) || value < least || value > most)
      throw SceneError({fmt::format("--set {}", key), 0, 0},
                       fmt::format("'{}' is not an integer from {:g} to {:g}", over->value, least, most));
    return static_cast<std::int64_t>(value);
  }

  void read_scene(const TableReader& top) {
    study_.scene_file = scene::named_scene(top, study_.file);
    if (const scene::Override* over = given("scene")) {
      study_.scene_file = study_.file.parent_path() / over->value;
      std::error_code error;
      if (!std::filesystem::is_regular_file(study_.scene_file, error))
        throw SceneError({"--set scene", 0, 0}, fmt::format("cannot read the scene '{}'", study_.scene_file.string()));
    }
    if (const Value* set = top.find("set")) {
      scene::read_set(*set, study_.set);
      set_place_ = set->place;
    }
    for (const scene::Override& over : given_) {
      if (over.name == "scene" || over.name == "trials" || over.name == "seed") continue;
      std::erase_if(study_.set, [&](const scene::Override& before) { return before.name == over.name; });
      study_.set.push_back(over);
    }
    scene_ = load(study_.set, set_place_);
    for (const Parameter& parameter : scene_.parameters) constants_.constants[parameter.name] = parameter.value;
  }

  // What comes from [set] has no place in the scene file.
  [[nodiscard]] scene::Scene load(const std::vector<scene::Override>& set, const scene::Place& set_place) const {
    try {
      return scene::load_scene(study_.scene_file, set);
    } catch (const SceneError& problem) {
      if (!problem.place().file.starts_with("--set ") || given(problem.place().file.substr(6)) != nullptr) throw;
      throw SceneError(set_place, fmt::format("[set] {}: {}", problem.place().file.substr(6), problem.message()),
                       problem.hint());
    }
  }

  void read_results(const TableReader& top, Study& study) const {
    const expression::Scope scope = result_scope(scene_, std::vector<double>(scene_.observables.size(), 0), 0);
    const auto read = [&](const char* key, std::string& text, scene::Place& place) {
      const Value* value = top.find(key);
      if (value == nullptr) return;
      static_cast<void>(scene::read_expression(*value, scope, top.what(key)));
      text = scene::override_text(*value, top.what(key));
      place = value->place;
    };
    read("success", study.success, study.success_place);
    if (&study == &study_) read("objective", study.objective, study.objective_place);
  }

  void read_stages(const Value& list) {
    if (list.kind != Value::Kind::Array || list.items.empty())
      throw SceneError(list.place, "'stage' must be a list of tables");
    for (const Value& value : list.items) study_.stages.push_back(read_stage(value));
    if (!study_.objective.empty()) throw SceneError(study_.objective_place, "a study with stages has no objective");
    if (study_.stages.back().kind == Stage::Kind::Path)
      throw SceneError(list.items.back().place, "the last stage must run");
  }

  Stage read_stage(const Value& value) const {
    const TableReader table(value, study_keys_of("stage"), constants_, "[[stage]]");
    Stage stage;
    stage.name = scene::read_text(table.require("name"), table.what("name"));
    stage.kind = table.choice("kind", stage.kind);
    stage.set = study_.set;
    if (const Value* set = table.find("set")) {
      scene::read_set(*set, stage.set);
      static_cast<void>(load(stage.set, set->place));
    }
    if (stage.kind == Stage::Kind::Path) {
      read_path(table, stage);
      return stage;
    }
    auto runs = std::make_shared<Study>();
    runs->file = study_.file;
    runs->scene_file = study_.scene_file;
    runs->seed = study_.seed;
    runs->set = stage.set;
    runs->trials = table.integer("trials", 1, 1, kMostTrials);
    if (const Value* vary = table.find("vary")) runs->variations = read_variations(*vary, scene_, constants_);
    runs->known_errors = study_.known_errors;
    runs->success = study_.success;
    runs->success_place = study_.success_place;
    read_results(table, *runs);
    if (runs->success.empty()) throw SceneError(value.place, "[[stage]] needs a success, here or in the study");
    stage.required = table.positive("required", 1);
    if (stage.required > 1) throw SceneError(table.require("required").place, "'required' must not be above 1");
    stage.runs = std::move(runs);
    return stage;
  }

  void read_path(const TableReader& table, Stage& stage) const {
    stage.part = scene::read_text(table.require("part"), table.what("part"));
    if (std::ranges::none_of(scene_.model.bodies, [&](const model::Body& body) { return body.name == stage.part; }))
      throw SceneError(table.require("part").place, fmt::format("the scene has no body '{}'", stage.part));
    if (scene_.model.dimension != 2) throw SceneError(table.place(), "paths are searched in the plane only");
    stage.goal = read_expressions(table, "goal", 2, 3);
    stage.low = read_expressions(table, "low", 2, 2);
    stage.high = read_expressions(table, "high", 2, 2);
    stage.samples = table.integer("samples", 2000, 1, 1e9);
  }

  std::vector<std::string> read_expressions(const TableReader& table, const char* key, std::size_t least,
                                            std::size_t most) const {
    const Value& list = table.require(key);
    if (list.kind != Value::Kind::Array || list.items.size() < least || list.items.size() > most)
      throw SceneError(list.place, fmt::format("{} must be a list of {} numbers", table.what(key), most));
    std::vector<std::string> texts;
    for (const Value& item : list.items) {
      static_cast<void>(scene::read_number(item, constants_, table.what(key)));
      texts.push_back(scene::override_text(item, table.what(key)));
    }
    return texts;
  }

  void read_stop(const Value& value) {
    const TableReader table(value, study_keys_of("stop"), constants_, "'stop'");
    StopRule rule;
    rule.of = table.choice("of", study_.success.empty() ? StopRule::Of::Objective : StopRule::Of::Success);
    const bool missing = rule.of == StopRule::Of::Success ? study_.success.empty() : study_.objective.empty();
    if (missing)
      throw SceneError(value.place, fmt::format("the stop rule is about the {}, which the study does not define",
                                                rule.of == StopRule::Of::Success ? "success" : "objective"));
    rule.width = table.positive("width");
    rule.confidence = table.positive("confidence", rule.confidence);
    if (rule.confidence >= 1) throw SceneError(table.require("confidence").place, "the confidence must be below 1");
    rule.least = table.integer("least", 20, 2, kMostTrials);
    rule.per_group = table.boolean("per_group", false);
    study_.stop = rule;
  }

  void read_optimise(const Value& value) {
    const TableReader table(value, study_keys_of("optimise"), constants_, "[optimise]");
    if (study_.objective.empty()) throw SceneError(value.place, "[optimise] needs an objective in the study");
    OptimiseSettings settings;
    settings.method = table.choice("method", settings.method);
    settings.combine = table.choice("combine", settings.combine);
    settings.tail = table.positive("tail", settings.tail);
    if (settings.tail > 1) throw SceneError(table.require("tail").place, "'tail' must not be above 1");
    settings.evaluations = table.integer("evaluations", 500, 1, 1e9);
    settings.tolerance = table.positive("tolerance", settings.tolerance);
    settings.target = table.number("target", settings.target);
    settings.starts = static_cast<int>(table.integer("starts", 1, 1, 1e6));
    settings.difference = table.positive("difference", settings.difference);
    if (settings.difference > 0.1) throw SceneError(table.require("difference").place, "'difference' is above 0.1");
    read_residuals(table, settings);
    const Value& design = table.require("design");
    if (design.kind != Value::Kind::Table || design.entries.empty())
      throw SceneError(design.place, "[optimise.design] must name at least one parameter");
    for (const Value::Entry& entry : design.entries) settings.variables.push_back(read_design(entry));
    study_.optimise = std::move(settings);
  }

  void read_residuals(const TableReader& table, OptimiseSettings& settings) const {
    const Value* list = table.find("residuals");
    const bool needed = settings.method == OptimiseSettings::Search::GaussNewton;
    if (list == nullptr && needed)
      throw SceneError(table.place(), "gauss-newton needs 'residuals', the terms of the objective");
    if (list == nullptr) return;
    if (list->kind != Value::Kind::Array || list->items.empty())
      throw SceneError(list->place, "'residuals' must be a list of expressions, or of lists of them");
    const expression::Scope scope = result_scope(scene_, std::vector<double>(scene_.observables.size(), 0), 0);
    for (const Value& item : list->items) {
      std::vector<std::string> group;
      const bool several = item.kind == Value::Kind::Array;
      for (std::size_t i = 0; i < (several ? item.items.size() : 1); ++i) {
        const Value& one = several ? item.items[i] : item;
        static_cast<void>(scene::read_expression(one, scope, "a residual"));
        group.push_back(scene::override_text(one, "a residual"));
      }
      if (group.empty()) throw SceneError(item.place, "a group of residuals is empty");
      settings.residuals.push_back(std::move(group));
    }
    if (table.has("every")) settings.every = table.positive("every");
  }

  DesignVariable read_design(const Value::Entry& entry) const {
    const Parameter* parameter = varied_parameter(scene_, entry.key, entry.place);
    if (parameter == nullptr)
      throw SceneError(entry.place, fmt::format("'{}' is not a parameter of the scene", entry.key));
    if (std::ranges::any_of(study_.variations, [&](const Variation& v) { return v.parameter == entry.key; }))
      throw SceneError(entry.place, fmt::format("'{}' is varied by the study and cannot be designed", entry.key));
    const std::string what = fmt::format("the design of '{}'", entry.key);
    const TableReader table(entry.value, study_keys_of("optimise.design.NAME"), constants_, what);
    DesignVariable variable;
    variable.parameter = entry.key;
    variable.start = table.number("start", parameter->value);
    variable.low = table.number("min", parameter->min);
    variable.high = table.number("max", parameter->max);
    if (!std::isfinite(variable.low) || !std::isfinite(variable.high))
      throw SceneError(entry.place, fmt::format("{} needs min and max", what));
    if (!(variable.low < variable.high))
      throw SceneError(entry.place,
                       fmt::format("{}: the range from {} to {} is empty", what, variable.low, variable.high));
    if (variable.low < parameter->min || variable.high > parameter->max)
      throw SceneError(entry.place,
                       fmt::format("{} leaves the range {} .. {} of the scene", what, parameter->min, parameter->max));
    if (variable.start < variable.low || variable.start > variable.high)
      throw SceneError(entry.place, fmt::format("{}: the start {} lies outside {} .. {}", what, variable.start,
                                                variable.low, variable.high));
    variable.step = table.positive("step", 0.1 * (variable.high - variable.low));
    return variable;
  }

  scene::Document document_;
  std::span<const scene::Override> given_;  // on the command line
  expression::Scope constants_;
  scene::Scene scene_;
  scene::Place set_place_;
  Study study_;
};

}  // namespace

std::int64_t Study::groups() const {
  std::int64_t groups = 1;
  for (const Variation& variation : variations)
    if (variation.kind == Variation::Kind::Grid) {
      groups *= static_cast<std::int64_t>(variation.values.size());
      if (groups > static_cast<std::int64_t>(kMostTrials)) return groups;  // before it can overflow
    }
  return groups;
}

Study load_study(const std::filesystem::path& file, std::span<const scene::Override> set) {
  return StudyReader(scene::read_document(file), set).read();
}

}  // namespace stickslip::study
