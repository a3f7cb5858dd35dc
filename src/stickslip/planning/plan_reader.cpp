// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Part of plan.h.
//
// From a file to a Plan: the keys, then everything against the scene, so that what can be wrong is said before the
// first search.
#include "stickslip/contact/support_rows.h"
#include "stickslip/expression/nearest_name.h"
#include "stickslip/planning/end_conditions.h"
#include "stickslip/planning/plan.h"
#include "stickslip/planning/plan_keys.h"
#include "stickslip/planning/start_coordinates.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/sensitivity/differentiable_stepper.h"
#include "stickslip/sensitivity/tangent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

namespace stickslip::planning {
namespace {

using scene::SceneError;
using scene::TableReader;
using scene::Value;

constexpr double kMostSteps = 1e8;

class PlanReader {
 public:
  PlanReader(scene::Document document, std::span<const scene::Override> overrides)
      : file_(std::move(document)), given_(overrides.begin(), overrides.end()) {}

  Plan read() {
    scene::require_kind(file_.root, scene::FileKind::Plan);
    const TableReader top(file_.root, plan_keys_of(""), constants_, "the plan");
    plan_.file = file_.file;
    plan_.title = top.text("title", "");
    read_scene(top);
    read_unknowns(top.require("unknown"));
    read_conditions(top);
    read_search(top);
    read_path(top);
    count_conditions(top);
    check_bounds();
    static_cast<void>(EndConditions(plan_, scene_at(plan_, first_guess())));
    return std::move(plan_);
  }

 private:
  void read_scene(const TableReader& top) {
    plan_.scene_file = scene::named_scene(top, plan_.file);
    plan_.document = scene::read_document(plan_.scene_file);
    if (const Value* more = top.find("parameters")) {
      if (more->kind != Value::Kind::Table) throw SceneError(more->place, "'parameters' must be a table");
      for (const Value::Entry& entry : more->entries) {
        set_entry(parameters_of(plan_.document), entry.key, entry.value);
        plan_.added_parameters.push_back(entry.key);
      }
    }
    if (const Value* set = top.find("set")) scene::read_set(*set, plan_.overrides);
    std::int64_t steps = 0;
    for (const scene::Override& over : given_) {
      if (over.name != "steps") {
        plan_.overrides.push_back(over);
        continue;
      }
      const double number = std::strtod(over.value.c_str(), nullptr);
      if (!(number >= 1) || number != std::round(number) || number > kMostSteps)
        throw SceneError({"--set steps=" + over.value, 0, 0}, "the number of steps must be an integer >= 1");
      steps = static_cast<std::int64_t>(number);
    }
    choose_stepper();
    for (const scene::Parameter& parameter : scene_.parameters) constants_.constants[parameter.name] = parameter.value;
    const double fitting = std::max(1.0, std::round(scene_.duration / scene_.method.step));
    plan_.steps = steps > 0 ? steps : top.integer("steps", fitting, 1, kMostSteps);
  }

  // One stepper for all values of the unknowns, with exact derivatives if there is one.
  void choose_stepper() {
    sensitivity::DifferentiableStepper choice =
        sensitivity::with_differentiable_stepper(plan_.document, plan_.overrides);
    plan_.overrides = std::move(choice.overrides);
    plan_.stepper_note = std::move(choice.note);
    scene_ = scene::make_scene(plan_.document, plan_.overrides);
    if (!scene_.why_stepper.empty()) plan_.overrides.push_back({"method.stepper", scene_.method.stepper});
  }

  void read_unknowns(const Value& table) {
    if (table.kind != Value::Kind::Table || table.entries.empty())
      throw SceneError(table.place, "[unknown] must name at least one unknown");
    for (const Value::Entry& entry : table.entries) {
      const std::string what = fmt::format("the unknown '{}'", entry.key);
      const TableReader reader(entry.value, plan_keys_of("unknown.NAME"), constants_, what);
      if (!reader.has("pieces")) {
        read_unknown(entry, entry.key, reader);
        continue;
      }
      const std::int64_t pieces = reader.integer("pieces", 1, 1, 1e4);
      if (reader.has("start")) throw SceneError(entry.place, fmt::format("{} has both 'start' and 'pieces'", what));
      for (std::int64_t i = 1; i <= pieces; ++i) read_unknown(entry, fmt::format("{}_{}", entry.key, i), reader);
    }
  }

