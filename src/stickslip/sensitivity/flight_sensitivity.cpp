// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/flight_sensitivity.h"

#include "stickslip/collision/registry.h"
#include "stickslip/complementarity/cone/one_contact.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/sensitivity/tangent.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/stepper_traits.h"

#include <algorithm>
#include <cmath>

namespace stickslip::sensitivity {
namespace {

using contact::ContactRows;
using Eigen::Index;
using Eigen::MatrixXd;
using stepping::index;

constexpr double kMove = 1e-6;   // of differences, relative to lengths and speeds
constexpr double kAgree = 1e-8;  // states of the step and of these formulas, likewise
constexpr double kMet = 1e-13;   // of a gap, relative to the distance of the step
constexpr int kMostMeetings = 8, kSearch = 60;

// Rows of a contact between bodies in the given state, with how they answer impulses.
template <int D>
struct Meeter {
  ContactRows rows;
  contact::BodyDynamics a, b;
  model::Twist &va, &vb;

  Meeter(const model::Model& model, std::span<const contact::BodyTraits> traits, const collision::Contact& contact,
         model::State& state)
      : va(state.bodies[index(contact.id.body_a)].velocity), vb(state.bodies[index(contact.id.body_b)].velocity) {
    contact::set_rows<D>(contact, state, rows);
    for (const auto& [body, dynamics] : {std::pair(index(rows.a), &a), std::pair(index(rows.b), &b)})
      contact::evaluate_inertia(model.bodies[body], traits[body], state.bodies[body].pose.orientation, 0, *dynamics);
    contact::set_turns<D>(a, b, rows);
  }

  // False when the bodies do not approach each other.
  bool collide(double mu, double restitution) {
    double W[D * D], u[D], p[D] = {}, slip_rate = 0;
    for (int k = 0; k < D; ++k) {
      u[k] = contact::relative_velocity(rows, k, va, vb);
      double unit[D] = {};
      unit[k] = 1;
      model::Twist da, db;
      contact::apply_impulse<D>(rows, unit, a, b, da, db);
      for (int i = 0; i < D; ++i) W[i * D + k] = contact::relative_velocity(rows, i, da, db);
    }
    if (!(u[0] < 0)) return false;
    u[0] *= 1 + restitution;
    static_cast<void>(complementarity::solve_frictional_contact<D>(W, u, mu, p, slip_rate));
    contact::apply_impulse<D>(rows, p, a, b, va, vb);
    return true;
  }
};

}  // namespace

FlightSensitivity::FlightSensitivity(const model::Model& model, const stepping::Method& method,
                                     std::span<const Direction> directions)
    : directions_(directions.begin(), directions.end()), traits_(contact::body_traits(model)) {
  here_ = {&model, collision::make_collider(method.collider)};
  for (const Direction& direction : directions_) {
    const bool varies = direction.low != nullptr;
    low_.push_back({varies ? direction.low : &model, collision::make_collider(method.collider)});
    high_.push_back({varies ? direction.high : &model, collision::make_collider(method.collider)});
  }
}

bool FlightSensitivity::covers(const model::Model& model, const stepping::Method& method) {
  if (stepping::traits_of(method.stepper).derivatives != stepping::StepDerivatives::SubSteps ||
      method.motion != stepping::MotionModel::Dynamic || contact::has_supports(model))
    return false;
  if (method.friction != stepping::FrictionLaw::Cone && model.dimension == 3) return false;
  const std::vector<contact::BodyTraits> traits = contact::body_traits(model);
  for (std::size_t i = 0; i < traits.size(); ++i) {
    if (!traits[i].movable) continue;
    const model::Body& body = model.bodies[i];
    if (!traits[i].isotropic || traits[i].driven || traits[i].pushed) return false;
    if (body.linear_damping != 0 || body.angular_damping != 0) return false;
  }
  return true;
}

bool FlightSensitivity::advance(const model::State& before, double h, const stepping::World& world,
                                Eigen::MatrixXd& tangents) {
  now_ = before;
  changed_ = tangents;
  h_ = h;
  double rest = h;
  for (int meetings = 0;; ++meetings) {
    const Meeting meeting = first_meeting(world.contacts, now_, rest);
    if (meeting.contact < 0) break;
    if (meetings == kMostMeetings) return false;
    fly(meeting.tau, now_, changed_);
    fly(meeting.tau, now_);
    rest -= meeting.tau;
    if (!meet(world.contacts[index(meeting.contact)], now_, changed_)) return false;
  }
  fly(rest, now_, changed_);
  fly(rest, now_);
  if (!agree(now_, world.state, h)) return false;
  tangents = changed_;
  return true;
}

void FlightSensitivity::fly(double t, model::State& state) const {
  const Vec3& g = here_.model->gravity;
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    if (!traits_[i].movable) continue;
    model::BodyState& body = state.bodies[i];
    for (int k = 0; k < 3; ++k) {
      if (!traits_[i].free_translation[index(k)]) continue;
      body.pose.position[k] += t * body.velocity.linear[k] + 0.5 * t * t * g[k];
      body.velocity.linear[k] += t * g[k];
    }
    if (traits_[i].free_rotation) stepping::turn(body, body.velocity.angular, t, here_.model->bodies[i].planar());
  }
  state.time += t;
  model::apply_drives(*here_.model, state.time, state);
}

