// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/shooting.h"

#include "stickslip/contact/support_rows.h"
#include "stickslip/expression/nearest_name.h"
#include "stickslip/planning/start_coordinates.h"
#include "stickslip/runs/run.h"
#include "stickslip/sensitivity/tangent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stickslip::planning {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using sensitivity::Direction;
using sensitivity::kBodyTangent;
using sensitivity::RunSensitivity;

// Of an unknown, relative to its size: scenes below and above for its derivative.
constexpr double kParameterStep = 1e-5;
// Likewise, of differences between whole runs: what a run's rounding leaves in a difference falls with it.
constexpr double kRunStep = 1e-5;
constexpr double kEndStep = 1e-6;  // how far ends are moved to differentiate the conditions

std::span<const double> as_span(const VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

double size_of(const Unknown& unknown, double value) {
  return std::max(std::abs(value), 0.1 * unknown.scale);
}

VectorXd start_difference(const model::State& low, const model::State& high) {
  VectorXd d(static_cast<Index>(low.bodies.size()) * kBodyTangent);
  for (std::size_t i = 0; i < low.bodies.size(); ++i)
    d.segment<kBodyTangent>(static_cast<Index>(i) * kBodyTangent) =
        sensitivity::difference(low.bodies[i], high.bodies[i]);
  return d;
}

}  // namespace

Shooter::Shooter(const Plan& plan) : plan_(plan) {
  VectorXd guess(static_cast<Index>(plan.unknowns.size()));
  for (std::size_t i = 0; i < plan.unknowns.size(); ++i) guess[static_cast<Index>(i)] = plan.unknowns[i].guesses[0];
  base_ = std::make_unique<scene::Scene>(scene_at(plan, as_span(guess)));
  conditions_ = std::make_unique<EndConditions>(plan, *base_);
  exact_ = RunSensitivity::covers_all_steps(base_->model, base_->method);
  flights_ = !exact_ && RunSensitivity::covers_flights(base_->model, base_->method);
  start_only_ = std::ranges::all_of(plan.unknowns, [&](const Unknown& unknown) {
    return unknown.body >= 0 &&
           std::ranges::none_of(plan.conditions,
                                [&](const Condition& c) { return expression::mentions(c.text, unknown.name); }) &&
           !expression::mentions(plan.objective.text, unknown.name);
  });
}

Shooter::~Shooter() = default;

SceneAtUnknowns Shooter::place(const VectorXd& unknowns, bool with_directions) {
  SceneAtUnknowns placed;
  if (start_only_)
    place_start(unknowns, with_directions, placed);
  else
    place_scene(unknowns, with_directions, placed);
  return placed;
}

void Shooter::place_start(const VectorXd& unknowns, bool with_directions, SceneAtUnknowns& placed) {
  for (std::size_t i = 0; i < plan_.unknowns.size(); ++i) {
    const Unknown& unknown = plan_.unknowns[i];
    set_component(unknown.component, unknowns[static_cast<Index>(i)],
                  base_->model.bodies[static_cast<std::size_t>(unknown.body)].initial);
  }
  placed.scene = base_.get();
  placed.conditions = conditions_.get();
  if (!with_directions) return;
  placed.directions.resize(plan_.unknowns.size());
  const Index size = static_cast<Index>(base_->model.bodies.size()) * kBodyTangent;
  for (std::size_t i = 0; i < placed.directions.size(); ++i) {
    placed.directions[i].start.setZero(size);
    placed.directions[i].start[plan_.unknowns[i].body * kBodyTangent + plan_.unknowns[i].component] = 1;
  }
  placed.low.assign(plan_.unknowns.size(), conditions_.get());
  placed.high = placed.low;
}

void Shooter::place_scene(const VectorXd& unknowns, bool with_directions, SceneAtUnknowns& placed) {
  const auto add = [&](const VectorXd& at) {
    placed.scenes.push_back(std::make_unique<scene::Scene>(scene_at(plan_, as_span(at))));
    placed.made.push_back(std::make_unique<EndConditions>(plan_, *placed.scenes.back()));
    return placed.made.back().get();
  };
  try {
    placed.conditions = add(unknowns);
    VectorXd moved = unknowns;
    for (Index k = 0; with_directions && k < unknowns.size(); ++k) {
      const Unknown& unknown = plan_.unknowns[static_cast<std::size_t>(k)];
      Direction direction;
      const double step = kParameterStep * size_of(unknown, unknowns[k]);
      direction.below = std::min(step, unknowns[k] - unknown.low);
      direction.above = std::min(step, unknown.high - unknowns[k]);
      moved[k] = unknowns[k] - direction.below;
      placed.low.push_back(add(moved));
      direction.low = &placed.scenes.back()->model;
      moved[k] = unknowns[k] + direction.above;
      placed.high.push_back(add(moved));
      direction.high = &placed.scenes.back()->model;
      moved[k] = unknowns[k];
      direction.start = start_difference(model::initial_state(*direction.low), model::initial_state(*direction.high)) /
                        (direction.below + direction.above);
      placed.directions.push_back(std::move(direction));
    }
    placed.scene = placed.scenes.front().get();
  } catch (const scene::SceneError& error) {
    placed.cause = error.message();
  }
}

