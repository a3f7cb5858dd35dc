// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/shooting.h"

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

void set_start(const Unknown& unknown, double value, model::BodyState& body) {
  if (unknown.component < sensitivity::kRotation) {
    body.pose.position[unknown.component] = value;
  } else if (unknown.component < sensitivity::kLinear) {  // the angle of a planar body
    body.angle = value;
    body.pose.orientation = Quat(Eigen::AngleAxisd(value, Vec3::UnitZ()));
  } else if (unknown.component < sensitivity::kAngular) {
    body.velocity.linear[unknown.component - sensitivity::kLinear] = value;
  } else {
    body.velocity.angular[unknown.component - sensitivity::kAngular] = value;
  }
}

VectorXd start_difference(const model::State& low, const model::State& high) {
  VectorXd d(static_cast<Index>(low.bodies.size()) * kBodyTangent);
  for (std::size_t i = 0; i < low.bodies.size(); ++i)
    d.segment<kBodyTangent>(static_cast<Index>(i) * kBodyTangent) =
        sensitivity::difference(low.bodies[i], high.bodies[i]);
  return d;
}

// Does the text use this name? Names are runs of letters, digits and underscores that follow no dot.
bool mentions(const std::string& text, const std::string& name) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || (!is_word(text[at - 1]) && text[at - 1] != '.');
    const bool ends = at + name.size() == text.size() || !is_word(text[at + name.size()]);
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

Shooter::Shooter(const Plan& plan) : plan_(plan) {
  VectorXd guess(static_cast<Index>(plan.unknowns.size()));
  for (std::size_t i = 0; i < plan.unknowns.size(); ++i) guess[static_cast<Index>(i)] = plan.unknowns[i].guesses[0];
  base_ = std::make_unique<scene::Scene>(scene_at(plan, as_span(guess)));
  conditions_ = std::make_unique<EndConditions>(plan, *base_);
  exact_ = RunSensitivity::objection_to(base_->model, base_->method).empty();
  start_only_ = std::ranges::all_of(plan.unknowns, [&](const Unknown& unknown) {
    return unknown.body >= 0 &&
           std::ranges::none_of(plan.conditions, [&](const Condition& c) { return mentions(c.text, unknown.name); }) &&
           !mentions(plan.objective.text, unknown.name);
  });
}

Shooter::~Shooter() = default;

Shot Shooter::shoot(const VectorXd& unknowns, bool with_derivatives) {
  if (with_derivatives && !exact_) return shoot_by_differences(unknowns);
  return start_only_ ? shoot_start(unknowns, with_derivatives) : shoot_scene(unknowns, with_derivatives);
}

namespace {

// One run and what the conditions say about it.
class Flight {
 public:
  Flight(const scene::Scene& scene, EndConditions& conditions)
      : scene_(scene), conditions_(conditions), run_(scene.model, scene.method) {}

  void fly(std::span<const Direction> directions, Shot& shot) {
    shot.ran = run_.run_until(scene_.duration, directions);
    shot.worst_residual = run_.worst_residual();
    shot.worst_balance = run_.worst_balance();
    if (!shot.ran) {
      shot.cause = fmt::format("the step at t = {:.6g} was not certified", run_.failed_at());
      return;
    }
    start_ = model::initial_state(scene_.model);
    conditions_.evaluate(start_, run_.end(), shot.values);
    if (!shot.values.allFinite()) {
      shot.ran = false;
      shot.cause = "a condition is not a number at the end of the run";
    }
  }

  // d values / d unknown k; low and high: conditions of the scenes below and above, where the scene depends on it.
  void differentiate(Index k, const Direction& direction, EndConditions& low, EndConditions& high, Shot& shot) {
    const auto& tangent = run_.tangents().col(k);
    const double size = std::max(tangent.cwiseAbs().maxCoeff(), direction.start.cwiseAbs().maxCoeff());
    const bool varies = direction.low != nullptr;
    if (!varies && size == 0) {
      shot.derivatives.col(k).setZero();
      return;
    }
    const double below = varies ? direction.below : kEndStep / size, above = varies ? direction.above : kEndStep / size;
    move(tangent, direction.start, -below);
    low.evaluate(moved_start_, moved_end_, before_);
    move(tangent, direction.start, above);
    high.evaluate(moved_start_, moved_end_, after_);
    shot.derivatives.col(k) = (after_ - before_) / (below + above);
  }

  [[nodiscard]] const RunSensitivity& run() const { return run_; }

 private:
  void move(const Eigen::Ref<const VectorXd>& end, const VectorXd& start, double amount) {
    sensitivity::move_along(run_.end(), end, amount, moved_end_);
    sensitivity::move_along(start_, start, amount, moved_start_);
  }

  const scene::Scene& scene_;
  EndConditions& conditions_;
  RunSensitivity run_;
  model::State start_, moved_start_, moved_end_;
  VectorXd before_, after_;
};

}  // namespace

