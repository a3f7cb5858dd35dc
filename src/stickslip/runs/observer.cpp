// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/runs/observer.h"

#include "stickslip/collision/overlaps.h"
#include "stickslip/stepping/method_force_law.h"

#include <fmt/format.h>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace stickslip::runs {
namespace {

[[noreturn]] void not_a_number(const files::Place& place, const std::string& what, double t) {
  throw files::SceneError(place, fmt::format("{} is not a number (nan) at t = {:.17g}", what, t));
}

}  // namespace

Observer::Observer(const scene::Scene& scene) : scene_(scene), trackers_(scene.trackers) {
  const auto needs = [](const expression::Expression& expression) { return expression.depends_on_contacts(); };
  advance_needs_contacts_ = std::ranges::any_of(trackers_, needs, &expression::Tracker::argument) ||
                            std::ranges::any_of(scene.stop, needs, &scene::StopCondition::expression);
  const auto asks = [](const expression::Expression& expression) { return expression.asks_for_penetration(); };
  if (std::ranges::any_of(trackers_, asks, &expression::Tracker::argument) ||
      std::ranges::any_of(scene.stop, asks, &scene::StopCondition::expression) ||
      std::ranges::any_of(scene.observables, asks, &scene::Observable::expression))
    overlaps_ = std::make_shared<collision::Overlaps>(scene.model);
}

expression::EvaluationContext Observer::context_of(const Observation& now) const {
  expression::EvaluationContext context;
  context.time = now.state.time;
  context.model = &scene_.model;
  context.state = &now.state;
  context.contacts = now.contacts;
  context.events = now.events;
  context.trackers = trackers_;
  context.overlaps = overlaps_.get();
  context.force_law = stepping::force_law(scene_.method);
  return context;
}

void Observer::advance(const Observation& now) {
  const expression::EvaluationContext context = context_of(now);
  // Inner trackers come before those whose arguments use them.
  for (std::size_t i = 0; i < trackers_.size(); ++i) {
    const double x = trackers_[i].update(context);
    if (std::isnan(x) && !trackers_[i].argument.uses_history()) {
      not_a_number({scene_.file.string(), 0, 0}, scene_.tracker_owners[i], now.state.time);
    }
  }
  stopped_by_ = -1;
  for (std::size_t i = 0; i < scene_.stop.size() && stopped_by_ < 0; ++i) {
    const scene::StopCondition& stop = scene_.stop[i];
    const double holds = stop.expression.evaluate(context);
    if (std::isnan(holds)) {
      if (stop.expression.uses_history()) continue;
      not_a_number(stop.place, "the stop condition", now.state.time);
    }
    if (holds != 0) stopped_by_ = static_cast<int>(i);
  }
}

void Observer::evaluate(const Observation& now, std::span<double> values) const {
  assert(values.size() == scene_.observables.size());
  const expression::EvaluationContext context = context_of(now);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const scene::Observable& observable = scene_.observables[i];
    values[i] = observable.expression.evaluate(context);
    if (std::isnan(values[i]) && !observable.expression.uses_history()) {
      not_a_number(observable.place, fmt::format("the observable '{}'", observable.name), now.state.time);
    }
  }
}

std::vector<double> Observer::memory() const {
  std::vector<double> memory;
  for (const expression::Tracker& tracker : trackers_) {
    memory.insert(memory.end(), std::begin(tracker.memory), std::end(tracker.memory));
    memory.push_back(tracker.value);
  }
  return memory;
}

void Observer::restore(std::span<const double> memory) {
  constexpr std::size_t kEach = expression::Tracker::kMemory + 1;
  assert(memory.size() == trackers_.size() * kEach);
  for (std::size_t i = 0; i < trackers_.size(); ++i) {
    for (std::size_t k = 0; k < expression::Tracker::kMemory; ++k) trackers_[i].memory[k] = memory[i * kEach + k];
    trackers_[i].value = memory[i * kEach + expression::Tracker::kMemory];
  }
}

double grain_of(const scene::Scene& scene, std::size_t observable, double value) {
  const double step = scene.method.step;
  if (!scene.observables[observable].expression.tells_a_time(scene.trackers)) return 0;
  return std::fabs(value - step * std::round(value / step)) <= 1e-6 * step ? step : 0;
}

}  // namespace stickslip::runs