void differentiate_ends(const model::State& start, const model::State& end,
                        const Eigen::Ref<const VectorXd>& end_tangent, const Direction& direction, EndConditions& low,
                        EndConditions& high, Eigen::Ref<VectorXd> derivative) {
  const double size = std::max(end_tangent.cwiseAbs().maxCoeff(), direction.start.cwiseAbs().maxCoeff());
  const bool varies = direction.low != nullptr;
  derivative.setZero();
  if (!varies && size == 0) return;
  const double below = varies ? direction.below : kEndStep / size, above = varies ? direction.above : kEndStep / size;
  thread_local model::State moved_start, moved_end;
  thread_local VectorXd before, after;
  const auto move = [&](double amount) {
    sensitivity::move_along(end, end_tangent, amount, moved_end);
    sensitivity::move_along(start, direction.start, amount, moved_start);
  };
  move(-below);
  low.evaluate(moved_start, moved_end, before);
  move(above);
  high.evaluate(moved_start, moved_end, after);
  derivative = (after - before) / (below + above);
}

std::string PlanRun::failure() const {
  return fmt::format("at t = {:.6g}: {}", simulation.failure()->time, runs::failure_of(simulation));
}

void Shooter::remember(const PlanRun& run) {
  const simulation::ModeTimeline& timeline = run.simulation.timeline();
  modes_.assign(timeline.finished().begin(), timeline.finished().end());
  modes_.insert(modes_.end(), timeline.current().begin(), timeline.current().end());
  std::ranges::stable_sort(modes_, {}, &simulation::ModeInterval::begin);
  const auto touches = run.sensitivity.touches();
  touches_.assign(touches.begin(), touches.end());
}

Shot Shooter::shoot(const VectorXd& unknowns, bool with_derivatives) {
  if (!with_derivatives) return shoot_once(unknowns, false);
  if (exact_ || flights_) {
    Shot shot = shoot_once(unknowns, true);
    exact_ = !shot.ran || shot.derivatives.size() > 0;
    if (exact_) {
      ++exact_ones_;
      return shot;
    }
  }
  ++differences_;
  return shoot_by_differences(unknowns);
}

Shot Shooter::shoot_once(const VectorXd& unknowns, bool with_derivatives) {
  Shot shot;
  if (!go_on()) {
    shot.cause = "interrupted";
    return shot;
  }
  const SceneAtUnknowns placed = place(unknowns, with_derivatives);
  if (placed.scene == nullptr) {
    shot.cause = placed.cause;
    return shot;
  }
  ++runs_;
  if (!start_only_ || contact::has_supports(base_->model)) {
    PlanRun run(placed.scene->model, placed.scene->method);
    return finish(placed, run, with_derivatives);
  }
  if (run_)
    run_->restart(model::initial_state(placed.scene->model));
  else
    run_ = std::make_unique<PlanRun>(placed.scene->model, placed.scene->method);
  return finish(placed, *run_, with_derivatives);
}

Shot Shooter::finish(const SceneAtUnknowns& placed, PlanRun& run, bool with_derivatives) {
  Shot shot;
  shot.ran = run.run_until(placed.scene->duration, placed.directions);
  shot.worst_residual = run.simulation.counters().worst_residual;
  shot.worst_balance = run.sensitivity.worst_balance();
  if (!shot.ran) {
    shot.cause = run.failure();
    return shot;
  }
  const model::State start = model::initial_state(placed.scene->model);
  const model::State& end = run.simulation.state();
  placed.conditions->evaluate(start, end, shot.values);
  if (!shot.values.allFinite()) {
    shot.ran = false;
    shot.cause = "a condition is not a number at the end of the run";
    return shot;
  }
  remember(run);
  if (!with_derivatives || !run.sensitivity.tangents_known() || run.sensitivity.motion_open()) return shot;
  const auto unknowns = static_cast<Index>(placed.directions.size());
  shot.derivatives.resize(shot.values.size(), unknowns);
  for (Index k = 0; k < unknowns; ++k) {
    const auto i = static_cast<std::size_t>(k);
    differentiate_ends(start, end, run.sensitivity.tangents().col(k), placed.directions[i], *placed.low[i],
                       *placed.high[i], shot.derivatives.col(k));
  }
  return shot;
}

Shot Shooter::shoot_by_differences(const VectorXd& unknowns) {
  VectorXd moved = unknowns;
  Eigen::MatrixXd derivatives(0, 0);
  for (Index k = 0; k < unknowns.size(); ++k) {
    const Unknown& unknown = plan_.unknowns[static_cast<std::size_t>(k)];
    const double step = kRunStep * size_of(unknown, unknowns[k]);
    const double below = std::min(step, unknowns[k] - unknown.low), above = std::min(step, unknown.high - unknowns[k]);
    moved[k] = unknowns[k] - below;
    const Shot low = shoot_once(moved, false);
    if (!low.ran) return low;
    moved[k] = unknowns[k] + above;
    const Shot high = shoot_once(moved, false);
    if (!high.ran) return high;
    moved[k] = unknowns[k];
    if (k == 0) derivatives.resize(low.values.size(), unknowns.size());
    derivatives.col(k) = (high.values - low.values) / (below + above);
  }
  Shot shot = shoot_once(unknowns, false);  // last: modes() are its own
  shot.derivatives = std::move(derivatives);
  return shot;
}

}  // namespace stickslip::planning
