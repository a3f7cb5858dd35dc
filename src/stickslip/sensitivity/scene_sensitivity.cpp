// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/scene_sensitivity.h"

#include "stickslip/expression/nearest_name.h"
#include "stickslip/runs/observer.h"
#include "stickslip/scene/scene_file.h"
#include "stickslip/sensitivity/model_difference.h"
#include "stickslip/sensitivity/run_adjoint.h"
#include "stickslip/sensitivity/start_coordinate.h"
#include "stickslip/sensitivity/sub_step_sensitivity.h"
#include "stickslip/sensitivity/tangent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

namespace stickslip::sensitivity {
namespace {

// Of a parameter, relative to its size: the error of a central difference is its square; one to the side that a model
// without other changes needs has an error of its own size, and of 1e-16 divided by it.
// Sub-steps to the instant of an event are more curved than steps: there the smaller one on both sides.
constexpr double kParameterStep = 1e-5, kOneSidedStep = 1e-6;
constexpr double kEndStep = 1e-6;  // of the end state, in its units

// Whether observables and stop conditions use the parameter, or others that follow from it.
bool observed(const scene::Scene& scene, const scene::Scene& changed, const std::string& name) {
  for (std::size_t i = 0; i < scene.parameters.size(); ++i)
    if (scene.parameters[i].name != name && scene.parameters[i].value != changed.parameters[i].value) return true;
  return std::ranges::any_of(scene.observables,
                             [&](const auto& one) { return expression::mentions(one.text, name); }) ||
         std::ranges::any_of(scene.stop, [&](const auto& one) { return expression::mentions(one.text, name); });
}

}  // namespace

ParameterDirections::ParameterDirections(const scene::Document& document, std::span<const scene::Override> overrides,
                                         std::span<const std::string> parameters)
    : scene_(std::make_unique<scene::Scene>(scene::make_scene(document, overrides))),
      start_(model::initial_state(scene_->model)) {
  std::vector<scene::Override> all(overrides.begin(), overrides.end());
  for (const std::string& name : parameters) names_start(name) ? add_start(name) : add(document, all, name);
}

// The same scene on both sides.
void ParameterDirections::add_start(const std::string& name) {
  const StartCoordinate coordinate = start_coordinate(*scene_, name);
  const double value = start_value(scene_->model, coordinate);
  Direction direction;
  direction.below = direction.above = kParameterStep * (value != 0 ? std::abs(value) : 1);
  direction.start = Eigen::VectorXd::Unit(std::ssize(start_.bodies) * kBodyTangent,
                                          coordinate.body * kBodyTangent + coordinate.component);
  matters_.push_back(true);
  low_.push_back(nullptr);
  high_.push_back(nullptr);
  directions_.push_back(std::move(direction));
}

namespace {

// The models nearer to the parameter's value than those at both ends of the direction, made when they are asked for.
std::function<Direction::Pair()> models_closer(const scene::Document& document,
                                               const std::vector<scene::Override>& overrides,
                                               const scene::Parameter& parameter, const Direction& direction) {
  return [document = std::make_shared<const scene::Document>(document), overrides = overrides, name = parameter.name,
          value = parameter.value, below = direction.below, above = direction.above,
          made = std::make_shared<std::vector<scene::Scene>>()]() mutable {
    if (made->empty())
      for (const double amount : {-below, above}) {
        overrides.push_back({name, fmt::format("{}", value + Direction::kCloser * amount)});
        made->push_back(scene::make_scene(*document, overrides));
        overrides.pop_back();
      }
    return Direction::Pair{&made->front().model, &made->back().model};
  };
}

}  // namespace

void ParameterDirections::add(const scene::Document& document, std::vector<scene::Override>& overrides,
                              const std::string& name) {
  const scene::Parameter& parameter = scene::parameter_named(*scene_, name);
  const auto with = [&](double value) {
    overrides.push_back({name, fmt::format("{}", value)});
    auto scene = std::make_unique<scene::Scene>(scene::make_scene(document, overrides));
    overrides.pop_back();
    return scene;
  };
  const double size = parameter.value != 0 ? std::abs(parameter.value) : 1;
  const bool upwards = parameter.max - parameter.value >= kOneSidedStep * size;
  Direction direction;
  direction.above = upwards ? kOneSidedStep * size : 0;
  direction.below = upwards ? 0 : kOneSidedStep * size;
  std::unique_ptr<scene::Scene> low, high;
  (upwards ? high : low) = with(parameter.value + direction.above - direction.below);
  const bool repeats = RunSensitivity::repeats(scene_->method);
  direction.drives_only = !repeats && StepSlopes::cover(scene_->model, scene_->method) &&
                          same_but_for_motion(scene_->model, (upwards ? high : low)->model);
  if (!direction.drives_only) {
    const double step = (SubStepSensitivity::is_for(scene_->method) ? kOneSidedStep : kParameterStep) * size;
    direction.below = std::min(step, parameter.value - parameter.min);
    direction.above = std::min(step, parameter.max - parameter.value);
    low = direction.below > 0 ? with(parameter.value - direction.below) : nullptr;
    high = direction.above > 0 ? with(parameter.value + direction.above) : nullptr;
  }
  if (repeats) direction.closer = models_closer(document, overrides, parameter, direction);
  direction.low = low ? &low->model : &scene_->model;
  direction.high = high ? &high->model : &scene_->model;
  const model::State below = model::initial_state(*direction.low), above = model::initial_state(*direction.high);
  direction.start.resize(static_cast<Eigen::Index>(start_.bodies.size()) * kBodyTangent);
  for (std::size_t i = 0; i < start_.bodies.size(); ++i)
    direction.start.segment<kBodyTangent>(static_cast<Eigen::Index>(i) * kBodyTangent) =
        difference(below.bodies[i], above.bodies[i]) / (direction.below + direction.above);
  matters_.push_back(
      !direction.drives_only || !direction.start.isZero(0) || !drive_changes(*direction.low, *direction.high).empty() ||
      scene_->duration != (upwards ? high : low)->duration || observed(*scene_, upwards ? *high : *low, name));
  low_.push_back(std::move(low));
  high_.push_back(std::move(high));
  directions_.push_back(std::move(direction));
}

namespace {

// What one parameter a little lower or higher would have shown.
class Shadow {
 public:
  Shadow(const scene::Scene& scene, Eigen::Index direction, double amount)
      : scene_(scene), direction_(direction), amount_(amount), observer_(scene) {}

