// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/planning/multiple_shooting.h"

#include "stickslip/planning/start_coordinates.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::planning {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using sensitivity::Direction;
using sensitivity::kAngular;
using sensitivity::kBodyTangent;
using sensitivity::kLinear;
using sensitivity::kPosition;
using sensitivity::kRotation;
using sensitivity::RunSensitivity;
using stepping::index;

constexpr double kMove = 1e-6;  // of differences, relative to the size of the node's coordinates

// One free coordinate of a state.
struct NodeCoordinate {
  int body = 0, component = 0;  // place in the body's tangent
  double weight = 1;            // makes it a length
  [[nodiscard]] Index place() const { return body * kBodyTangent + component; }
};

// Balls look the same however they are turned. The confirmation by a whole run sees if a condition does not think so.
bool is_ball(const model::Body& body, const contact::BodyTraits& traits) {
  return !body.planar() && traits.isotropic && std::ranges::all_of(body.shapes, [](const model::PlacedShape& placed) {
    return std::holds_alternative<model::Sphere>(placed.shape) && placed.pose.position.isZero(0);
  });
}

std::vector<NodeCoordinate> free_coordinates(const scene::Scene& scene, double duration) {
  const std::vector<contact::BodyTraits> traits = contact::body_traits(scene.model);
  const bool dynamic = scene.method.motion == stepping::MotionModel::Dynamic;
  std::vector<NodeCoordinate> list;
  for (std::size_t i = 0; i < traits.size(); ++i) {
    const model::Body& body = scene.model.bodies[i];
    const bool ball = is_ball(body, traits[i]);
    const auto add = [&](int position, int velocity, double weight) {
      if (position < kRotation || !ball) list.push_back({static_cast<int>(i), position, weight});
      if (dynamic) list.push_back({static_cast<int>(i), velocity, weight * duration});
    };
    for (int k = 0; k < 3; ++k)
      if (traits[i].free_translation[index(k)]) add(kPosition + k, kLinear + k, 1);
    if (!traits[i].free_rotation) continue;
    const double inertia = body.planar() ? body.inertia(2, 2) : body.inertia.trace() / 3;
    const double arm = inertia > 0 && body.mass > 0 ? std::sqrt(inertia / body.mass) : 1;
    for (int k = body.planar() ? 2 : 0; k < 3; ++k)
      if (body.planar() || !body.drive.rotation_locked[index(k)]) add(kRotation + k, kAngular + k, arm);
  }
  return list;
}

// The end of a segment, and how it changes along each direction.
struct Leg {
  bool ran = false;
  std::string cause;  // why not
  double worst_residual = 0, worst_balance = 0;
  model::State end;
  MatrixXd tangents;
};

class Segments final : public Target {
 public:
  Segments(const Plan& plan, Shooter& shooter) : plan_(plan), shooter_(shooter) {}

  // Nodes on the run from these unknowns. False when it has none.
  bool begin(const VectorXd& start, std::string& cause) {
    const SceneAtUnknowns placed = shooter_.place(start, false);
    if (placed.scene == nullptr) {
      cause = placed.cause;
      return false;
    }
    const scene::Scene& scene = *placed.scene;
    const auto count = std::min<std::int64_t>(plan_.segments, plan_.steps);
    for (std::int64_t j = 0; j <= count; ++j)
      times_.push_back(j == count ? scene.duration : scene.method.step * static_cast<double>(j * plan_.steps / count));
    coordinates_ = free_coordinates(scene, scene.duration / static_cast<double>(count));
    exact_ = RunSensitivity::covers_all_steps(scene.model, scene.method);
    flights_ = !exact_ && RunSensitivity::covers_flights(scene.model, scene.method);
    model::State state = model::initial_state(scene.model);
    for (std::size_t j = 1; j + 1 < times_.size(); ++j) {
      const Leg leg = run(scene, state, times_[j], {});
      if (leg.ran) state = leg.end;  // else the nodes stay where the run ended
      state.time = times_[j];
      nodes_.push_back(state);
      follow_path(nodes_.back());
    }
    first_.setZero(static_cast<Index>(start.size()) + node_size() * std::ssize(nodes_));
    first_.head(start.size()) = start;
    return true;
  }

  [[nodiscard]] const VectorXd& first() const { return first_; }
  [[nodiscard]] Index residuals() const override { return shooter_.residuals() + node_size() * std::ssize(nodes_); }
  [[nodiscard]] bool holds_by_itself(Index residual, double value) const override {
    return residual < shooter_.residuals() && shooter_.holds_by_itself(residual, value);
  }
  [[nodiscard]] bool exact() const override { return exact_; }