// `start`: the state before the flight.
void FlightSensitivity::fly(double t, const model::State& start, Eigen::MatrixXd& tangents) const {
  for (Index k = 0; k < tangents.cols(); ++k) {
    const Direction& direction = directions_[static_cast<std::size_t>(k)];
    const bool varies = direction.low != nullptr;
    const Vec3 dg = varies
                        ? Vec3((direction.high->gravity - direction.low->gravity) / (direction.below + direction.above))
                        : Vec3::Zero();
    for (std::size_t i = 0; i < traits_.size(); ++i) {
      auto d = tangents.col(k).segment<kBodyTangent>(static_cast<Index>(i) * kBodyTangent);
      if (traits_[i].driven) {
        d.setZero();
        if (!varies) continue;
        model::BodyState low = start.bodies[i], high = low;
        model::apply_drive(direction.low->bodies[i].drive, start.time + t, low);
        model::apply_drive(direction.high->bodies[i].drive, start.time + t, high);
        d = difference(low, high) / (direction.below + direction.above);
        continue;
      }
      if (!traits_[i].movable) continue;
      for (int axis = 0; axis < 3; ++axis) {
        if (!traits_[i].free_translation[index(axis)]) continue;
        d[kPosition + axis] += t * d[kLinear + axis] + 0.5 * t * t * dg[axis];
        d[kLinear + axis] += t * dg[axis];
      }
      if (!traits_[i].free_rotation) continue;
      const Vec3 w = t * start.bodies[i].velocity.angular, dw = t * d.segment<3>(kAngular);
      if (here_.model->bodies[i].planar())
        d.segment<3>(kRotation) += dw;
      else
        d.segment<3>(kRotation) = rotation_of(w) * Vec3(d.segment<3>(kRotation)) + left_jacobian(w) * dw;
    }
  }
}

// The same motion, looked at a little later.
void FlightSensitivity::shift(const model::State& state, Index k, double time, Eigen::MatrixXd& tangents) const {
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    auto d = tangents.col(k).segment<kBodyTangent>(static_cast<Index>(i) * kBodyTangent);
    if (traits_[i].driven) {
      model::BodyState low = state.bodies[i], high = low;
      model::apply_drive(here_.model->bodies[i].drive, state.time - kMove * h_, low);
      model::apply_drive(here_.model->bodies[i].drive, state.time + kMove * h_, high);
      d += time / (2 * kMove * h_) * difference(low, high);
    }
    if (!traits_[i].movable) continue;
    const model::Twist& v = state.bodies[i].velocity;
    for (int axis = 0; axis < 3; ++axis) {
      if (!traits_[i].free_translation[index(axis)]) continue;
      d[kPosition + axis] += time * v.linear[axis];
      d[kLinear + axis] += time * here_.model->gravity[axis];
    }
    if (traits_[i].free_rotation) d.segment<3>(kRotation) += time * v.angular;
  }
}