  [[nodiscard]] Eigen::Index direction() const { return direction_; }
  // What it remembers is what the run does, but for values of the start.
  void recall(std::span<const double> memory) {
    if (start_.empty()) start_ = observer_.memory();
    std::vector<double> all(memory.begin(), memory.end());
    const std::size_t each = all.size() / std::max<std::size_t>(scene_.trackers.size(), 1);
    for (std::size_t i = 0; i < scene_.trackers.size(); ++i)
      if (scene_.trackers[i].kind == expression::Tracker::Kind::Initial)
        std::copy_n(start_.begin() + static_cast<std::ptrdiff_t>(i * each), each,
                    all.begin() + static_cast<std::ptrdiff_t>(i * each));
    observer_.restore(all);
  }
  void advance(const runs::Run& run, const RunSensitivity& sensitivity) {
    observer_.advance(observation(run, sensitivity, observer_.advance_needs_contacts()));
  }
  void evaluate(const runs::Run& run, const RunSensitivity& sensitivity, Eigen::Ref<Eigen::VectorXd> values) {
    observer_.evaluate(observation(run, sensitivity, true), {values.data(), static_cast<std::size_t>(values.size())});
  }

 private:
  runs::Observation observation(const runs::Run& run, const RunSensitivity& sensitivity, bool with_contacts) {
    const simulation::Simulation& now = run.simulation();
    move_slightly(now.state(), sensitivity.tangents().col(direction_), amount_, moved_);
    if (with_contacts)
      sensitivity.contacts_along(direction_, amount_, scene_.model, moved_, contacts_);
    else
      contacts_.clear();
    sensitivity.events_along(direction_, amount_, events_);
    return {moved_, contacts_, events_};
  }

