// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/scene_sensitivity.h"

#include "stickslip/scene/scene_file.h"
#include "stickslip/sensitivity/tangent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::sensitivity {
namespace {

// Of a parameter, relative to its size: the error of a central difference is its square.
constexpr double kParameterStep = 1e-5;

double evaluate(const scene::Scene& scene, std::size_t observable, const model::State& state) {
  scene::EvaluationContext context;
  context.time = state.time;
  context.model = &scene.model;
  context.state = &state;
  return scene.observables[observable].expression.evaluate(context);
}

}  // namespace

ParameterDirections::ParameterDirections(const scene::Document& document, std::span<const scene::Override> overrides,
                                         std::span<const std::string> parameters)
    : scene_(std::make_unique<scene::Scene>(scene::make_scene(document, overrides))) {
  const model::State start = model::initial_state(scene_->model);
  for (const std::string& name : parameters) {
    const scene::Parameter& parameter = scene::parameter_named(*scene_, name);
    const double step = kParameterStep * (parameter.value != 0 ? std::abs(parameter.value) : 1);
    const double below = std::min(step, parameter.value - parameter.min);
    const double above = std::min(step, parameter.max - parameter.value);
    std::vector<scene::Override> all(overrides.begin(), overrides.end());
    const auto with = [&](double value) {
      all.push_back({name, fmt::format("{}", value)});
      auto scene = std::make_unique<scene::Scene>(scene::make_scene(document, all));
      all.pop_back();
      return scene;
    };
    low_.push_back(with(parameter.value - below));
    high_.push_back(with(parameter.value + above));
    Direction direction{&low_.back()->model, &high_.back()->model, below, above, {}};
    const model::State low = model::initial_state(*direction.low), high = model::initial_state(*direction.high);
    direction.start.resize(static_cast<Eigen::Index>(start.bodies.size()) * kBodyTangent);
    for (std::size_t i = 0; i < start.bodies.size(); ++i)
      direction.start.segment<kBodyTangent>(static_cast<Eigen::Index>(i) * kBodyTangent) =
          difference(low.bodies[i], high.bodies[i]) / (below + above);
    directions_.push_back(std::move(direction));
  }
}

ObservableDerivatives differentiate(const ParameterDirections& unknowns) {
  const scene::Scene& scene = unknowns.scene();
  RunSensitivity run(scene.model, scene.method);
  ObservableDerivatives result;
  const std::size_t count = scene.observables.size();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  result.values.assign(count, kNaN);
  result.derivatives.setConstant(static_cast<Eigen::Index>(count),
                                 static_cast<Eigen::Index>(unknowns.directions().size()), kNaN);
  result.finished = run.run_until(scene.duration, unknowns.directions());
  if (!result.finished) return result;
  for (std::size_t j = 0; j < count; ++j) {
    const scene::Expression& expression = scene.observables[j].expression;
    if (expression.uses_history() || expression.depends_on_contacts()) continue;
    result.values[j] = evaluate(scene, j, run.end());
    for (std::size_t k = 0; k < unknowns.directions().size(); ++k)
      result.derivatives(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k)) = run.derivative(
          static_cast<Eigen::Index>(k), unknowns.directions()[k],
          [&](const model::State& state) { return evaluate(unknowns.low(k), j, state); },
          [&](const model::State& state) { return evaluate(unknowns.high(k), j, state); });
  }
  return result;
}

}  // namespace stickslip::sensitivity