double FlightSensitivity::gap_of(const Side& side, const collision::Contact& contact, const model::State& state) {
  one_.assign(1, contact);
  side.collider->refresh(*side.model, state, one_);
  return one_[0].gap;
}

// Of the geometry that gap_of() left.
double FlightSensitivity::approach_of(const collision::Contact& contact, const model::State& state) const {
  ContactRows rows;
  contact::set_rows<3>(contact, state, rows);
  return contact::relative_velocity(rows, 0, state.bodies[index(rows.a)].velocity,
                                    state.bodies[index(rows.b)].velocity);
}

// Among contacts that would be closed at the end, the first to close. Newton's method in a bracket.
FlightSensitivity::Meeting FlightSensitivity::first_meeting(const std::vector<collision::Contact>& contacts,
                                                            const model::State& start, double rest) {
  Meeting first;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    trial_ = start;
    fly(rest, trial_);
    const double distance =
        std::fabs(approach_of(contacts[c], start)) * rest + std::fabs(gap_of(here_, contacts[c], start));
    double gap = gap_of(here_, contacts[c], trial_), low = 0, high = rest, tau = rest;
    if (!(gap < -kMet * distance)) continue;
    for (int i = 0; i < kSearch && std::fabs(gap) > kMet * distance && high - low > 1e-16 * rest; ++i) {
      (gap > 0 ? low : high) = tau;
      const double speed = approach_of(one_[0], trial_);
      tau = speed < 0 ? tau - gap / speed : 0.5 * (low + high);
      if (!(tau > low && tau < high)) tau = 0.5 * (low + high);
      trial_ = start;
      fly(tau, trial_);
      gap = gap_of(here_, contacts[c], trial_);
    }
    if (first.contact < 0 || tau < first.tau) first = {static_cast<int>(c), tau};
  }
  return first;
}

// Velocities after the impact of one contact. False when it is none.
bool FlightSensitivity::impact(const Side& side, const collision::Contact& contact, model::State& state) {
  static_cast<void>(gap_of(side, contact, state));
  const model::Surface& law = side.model->surfaces[index(contact.surface)];
  return side.model->dimension == 2
             ? Meeter<2>(*side.model, traits_, one_[0], state).collide(law.friction_kinetic, law.restitution)
             : Meeter<3>(*side.model, traits_, one_[0], state).collide(law.friction_kinetic, law.restitution);
}

FlightSensitivity::Arrival FlightSensitivity::arrive(const collision::Contact& contact, const model::State& state) {
  static_cast<void>(gap_of(here_, contact, state));
  const auto a = index(contact.id.body_a), b = index(contact.id.body_b);
  return {&contact,
          {a, b},
          approach_of(one_[0], state),
          (one_[0].point_a - state.bodies[a].pose.position).norm() +
              (one_[0].point_b - state.bodies[b].pose.position).norm()};
}

// Where the model changes with the unknown, as far as its two models are apart; else so far that lengths and speeds of
// the two bodies change by kMove.
FlightSensitivity::Sides FlightSensitivity::sides_of(Index k, const Arrival& arrival, const MatrixXd& tangents) const {
  const auto i = static_cast<std::size_t>(k);
  const Direction& direction = directions_[i];
  if (direction.enters_model()) return {low_[i], high_[i], direction.below, direction.above};
  const double length = arrival.length, speed = std::fabs(arrival.approach);
  double largest = 0;
  for (const std::size_t body : arrival.bodies) {
    const auto d = tangents.col(k).segment<kBodyTangent>(static_cast<Index>(body) * kBodyTangent);
    largest = std::max({largest, d.segment<3>(kPosition).norm() / length, d.segment<3>(kRotation).norm(),
                        d.segment<3>(kLinear).norm() / speed, length * d.segment<3>(kAngular).norm() / speed});
  }
  const double amount = largest > 0 ? kMove / largest : 0.0;
  return {here_, here_, amount, amount};
}