  const scene::Scene& scene_;
  Eigen::Index direction_;
  double amount_;
  runs::Observer observer_;
  std::vector<double> start_;  // memory after the first moment
  model::State moved_;
  std::vector<contact::ContactResult> contacts_;
  std::vector<stepping::Event> events_;
};

// Whether functions over the run need to see shadows at a moment that is asked for only: values of the start are kept,
// and an angle without jumps is that of the run and a small change.
bool seldom_watched(const scene::Scene& scene) {
  return scene.stop.empty() && std::ranges::all_of(scene.trackers, [](const expression::Tracker& tracker) {
           const bool brief =
               tracker.kind == expression::Tracker::Kind::Initial || tracker.kind == expression::Tracker::Kind::Unwrap;
           return brief && !tracker.argument.uses_history();
         });
}

// The shadows of a run.
class Shadows {
 public:
  Shadows(const ParameterDirections& unknowns, const runs::Run& run, const RunSensitivity& sensitivity)
      : unknowns_(unknowns), run_(run), sensitivity_(sensitivity), seldom_(seldom_watched(unknowns.scene())) {
    for (std::size_t k = 0; k < unknowns.directions().size(); ++k) {
      const Direction& direction = unknowns.directions()[k];
      const auto column = static_cast<Eigen::Index>(k);
      if (!unknowns.matters(k)) continue;
      if (direction.below > 0) lower_.emplace_back(unknowns.low(k), column, -direction.below);
      if (direction.above > 0) higher_.emplace_back(unknowns.high(k), column, direction.above);
    }
  }

  // At the start and after every step, when the run was observed.
  void watch() {
    const scene::Scene& scene = unknowns_.scene();
    const bool watched = !scene.trackers.empty() || !scene.stop.empty();
    if (watched && (!seldom_ || at_start())) advance();
  }

  [[nodiscard]] Moment moment() {
    if (seldom_ && !at_start() && !unknowns_.scene().trackers.empty()) {
      const std::vector<double> memory = run_.observer().memory();
      for (Shadow& shadow : lower_) shadow.recall(memory);
      for (Shadow& shadow : higher_) shadow.recall(memory);
      advance();
    }
    const auto count = std::ssize(unknowns_.scene().observables), width = std::ssize(unknowns_.directions());
    Moment moment;
    moment.time = run_.time();
    moment.values = run_.observables();
    moment.low = Eigen::Map<const Eigen::VectorXd>(moment.values.data(), count).replicate(1, width);
    moment.high = moment.low;
    for (Shadow& shadow : lower_) shadow.evaluate(run_, sensitivity_, moment.low.col(shadow.direction()));
    for (Shadow& shadow : higher_) shadow.evaluate(run_, sensitivity_, moment.high.col(shadow.direction()));
    return moment;
  }

 private:
  [[nodiscard]] bool at_start() const { return run_.simulation().counters().steps == 0; }
  void advance() {
    for (Shadow& shadow : lower_) shadow.advance(run_, sensitivity_);
    for (Shadow& shadow : higher_) shadow.advance(run_, sensitivity_);
  }

