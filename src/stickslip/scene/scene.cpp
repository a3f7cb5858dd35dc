// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// From a file to a Scene, in the order of dependence: parameters, method and duration, bodies,
// contacts, observables.
#include "stickslip/scene/scene.h"

#include "stickslip/scene/body_reader.h"
#include "stickslip/scene/contact_reader.h"
#include "stickslip/scene/document.h"
#include "stickslip/scene/method_reader.h"
#include "stickslip/scene/parameter_reader.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/scene/start_reader.h"
#include "stickslip/scene/table_reader.h"
#include "stickslip/stepping/choose_stepper.h"
#include "stickslip/stepping/stepper.h"

#include <fmt/format.h>
#include <cmath>
#include <map>

namespace stickslip::scene {
namespace {

constexpr const char* kCommandLine = "--set";
constexpr double kMostSteps = 1e12;
constexpr double kMostPeriods = 1e8;  // of rate_over_period, sum_every, ...: each costs a few nanoseconds

// What the command line or a study changes. The document itself stays as it is: studies make many scenes of it.
struct Changes {
  std::map<std::string, Value> parameters;
  std::map<std::string, Value> keys;  // duration, method and record, as they are after the change
};

Changes changes_of(std::span<const Override> overrides, const Value& root) {
  Changes changes;
  const Value* known = root.find("parameters");
  for (const Override& over : overrides) {
    Value value = parse_override(over.value, fmt::format("{} {}={}", kCommandLine, over.name, over.value));
    const bool is_parameter = known != nullptr && known->find(over.name) != nullptr;
    const std::size_t dot = over.name.find('.');
    const std::string table = over.name.substr(0, dot);
    if (!is_parameter && over.name == "duration") {
      changes.keys.insert_or_assign("duration", std::move(value));
    } else if (!is_parameter && dot != std::string::npos && (table == "method" || table == "record")) {
      const Value* before = root.find(table);
      Value& target = changes.keys.try_emplace(table, before != nullptr ? *before : Value{}).first->second;
      std::erase_if(target.entries, [&](const Value::Entry& entry) { return entry.key == over.name.substr(dot + 1); });
      target.entries.push_back({over.name.substr(dot + 1), value.place, std::move(value)});
    } else {
      changes.parameters.insert_or_assign(over.name, std::move(value));
    }
  }
  return changes;
}

class SceneReader {
 public:
  // The document must outlive the reader.
  SceneReader(const Document& document, std::span<const Override> overrides, const LoadOptions& options)
      : document_(document), options_(options), changes_(changes_of(overrides, document.root)) {}

  Scene read() {
    scene_.file = document_.file;
    require_kind(document_.root, FileKind::Scene);
    const TableReader top(document_.root, keys_of(""), constants_, "the scene");
    scene_.parameters = read_parameters(top.find("parameters"), changes_.parameters);
    for (const Parameter& parameter : scene_.parameters) constants_.constants[parameter.name] = parameter.value;

    scene_.title = top.text("title", "");
    scene_.description = top.text("description", "");
    scene_.method = read_method(find(top, "method"), constants_);
    scene_.recording = read_recording(find(top, "record"), constants_);
    read_dimension(top);
    read_duration(top);
    scene_.settle = top.boolean("settle", false);
    read_bodies(top.require("body"));
    read_start(top.find("start"), constants_, scene_.model);
    read_contacts(top.find("contact"), constants_, scene_.model);
    choose_stepper();
    check_method(top);
    run_ = state_;
    run_.reach = expression::Reach::Run;
    run_.trackers = &scene_.trackers;
    run_.shortest_period = scene_.duration / kMostPeriods;
    read_observables(top.find("observe"));
    read_stop(top.find("stop"));
    scene_.text = document_.text;
    scene_.included = document_.included;
    return std::move(scene_);
  }

 private:
  // A key of the top level that may be changed; null: absent.
  const Value* find(const TableReader& top, const std::string& key) const {
    const auto changed = changes_.keys.find(key);
    return changed != changes_.keys.end() ? &changed->second : top.find(key);
  }

  // 2.5: planar bodies on a plane that gravity presses them on.
  void read_dimension(const TableReader& top) {
    const Value& value = top.require("dimension");
    const double dimension = read_number(value, constants_, top.what("dimension"));
    if (dimension != 2 && dimension != 2.5 && dimension != 3)
      throw SceneError(value.place, fmt::format("{} must be 2, 2.5 or 3, not {}", top.what("dimension"), dimension));
    scene_.model.dimension = dimension == 3 ? 3 : 2;
    Vec3 gravity = top.vector("gravity", Vec3::Zero(), dimension == 2 ? 2 : 3);
    if (dimension == 2.5) {
      if (gravity.z() > 0)
        throw SceneError(top.require("gravity").place, "gravity must press on the plane: its last number must be <= 0");
      supports_ = {true, -gravity.z()};
      gravity.z() = 0;
    }
    scene_.model.gravity = gravity;
  }