  void read_unknown(const Value::Entry& entry, const std::string& name, const TableReader& reader) {
    Unknown unknown;
    unknown.name = name;
    unknown.place = entry.place;
    double value = 0;
    if (const Value* start = reader.find("start"))
      value = tie_to_start(*start, reader.what("start"), scene_, constants_, plan_.document, unknown);
    else
      value = take_parameter(entry, unknown);
    unknown.low = reader.number("min", unknown.low);
    unknown.high = reader.number("max", unknown.high);
    if (!(unknown.low <= unknown.high))
      throw SceneError(entry.place, fmt::format("the unknown '{}': no number lies between min = {} and max = {}", name,
                                                unknown.low, unknown.high));
    unknown.scale = reader.positive("scale", 1);
    if (const Value* guess = reader.find("guess")) {
      if (guess->kind == Value::Kind::Array)
        unknown.guesses = scene::read_numbers(*guess, constants_, reader.what("guess"));
      else
        unknown.guesses = {scene::read_number(*guess, constants_, reader.what("guess"))};
    }
    if (unknown.guesses.empty()) unknown.guesses = {std::clamp(value, unknown.low, unknown.high)};
    for (const double one : unknown.guesses)
      if (one < unknown.low || one > unknown.high)
        throw SceneError(entry.place, fmt::format("the unknown '{}': the guess {} lies outside {} .. {}", name, one,
                                                  unknown.low, unknown.high));
    plan_.unknowns.push_back(std::move(unknown));
  }

  double take_parameter(const Value::Entry& entry, Unknown& unknown) const {
    const auto found = std::ranges::find(scene_.parameters, unknown.name, &scene::Parameter::name);
    if (found == scene_.parameters.end()) {
      std::vector<std::string> names;
      for (const scene::Parameter& parameter : scene_.parameters) names.push_back(parameter.name);
      const std::string hint = expression::did_you_mean(unknown.name, names);
      throw SceneError(entry.place, fmt::format("the scene has no parameter '{}'", unknown.name),
                       hint.empty() ? "for a coordinate at the start, write start = \"body.vx\"" : hint);
    }
    unknown.low = found->min;
    unknown.high = found->max;
    return found->value;
  }

  void read_conditions(const TableReader& top) {
    const Value& list = top.require("conditions");
    if (list.kind != Value::Kind::Array || list.items.empty())
      throw SceneError(list.place, "'conditions' must be a list of texts such as \"ball.x == 1\"");
    for (const Value& item : list.items) plan_.conditions.push_back(split_condition(item));
    if (const Value* objective = top.find("objective")) {
      plan_.objective = *objective;
      plan_.has_objective = true;
    }
  }

  void read_search(const TableReader& top) {
    plan_.method = top.choice("method", plan_.method);
    if (const Value* method = top.find("method")) plan_.method_place = method->place;
    plan_.segments = static_cast<int>(top.integer("segments", plan_.segments, 2, 100));
    if (top.has("touches")) plan_.touches = static_cast<int>(top.integer("touches", 0, 0, 1e6));
    plan_.wanted = top.choice("solutions", plan_.wanted);
    plan_.dynamic = scene_.method.motion == stepping::MotionModel::Dynamic && !contact::has_supports(scene_.model);
    if (top.has("starts")) plan_.starts = static_cast<int>(top.integer("starts", 1, 1, 1e6));
    plan_.seed = static_cast<std::uint64_t>(top.integer("seed", 1, 0, 9e15));
    plan_.tolerance = top.positive("tolerance", plan_.tolerance);
    plan_.holds_within = top.positive("holds_within", plan_.holds_within);
    plan_.iterations = static_cast<int>(top.integer("iterations", plan_.iterations, 1, 1e6));
    plan_.closest = top.boolean("closest", false);
  }

  void read_path(const TableReader& top) {
    const Value* path = top.find("path");
    if (path == nullptr) return;
    expression::Scope scope = constants_;
    scope.reach = expression::Reach::Time;
    const auto must_be_table = [](const Value& value) {
      if (value.kind != Value::Kind::Table)
        throw SceneError(value.place, "'path' must have a table for each body, such as [path.ball]");
    };
    must_be_table(*path);
    for (const Value::Entry& entry : path->entries) {
      must_be_table(entry.value);
      const auto body = std::ranges::find(scene_.model.bodies, entry.key, &model::Body::name);
      if (body == scene_.model.bodies.end())
        throw SceneError(entry.place, fmt::format("'path': the scene has no body '{}'", entry.key));
      for (const Value::Entry& one : entry.value.entries)
        plan_.path.push_back({static_cast<int>(body - scene_.model.bodies.begin()),
                              component_named(one.key, *body, "'path'", one.place),
                              scene::read_expression(one.value, scope, fmt::format("'{}'", one.key))});
    }
  }