  const ParameterDirections& unknowns_;
  const runs::Run& run_;
  const RunSensitivity& sensitivity_;
  bool seldom_;
  std::vector<Shadow> lower_, higher_;
};

// A function of the end state alone, more exactly than a shadow next to the run has it: a central difference along the
// tangent, and the parameter's own part apart.
double end_derivative(const ParameterDirections& unknowns, std::size_t k, std::size_t observable,
                      const model::State& end, const Eigen::MatrixXd& tangents) {
  const Direction& direction = unknowns.directions()[k];
  const auto value = [&](const scene::Scene& scene, const model::State& state) {
    expression::EvaluationContext context;
    context.time = state.time;
    context.model = &scene.model;
    context.state = &state;
    return scene.observables[observable].expression.evaluate(context);
  };
  const auto tangent = tangents.col(static_cast<Eigen::Index>(k));
  // Small parameters move the end by less than observables can tell.
  const double size = tangent.lpNorm<Eigen::Infinity>(),
               own = direction.width() * (direction.drives_only ? kParameterStep / kOneSidedStep : 1.0),
               amount = size > 0 ? std::max(own, kEndStep / size) : own;
  model::State lower, higher;
  move_along(end, tangent, -amount, lower);
  move_along(end, tangent, amount, higher);
  const scene::Scene& scene = unknowns.scene();
  return (value(scene, higher) - value(scene, lower)) / (2 * amount) +
         (value(unknowns.high(k), end) - value(unknowns.low(k), end)) / direction.width();
}

// Values and derivatives at the end of the run. Where no more than that is asked for and no step depends on how the model is
// changed, they are those of the end state, where the observable is a function of it.
void take_end(const ParameterDirections& unknowns, Moment end, const model::State& state,
              const Eigen::MatrixXd& tangents, ObservableDerivatives& result) {
  const auto directions = unknowns.directions();
  const auto& observables = unknowns.scene().observables;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    result.derivatives.col(column) = (end.high.col(column) - end.low.col(column)) / directions[k].width();
    if (!(directions[k].drives_only || RunSensitivity::repeats(unknowns.scene().method)) || !unknowns.matters(k))
      continue;
    for (std::size_t j = 0; j < observables.size(); ++j) {
      const expression::Expression& expression = observables[j].expression;
      if (!expression.uses_history() && !expression.depends_on_contacts())
        result.derivatives(static_cast<Eigen::Index>(j), column) = end_derivative(unknowns, k, j, state, tangents);
    }
  }
  result.values = std::move(end.values);
  result.low = std::move(end.low);
  result.high = std::move(end.high);
}

constexpr std::size_t kManyUnknowns = 40;  // where one sweep back costs less than tangents

// Why there is no sweep back; empty when there may be one.
std::string objection_to_sweep_back(const ParameterDirections& unknowns) {
  const scene::Scene& scene = unknowns.scene();
  const auto of_the_end = [](const scene::Observable& one) {
    return !one.expression.uses_history() && !one.expression.depends_on_contacts();
  };
  if (!scene.stop.empty() || !scene.trackers.empty() || !std::ranges::all_of(scene.observables, of_the_end))
    return "more is observed than the end of the run";
  for (std::size_t k = 0; k < unknowns.directions().size(); ++k)
    if (unknowns.low(k).duration != unknowns.high(k).duration) return "a parameter changes the duration";
  return RunAdjoint::objection_to(scene.model, scene.method, unknowns.directions());
}

// Of the observables by the changes of the end state (rows; tangent.h), and by each parameter alone.
struct EndDerivatives {
  Eigen::MatrixXd by_state, by_parameter;