  [[nodiscard]] Shot shoot(const VectorXd& unknowns, bool with_derivatives) override {
    Shot shot;
    if (!shooter_.go_on()) {
      shot.cause = "interrupted";
      return shot;
    }
    const Index n = std::ssize(plan_.unknowns), conditions = shooter_.residuals();
    const SceneAtUnknowns placed = shooter_.place(unknowns.head(n), with_derivatives);
    if (placed.scene == nullptr) {
      shot.cause = placed.cause;
      return shot;
    }
    shooter_.count_run();
    shot.values.setZero(residuals());
    if (with_derivatives) shot.derivatives.setZero(residuals(), unknowns.size());
    const model::State start = model::initial_state(placed.scene->model);
    for (std::size_t j = 0; j + 1 < times_.size(); ++j) {
      const model::State from = j == 0 ? start : node(*placed.scene, j, unknowns);
      std::vector<Direction> directions;
      if (with_derivatives) directions = directions_at(placed, j, unknowns);
      const Leg leg = with_derivatives ? differentiate(*placed.scene, from, times_[j + 1], directions)
                                       : run(*placed.scene, from, times_[j + 1], {});
      if (!leg.ran) {
        shot.cause = leg.cause;
        return shot;
      }
      shot.worst_residual = std::max(shot.worst_residual, leg.worst_residual);
      shot.worst_balance = std::max(shot.worst_balance, leg.worst_balance);
      if (j + 2 < times_.size()) {
        join(*placed.scene, j, unknowns, leg, shot);
        continue;
      }
      VectorXd values;
      placed.conditions->evaluate(start, leg.end, values);
      if (!values.allFinite()) {
        shot.cause = "a condition is not a number at the end of the run";
        return shot;
      }
      shot.values.head(conditions) = values.head(conditions);
      for (Index k = 0; k < std::ssize(directions); ++k) {
        const auto i = static_cast<std::size_t>(k);
        Direction ends = k < n ? placed.directions[i] : Direction{};
        if (k >= n) ends.start.setZero(leg.tangents.rows());
        VectorXd change(values.size());
        differentiate_ends(start, leg.end, leg.tangents.col(k), ends, k < n ? *placed.low[i] : *placed.conditions,
                           k < n ? *placed.high[i] : *placed.conditions, change);
        shot.derivatives.col(column(j, k)).head(conditions) = change.head(conditions);
      }
    }
    shot.ran = true;
    return shot;
  }

 private:
  [[nodiscard]] Index node_size() const { return std::ssize(coordinates_); }
  [[nodiscard]] Index first_of(std::size_t node) const {  // counted from 1
    return std::ssize(plan_.unknowns) + static_cast<Index>(node - 1) * node_size();
  }
  // Of direction k of segment j.
  [[nodiscard]] Index column(std::size_t j, Index k) const {
    const Index n = std::ssize(plan_.unknowns);
    return k < n ? k : first_of(j) + k - n;
  }

  // Velocities first as the coordinates have them, then as they are given.
  void follow_path(model::State& state) const {
    for (const bool velocities : {false, true})
      for (const PathEntry& entry : plan_.path) {
        if ((entry.component >= kLinear) != velocities) continue;
        const model::TimeJet jet = entry.expression.evaluate_jet(state.time);
        model::BodyState& body = state.bodies[index(entry.body)];
        set_component(entry.component, jet.value, body);
        if (!velocities) set_component(entry.component + kLinear, jet.rate, body);
      }
  }

  [[nodiscard]] VectorXd offset(std::size_t j, const VectorXd& unknowns) const {
    VectorXd change = VectorXd::Zero(std::ssize(nodes_[j - 1].bodies) * kBodyTangent);
    for (std::size_t c = 0; c < coordinates_.size(); ++c)
      change[coordinates_[c].place()] = unknowns[first_of(j) + static_cast<Index>(c)];
    return change;
  }

  [[nodiscard]] model::State node(const scene::Scene& scene, std::size_t j, const VectorXd& unknowns) const {
    model::State state;
    sensitivity::move_along(nodes_[j - 1], offset(j, unknowns), 1, state);
    state.time = times_[j];
    model::apply_drives(scene.model, state.time, state);
    return state;
  }

  // How a node changes with its coordinate c: turns in space are not additive.
  [[nodiscard]] VectorXd change_of(std::size_t c, const VectorXd& change) const {
    const NodeCoordinate& coordinate = coordinates_[c];
    VectorXd d = VectorXd::Zero(change.size());
    d[coordinate.place()] = 1;
    const bool turns = coordinate.component >= kRotation && coordinate.component < kLinear;
    if (!turns) return d;
    const Index first = coordinate.body * kBodyTangent + kRotation;
    const Vec3 turn = change.segment<3>(first);
    d.segment<3>(first) = sensitivity::left_jacobian(turn).col(coordinate.component - kRotation);
    return d;
  }