void Shooter::remember(const RunSensitivity& run) {
  const simulation::ModeTimeline& timeline = run.timeline();
  modes_.assign(timeline.finished().begin(), timeline.finished().end());
  modes_.insert(modes_.end(), timeline.current().begin(), timeline.current().end());
  std::ranges::stable_sort(modes_, {}, &simulation::ModeInterval::begin);
  touches_.assign(run.touches().begin(), run.touches().end());
}

Shot Shooter::shoot_start(const VectorXd& unknowns, bool with_derivatives) {
  for (std::size_t i = 0; i < plan_.unknowns.size(); ++i) {
    const Unknown& unknown = plan_.unknowns[i];
    set_start(unknown, unknowns[static_cast<Index>(i)],
              base_->model.bodies[static_cast<std::size_t>(unknown.body)].initial);
  }
  std::vector<Direction> directions;
  if (with_derivatives) {
    directions.resize(plan_.unknowns.size());
    const Index size = static_cast<Index>(base_->model.bodies.size()) * kBodyTangent;
    for (std::size_t i = 0; i < directions.size(); ++i) {
      directions[i].start.setZero(size);
      directions[i].start[plan_.unknowns[i].body * kBodyTangent + plan_.unknowns[i].component] = 1;
    }
  }
  Shot shot;
  ++runs_;
  Flight flight(*base_, *conditions_);
  flight.fly(directions, shot);
  if (!shot.ran) return shot;
  remember(flight.run());
  if (!with_derivatives) return shot;
  shot.derivatives.resize(shot.values.size(), unknowns.size());
  for (Index k = 0; k < unknowns.size(); ++k)
    flight.differentiate(k, directions[static_cast<std::size_t>(k)], *conditions_, *conditions_, shot);
  return shot;
}

Shot Shooter::shoot_scene(const VectorXd& unknowns, bool with_derivatives) {
  Shot shot;
  scene::Scene scene;
  std::vector<scene::Scene> below, above;
  std::vector<Direction> directions;
  const Index n = unknowns.size();
  try {
    scene = scene_at(plan_, as_span(unknowns));
    VectorXd moved = unknowns;
    below.reserve(static_cast<std::size_t>(n));  // directions point at the models
    above.reserve(static_cast<std::size_t>(n));
    for (Index k = 0; with_derivatives && k < n; ++k) {
      const Unknown& unknown = plan_.unknowns[static_cast<std::size_t>(k)];
      Direction direction;
      const double step = kParameterStep * size_of(unknown, unknowns[k]);
      direction.below = std::min(step, unknowns[k] - unknown.low);
      direction.above = std::min(step, unknown.high - unknowns[k]);
      moved[k] = unknowns[k] - direction.below;
      below.push_back(scene_at(plan_, as_span(moved)));
      moved[k] = unknowns[k] + direction.above;
      above.push_back(scene_at(plan_, as_span(moved)));
      moved[k] = unknowns[k];
      direction.low = &below.back().model;
      direction.high = &above.back().model;
      direction.start = start_difference(model::initial_state(*direction.low), model::initial_state(*direction.high)) /
                        (direction.below + direction.above);
      directions.push_back(std::move(direction));
    }
  } catch (const scene::SceneError& error) {
    shot.cause = error.message();
    return shot;
  }
  ++runs_;
  EndConditions conditions(plan_, scene);
  Flight flight(scene, conditions);
  flight.fly(directions, shot);
  if (!shot.ran) return shot;
  remember(flight.run());
  if (!with_derivatives) return shot;
  shot.derivatives.resize(shot.values.size(), n);
  for (Index k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    EndConditions low(plan_, below[i]), high(plan_, above[i]);
    flight.differentiate(k, directions[i], low, high, shot);
  }
  return shot;
}

Shot Shooter::shoot_by_differences(const VectorXd& unknowns) {
  const auto run = [&](const VectorXd& at) { return start_only_ ? shoot_start(at, false) : shoot_scene(at, false); };
  VectorXd moved = unknowns;
  Eigen::MatrixXd derivatives(0, 0);
  for (Index k = 0; k < unknowns.size(); ++k) {
    const Unknown& unknown = plan_.unknowns[static_cast<std::size_t>(k)];
    const double step = kRunStep * size_of(unknown, unknowns[k]);
    const double below = std::min(step, unknowns[k] - unknown.low), above = std::min(step, unknown.high - unknowns[k]);
    moved[k] = unknowns[k] - below;
    const Shot low = run(moved);
    if (!low.ran) return low;
    moved[k] = unknowns[k] + above;
    const Shot high = run(moved);
    if (!high.ran) return high;
    moved[k] = unknowns[k];
    if (k == 0) derivatives.resize(low.values.size(), unknowns.size());
    derivatives.col(k) = (high.values - low.values) / (below + above);
  }
  Shot shot = run(unknowns);  // last: modes() are its own
  shot.derivatives = std::move(derivatives);
  return shot;
}

}  // namespace stickslip::planning