  EndDerivatives(const ParameterDirections& unknowns, const model::State& end) {
    const auto& observables = unknowns.scene().observables;
    const auto values = [&](const scene::Scene& scene, const model::State& state) {
      expression::EvaluationContext context;
      context.time = state.time;
      context.model = &scene.model;
      context.state = &state;
      Eigen::VectorXd all(std::ssize(observables));
      for (Eigen::Index j = 0; j < all.size(); ++j)
        all[j] = scene.observables[static_cast<std::size_t>(j)].expression.evaluate(context);
      return all;
    };
    const auto size = std::ssize(end.bodies) * kBodyTangent;
    by_state.resize(std::ssize(observables), size);
    model::State moved;
    for (Eigen::Index i = 0; i < size; ++i) {
      const Eigen::VectorXd along = Eigen::VectorXd::Unit(size, i);
      move_along(end, along, kEndStep, moved);
      by_state.col(i) = values(unknowns.scene(), moved);
      move_along(end, along, -kEndStep, moved);
      by_state.col(i) = (by_state.col(i) - values(unknowns.scene(), moved)) / (2 * kEndStep);
    }
    by_parameter.setZero(std::ssize(observables), std::ssize(unknowns.directions()));
    for (std::size_t k = 0; k < unknowns.directions().size(); ++k)
      if (&unknowns.high(k) != &unknowns.low(k))
        by_parameter.col(static_cast<Eigen::Index>(k)) =
            (values(unknowns.high(k), end) - values(unknowns.low(k), end)) / unknowns.directions()[k].width();
  }
};

void take_ending(const runs::Run& run, runs::RunEnd ending, bool known, const std::string& why_unknown,
                 ObservableDerivatives& result) {
  const scene::Scene& scene = run.scene();
  result.finished = ending != runs::RunEnd::Uncertified && known;
  result.stopped = ending == runs::RunEnd::Stopped;
  result.reason = ending == runs::RunEnd::Uncertified ? run.failure() : why_unknown;
  result.end_time = run.time();
  result.residual = run.simulation().counters().worst_residual;
  result.steps = run.simulation().counters().steps;
  result.values.assign(scene.observables.size(), std::numeric_limits<double>::quiet_NaN());
}

ObservableDerivatives sweep_back(const ParameterDirections& unknowns, const runs::Run::Hook& hook) {
  const auto directions = unknowns.directions();
  ObservableDerivatives result;
  runs::Run run(unknowns.scene());
  RunAdjoint adjoint(run.simulation(), directions);
  run.begin();
  const runs::RunEnd ending = run.finish([&](const runs::Run& now) {
    if (hook) (void)hook(now);
    return adjoint.known();
  });
  take_ending(run, ending, adjoint.known(), adjoint.why_unknown(), result);
  result.in_doubt.assign(result.values.size(), false);
  if (!result.finished) return result;
  const EndDerivatives end(unknowns, run.simulation().state());
  result.values = run.observables();
  result.derivatives = adjoint.pull_back(end.by_state) + end.by_parameter;
  result.low = result.high = result.derivatives;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    const Eigen::Map<const Eigen::VectorXd> values(result.values.data(), std::ssize(result.values));
    result.low.col(column) = values - directions[k].below * result.derivatives.col(column);
    result.high.col(column) = values + directions[k].above * result.derivatives.col(column);
  }
  return result;
}

}  // namespace

ObservableDerivatives differentiate(const ParameterDirections& unknowns, double every, const runs::Run::Hook& hook,
                                    TangentSweep sweep) {
  const scene::Scene& scene = unknowns.scene();
  const auto directions = unknowns.directions();
  ObservableDerivatives result;
  if (sweep == TangentSweep::Back ||
      (sweep == TangentSweep::Best && directions.size() >= kManyUnknowns && every <= 0)) {
    result.reason = objection_to_sweep_back(unknowns);
    if (result.reason.empty()) result = sweep_back(unknowns, hook);
    if (result.finished || sweep == TangentSweep::Back) return result;
    result = {};
  }
  runs::Run run(scene);
  RunSensitivity sensitivity(run.simulation());
  sensitivity.begin(directions, RunSensitivity::Of::MotionAndForces);
  Shadows shadows(unknowns, run, sensitivity);
  run.begin();
  shadows.watch();
  const runs::RunEnd ending = run.finish([&](const runs::Run& now) {
    if (!sensitivity.tangents_known()) return false;
    if (hook) (void)hook(now);
    shadows.watch();
    // Steps that should end there may miss it by rounding.
    if (every > 0 && now.time() >= (std::ssize(result.moments) + 1 - 1e-9) * every)
      result.moments.push_back(shadows.moment());
    return true;
  });
  take_ending(run, ending, sensitivity.tangents_known(), sensitivity.why_unknown(), result);
  const bool forces_kept = std::ranges::any_of(
      scene.trackers, [](const expression::Tracker& tracker) { return tracker.argument.depends_on_contacts(); });
  for (const scene::Observable& one : scene.observables) {
    const bool has_forces = one.expression.depends_on_contacts() || (forces_kept && one.expression.uses_history());
    result.in_doubt.push_back(sensitivity.motion_open() || (sensitivity.forces_open() && has_forces));
  }
  const auto count = std::ssize(scene.observables), width = std::ssize(directions);
  result.derivatives.setConstant(count, width, std::numeric_limits<double>::quiet_NaN());
  if (!result.finished) return result;
  take_end(unknowns, shadows.moment(), run.simulation().state(), sensitivity.tangents(), result);
  return result;
}

}  // namespace stickslip::sensitivity