  // Of segment j: the plan's unknowns, then the coordinates of the node it begins with.
  [[nodiscard]] std::vector<Direction> directions_at(const SceneAtUnknowns& placed, std::size_t j,
                                                     const VectorXd& unknowns) const {
    std::vector<Direction> list = placed.directions;
    if (j == 0) return list;
    for (Direction& direction : list) direction.start.setZero();
    const VectorXd change = offset(j, unknowns);
    for (std::size_t c = 0; c < coordinates_.size(); ++c) {
      Direction& direction = list.emplace_back();
      direction.start = change_of(c, change);
    }
    return list;
  }

  Leg run(const scene::Scene& scene, const model::State& from, double until, std::span<const Direction> directions) {
    return run(scene.model, scene.method, from, until, directions);
  }

  Leg run(const model::Model& model, const stepping::Method& method, const model::State& from, double until,
          std::span<const Direction> directions) {
    PlanRun run(model, method);
    run.simulation.set_state(from);
    Leg leg;
    leg.ran = run.run_until(until, directions);
    if (!leg.ran) leg.cause = run.failure();
    leg.worst_residual = run.simulation.counters().worst_residual;
    leg.worst_balance = run.sensitivity.worst_balance();
    leg.end = run.simulation.state();
    if (run.sensitivity.tangents_known()) leg.tangents = run.sensitivity.tangents();
    return leg;
  }

  Leg differentiate(const scene::Scene& scene, const model::State& from, double until,
                    const std::vector<Direction>& directions) {
    if (exact_ || flights_) {
      Leg leg = run(scene, from, until, directions);
      if (!leg.ran || leg.tangents.size() > 0) return leg;
    }
    Leg leg = run(scene, from, until, {});
    leg.tangents.setZero(std::ssize(from.bodies) * kBodyTangent, std::ssize(directions));
    for (std::size_t k = 0; leg.ran && k < directions.size(); ++k) {
      const Direction& direction = directions[k];
      const bool varies = direction.low != nullptr;
      if (!varies && direction.start.isZero(0)) continue;
      const double below = varies ? direction.below : kMove, above = varies ? direction.above : kMove;
      model::State low, high;
      sensitivity::move_along(from, direction.start, -below, low);
      sensitivity::move_along(from, direction.start, above, high);
      const Leg before = run(varies ? *direction.low : scene.model, scene.method, low, until, {});
      const Leg after = run(varies ? *direction.high : scene.model, scene.method, high, until, {});
      leg.ran = before.ran && after.ran;
      for (std::size_t i = 0; i < from.bodies.size(); ++i)
        leg.tangents.col(static_cast<Index>(k)).segment<kBodyTangent>(static_cast<Index>(i) * kBodyTangent) =
            sensitivity::difference(before.end.bodies[i], after.end.bodies[i]) / (below + above);
    }
    return leg;
  }

  // Continuity between the end of segment j and the node that follows.
  void join(const scene::Scene& scene, std::size_t j, const VectorXd& unknowns, const Leg& leg, Shot& shot) const {
    const model::State next = node(scene, j + 1, unknowns);
    const VectorXd change = offset(j + 1, unknowns);
    const Index row = shooter_.residuals() + static_cast<Index>(j) * node_size();
    for (std::size_t c = 0; c < coordinates_.size(); ++c) {
      const NodeCoordinate& one = coordinates_[c];
      const auto gap = sensitivity::difference(next.bodies[index(one.body)], leg.end.bodies[index(one.body)]);
      const Index line = row + static_cast<Index>(c);
      shot.values[line] = one.weight * gap[one.component];
      if (shot.derivatives.size() == 0) continue;
      for (Index k = 0; k < leg.tangents.cols(); ++k)
        shot.derivatives(line, column(j, k)) = one.weight * leg.tangents(one.place(), k);
    }
    for (std::size_t c = 0; shot.derivatives.size() > 0 && c < coordinates_.size(); ++c) {
      const VectorXd moved = change_of(c, change);
      for (std::size_t i = 0; i < coordinates_.size(); ++i)
        shot.derivatives(row + static_cast<Index>(i), first_of(j + 1) + static_cast<Index>(c)) -=
            coordinates_[i].weight * moved[coordinates_[i].place()];
    }
  }

  const Plan& plan_;
  Shooter& shooter_;
  std::vector<double> times_;
  std::vector<NodeCoordinate> coordinates_;
  std::vector<model::State> nodes_;  // references, of the cuts 1 .. K-1
  VectorXd first_;
  bool exact_ = false, flights_ = false;
};

}  // namespace

SearchResult solve_multiple(const Plan& plan, Shooter& shooter, const VectorXd& start) {
  SearchResult result;
  Segments segments(plan, shooter);
  if (!segments.begin(start, result.cause)) return result;
  const SearchResult found = search(plan, segments, segments.first());
  result.iterations = found.iterations;
  if (found.ending != SearchResult::Ending::Solved) {
    result.cause = found.cause;
    return result;
  }
  result = search(plan, shooter, found.unknowns.head(start.size()));
  result.iterations += found.iterations;
  return result;
}

}  // namespace stickslip::planning