// d tau = -d psi / psi'
double FlightSensitivity::change_of_instant(const Arrival& arrival, const model::State& state, Index k,
                                            const MatrixXd& tangents) {
  const Sides sides = sides_of(k, arrival, tangents);
  if (!(sides.width() > 0)) return 0;
  move_along(state, tangents.col(k), -sides.below, moved_);
  const double low = gap_of(sides.low, *arrival.contact, moved_);
  move_along(state, tangents.col(k), sides.above, moved_);
  const double high = gap_of(sides.high, *arrival.contact, moved_);
  return -((high - low) / sides.width()) / arrival.approach;
}

// dv+ = I_q dq- + I_v dv- + I_u du. False: there is no impact a little to one side.
bool FlightSensitivity::change_by_impact(const Arrival& arrival, const model::State& state, Index k,
                                         MatrixXd& tangents) {
  const Sides sides = sides_of(k, arrival, tangents);
  if (!(sides.width() > 0)) return true;
  model::State low, high;
  move_along(state, tangents.col(k), -sides.below, low);
  move_along(state, tangents.col(k), sides.above, high);
  if (!impact(sides.low, *arrival.contact, low) || !impact(sides.high, *arrival.contact, high)) return false;
  for (const std::size_t body : arrival.bodies) {
    if (!traits_[body].movable) continue;
    auto d = tangents.col(k).segment<kBodyTangent>(static_cast<Index>(body) * kBodyTangent);
    const model::Twist &at_low = low.bodies[body].velocity, &at_high = high.bodies[body].velocity;
    d.segment<3>(kLinear) = (at_high.linear - at_low.linear) / sides.width();
    d.segment<3>(kAngular) = (at_high.angular - at_low.angular) / sides.width();
  }
  return true;
}

// Through an impact: the state has arrived at it, and is left with the velocities after.
bool FlightSensitivity::meet(const collision::Contact& contact, model::State& state, MatrixXd& tangents) {
  const Arrival arrival = arrive(contact, state);
  if (!(arrival.approach < 0)) return false;
  model::State after = state;
  if (!impact(here_, contact, after)) return false;
  for (Index k = 0; k < tangents.cols(); ++k) {
    const double d_tau = change_of_instant(arrival, state, k, tangents);
    shift(state, k, d_tau, tangents);
    if (!change_by_impact(arrival, state, k, tangents)) return false;
    shift(after, k, -d_tau, tangents);
  }
  state = after;
  return true;
}

bool FlightSensitivity::agree(const model::State& here, const model::State& there, double h) {
  balance_error_ = 0;
  for (std::size_t i = 0; i < traits_.size(); ++i) {
    if (!traits_[i].movable) continue;
    const model::BodyState &x = here.bodies[i], &y = there.bodies[i];
    const double speed = y.velocity.linear.norm() + h * here_.model->gravity.norm();
    const double spin = y.velocity.angular.norm() + 1e-3 / h;
    const auto look = [&](const Vec3& difference, double size) {
      if (size > 0) balance_error_ = std::max(balance_error_, difference.norm() / size);
    };
    look(x.velocity.linear - y.velocity.linear, speed);
    look(x.pose.position - y.pose.position, h * speed);
    look(x.velocity.angular - y.velocity.angular, spin);
  }
  return balance_error_ <= kAgree;
}

}  // namespace stickslip::sensitivity