  void choose_stepper() {
    stepping::StepperChoice choice = stepping::choose_stepper(scene_.method, scene_.model);
    scene_.method.stepper = std::move(choice.stepper);
    scene_.why_stepper = std::move(choice.why);
  }

  void check_method(const TableReader& top) {
    const std::string objection = stepping::objection_to(scene_.method, scene_.model);
    const Value* method = find(top, "method");
    if (!objection.empty()) throw SceneError(method != nullptr ? method->place : top.place(), objection);
  }

  void read_duration(const TableReader& top) {
    const Value* changed = find(top, "duration");
    const Value& value = changed != nullptr ? *changed : top.require("duration");
    scene_.duration = read_number(value, constants_, top.what("duration"));
    require_positive(scene_.duration, value.place, top.what("duration"));
    if (scene_.duration / scene_.method.step > kMostSteps) {
      throw SceneError(value.place, fmt::format("a duration of {} in steps of {} is more than {} steps",
                                                scene_.duration, scene_.method.step, kMostSteps));
    }
  }

  void read_bodies(const Value& bodies) {
    const std::vector<BodyPlan> plans = plan_bodies(bodies, constants_, options_.most_bodies);
    state_ = constants_;
    state_.reach = expression::Reach::State;
    state_.planar = scene_.model.dimension == 2;
    for (std::size_t i = 0; i < plans.size(); ++i) state_.bodies[plans[i].name] = static_cast<int>(i);
    const ShapeContext shapes{scene_.model.dimension, scene_.file.parent_path()};
    const motion::Span span{scene_.duration, scene_.method.step};
    const BodyContext context{shapes, span, constants_, state_, scene_.model.bodies, supports_};
    scene_.model.bodies.reserve(plans.size());
    for (const BodyPlan& plan : plans) scene_.model.bodies.push_back(read_body(plan, context));
  }

  // What is evaluated along a run; trackers that it makes belong to `owner`.
  expression::Expression read_run_expression(const Value& value, const std::string& owner) {
    expression::Expression expression = read_expression(value, run_, owner);
    scene_.tracker_owners.resize(scene_.trackers.size(), owner);
    return expression;
  }

  void read_observables(const Value* table) {
    if (table == nullptr) return;
    if (table->kind != Value::Kind::Table)
      throw SceneError(table->place, fmt::format("observe must be a table, not {}", Value::name_of(table->kind)));
    for (const Value::Entry& entry : table->entries) {
      const std::string what = fmt::format("the observable '{}'", entry.key);
      if (!expression::is_identifier(entry.key)) {
        throw SceneError(entry.place, fmt::format("'{}' cannot be the name of an observable: use letters, digits and "
                                                  "underscores, beginning with a letter",
                                                  entry.key));
      }
      Observable observable;
      observable.name = entry.key;
      const Value* value = &entry.value;
      if (value->kind == Value::Kind::Table) {
        const TableReader details(*value, keys_of("observe.NAME"), constants_, what);
        observable.unit = details.text("unit", "");
        observable.description = details.text("description", "");
        value = &details.require("value");
      }
      observable.text = value->kind == Value::Kind::Text ? value->text : "";
      observable.place = value->place;
      observable.expression = read_run_expression(*value, what);
      // Later observables and stop conditions may use it by its name.
      if (observable.expression.is_constant())
        run_.constants.try_emplace(entry.key, observable.expression.evaluate(0));
      else
        run_.definitions[entry.key] = expression::parse_expression(observable.text);
      scene_.observables.push_back(std::move(observable));
    }
  }

  void read_stop(const Value* value) {
    if (value == nullptr) return;
    if (value->kind == Value::Kind::Array) {
      for (const Value& item : value->items) add_stop(item);
    } else {
      add_stop(*value);
    }
  }

  void add_stop(const Value& value) {
    const std::string text = read_text(value, "'stop'");
    scene_.stop.push_back({text, read_run_expression(value, "the stop condition"), value.place});
  }

  const Document& document_;
  LoadOptions options_;
  Changes changes_;
  SupportContext supports_;
  expression::Scope constants_, state_, run_;  // for numbers; for forces; for observables and stop conditions
  Scene scene_;
};

}  // namespace

Override parse_override_argument(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == argument.size()) {
    throw SceneError({kCommandLine, 0, 0}, fmt::format("'{}' must be written name=value", argument));
  }
  return {std::string(argument.substr(0, equals)), std::string(argument.substr(equals + 1))};
}

Scene load_scene(const std::filesystem::path& file, std::span<const Override> overrides, const LoadOptions& options) {
  return SceneReader(read_document(file), overrides, options).read();
}

Scene parse_scene(std::string text, const std::filesystem::path& name, std::span<const Override> overrides,
                  const LoadOptions& options) {
  return SceneReader(parse_document(std::move(text), name), overrides, options).read();
}

Scene make_scene(const Document& document, std::span<const Override> overrides, const LoadOptions& options) {
  return SceneReader(document, overrides, options).read();
}

}  // namespace stickslip::scene