  void count_conditions(const TableReader& top) const {
    const int equations = plan_.equations(), unknowns = static_cast<int>(plan_.unknowns.size());
    const scene::Place& place = top.require("conditions").place;
    std::string names, texts;
    for (const Unknown& unknown : plan_.unknowns) names += (names.empty() ? "" : ", ") + unknown.name;
    for (const Condition& condition : plan_.conditions)
      if (condition.relation == Condition::Relation::Equal)
        texts += fmt::format("{}\"{}\"", texts.empty() ? "" : ", ", condition.text);
    if (equations > unknowns)
      throw SceneError(place,
                       fmt::format("too many conditions: {} equations for {} unknown{} ({}): {}", equations, unknowns,
                                   unknowns == 1 ? "" : "s", names, texts),
                       "drop conditions, turn them into bounds (<=, >=), or leave more unknowns free");
    if (equations < unknowns && !plan_.has_objective && !plan_.closest)
      throw SceneError(place,
                       fmt::format("too few conditions: {} equation{} for {} unknown{} ({}){}{}", equations,
                                   equations == 1 ? "" : "s", unknowns, unknowns == 1 ? "" : "s", names,
                                   texts.empty() ? "" : ": ", texts),
                       "add conditions, fix an unknown, give an objective, or set closest = true");
  }

  // Conditions that put numbers on one and the same expression must leave it something.
  void check_bounds() const {
    struct Range {
      const Condition* low = nullptr;
      const Condition* high = nullptr;
      double at_least = 0, at_most = 0;
    };
    std::map<std::string, Range> ranges;
    for (const Condition& condition : plan_.conditions) {
      const std::optional<double> left = constant(condition.left), right = constant(condition.right);
      if (left.has_value() == right.has_value()) continue;
      const double bound = right ? *right : *left;
      const std::string& what = right ? condition.left.text : condition.right.text;
      Range& range = ranges[what];
      const bool equal = condition.relation == Condition::Relation::Equal;
      const bool above = (condition.relation == Condition::Relation::AtLeast) == right.has_value();
      if ((equal || above) && (range.low == nullptr || bound > range.at_least))
        range.low = &condition, range.at_least = bound;
      if ((equal || !above) && (range.high == nullptr || bound < range.at_most))
        range.high = &condition, range.at_most = bound;
      if (range.low != nullptr && range.high != nullptr && range.at_least > range.at_most)
        throw SceneError(condition.place, fmt::format("no value of {} satisfies both \"{}\" and \"{}\"", what,
                                                      range.low->text, range.high->text));
    }
  }

  // The value of an expression that neither the motion nor an unknown changes.
  [[nodiscard]] std::optional<double> constant(const Value& expression) const {
    for (const Unknown& unknown : plan_.unknowns)
      if (expression::mentions(expression.text, unknown.name)) return std::nullopt;
    try {
      return scene::read_number(expression, constants_, "a condition");
    } catch (const SceneError&) {
      return std::nullopt;
    }
  }

  [[nodiscard]] std::vector<double> first_guess() const {
    std::vector<double> values;
    for (const Unknown& unknown : plan_.unknowns) values.push_back(unknown.guesses[0]);
    return values;
  }

  scene::Document file_;
  std::vector<scene::Override> given_;
  expression::Scope constants_;
  scene::Scene scene_;
  Plan plan_;
};

}  // namespace

int Plan::equations() const {
  return static_cast<int>(std::ranges::count(conditions, Condition::Relation::Equal, &Condition::relation));
}

int Plan::guesses() const {
  std::size_t count = 1;
  for (const Unknown& unknown : unknowns) count = std::max(count, unknown.guesses.size());
  return static_cast<int>(count);
}

bool Plan::flies() const {
  return dynamic && std::ranges::any_of(unknowns, [](const Unknown& unknown) { return unknown.body >= 0; });
}

namespace {

void take_out_contacts(Plan::Free free, scene::Scene& scene) {
  if (free == Plan::Free::No) return;
  scene.model.laws = model::PairLaws(scene.model.bodies.size(), model::PairLaws::kNever);
  if (free == Plan::Free::Straight) scene.model.gravity.setZero();
  scene.method.stepper = "second-order";
}

}  // namespace

std::vector<scene::Override> overrides_at(const Plan& plan, std::span<const double> unknowns) {
  std::vector<scene::Override> all = plan.overrides;
  for (std::size_t i = 0; i < plan.unknowns.size(); ++i)
    all.push_back({plan.unknowns[i].name, fmt::format("{}", unknowns[i])});
  return all;
}

scene::Scene scene_at(const Plan& plan, std::span<const double> unknowns) {
  std::vector<scene::Override> all = overrides_at(plan, unknowns);
  scene::Scene scene = scene::make_scene(plan.document, all);
  const double step = scene.duration / static_cast<double>(plan.steps);
  if (step != scene.method.step) {
    all.push_back({"method.step", fmt::format("{}", step)});
    scene = scene::make_scene(plan.document, all);
  }
  take_out_contacts(plan.free, scene);
  return scene;
}

Plan load_plan(const std::filesystem::path& file, std::span<const scene::Override> overrides) {
  return PlanReader(scene::read_document(file), overrides).read();
}

}  // namespace stickslip::planning
