// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/rest.h"

namespace stickslip::stepping {

template <int D>
void Rest::add_magnitude(const double* r, const contact::BodyDynamics& dynamics, const Vec3* turn,
                         Magnitude& magnitude) {
  if (!dynamics.movable) return;
  double sum = 0, lever = 0, angular = magnitude.angular;
  for (int k = 0; k < D; ++k) {
    const double p = std::fabs(r[k]), arm = turn[k].lpNorm<1>();
    sum += p;
    lever = std::max(lever, arm);
    angular += p * arm;
  }
  magnitude.angular = angular;
  magnitude.lever += sum * lever;
  magnitude.linear += sum * dynamics.inverse_mass.maxCoeff();
}

// Is every component below its bound? Prescribed ones have to be zero.
bool Rest::stands(const contact::BodyDynamics& dynamics, double linear, double angular, const model::Twist& v) {
  for (int k = 0; k < 3; ++k) {
    if (std::fabs(v.linear[k]) > (dynamics.inverse_mass[k] > 0 ? linear : 0)) return false;
    if (std::fabs(v.angular[k]) > (dynamics.inverse_inertia(k, k) > 0 ? angular : 0)) return false;
  }
  return true;
}

// velocity(i): of body i.
template <class Velocity>
void Rest::push(const contact::ContactSystem& system, const contact::Island& island,
                std::span<const contact::BodyDynamics> dynamics, const Velocity& velocity) {
  if (system.dimension() == 2)
    push<2>(system, island, dynamics, velocity);
  else
    push<3>(system, island, dynamics, velocity);
}

template <int D, class Velocity>
void Rest::push(const contact::ContactSystem& system, const contact::Island& island,
                std::span<const contact::BodyDynamics> dynamics, const Velocity& velocity) {
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const double* r = island.r.data() + i * D;
    if (r[0] == 0) continue;
    const contact::ContactRows& rows = system.rows()[static_cast<std::size_t>(island.contacts[i])];
    const auto a = static_cast<std::size_t>(rows.a), b = static_cast<std::size_t>(rows.b);
    contact::apply_impulse<D>(rows, r, dynamics[a], dynamics[b], velocity(a), velocity(b));
    add_magnitude<D>(r, dynamics[a], rows.turn_a, magnitude_[a]);
    add_magnitude<D>(r, dynamics[b], rows.turn_b, magnitude_[b]);
    magnitude_[a].error = magnitude_[b].error = island.summary.residual.error;
  }
}

void Rest::settle(std::size_t body, const contact::BodyDynamics& dynamics, const model::Twist& free,
                  model::Twist& v) const {
  const Magnitude& magnitude = magnitude_[body];
  if (magnitude.linear == 0) return;
  const double linear = magnitude.linear + free.linear.lpNorm<1>();
  const double angular = magnitude.angular + free.angular.lpNorm<1>();
  remove_noise(kVelocityNoise * linear, v.linear);
  remove_noise(kVelocityNoise * angular, v.angular);
  const double error = magnitude.error;
  if (error > kVelocityNoise && stands(dynamics, error * linear, error * angular, v)) v = {};
}

void Rest::apply_impulses(const contact::ContactSystem& system, std::span<const contact::BodyDynamics> dynamics,
                          std::span<const model::Twist> free, model::State& state) {
  magnitude_.assign(dynamics.size(), {});
  const auto velocity = [&](std::size_t i) -> model::Twist& { return state.bodies[i].velocity; };
  for (const contact::Island& island : system.islands()) push(system, island, dynamics, velocity);
  for (std::size_t i = 0; i < magnitude_.size(); ++i) settle(i, dynamics[i], free[i], state.bodies[i].velocity);
}

void Rest::apply_impulses(const contact::ContactSystem& system, std::span<const contact::BodyDynamics> dynamics,
                          std::span<const model::Twist> free, std::span<const int> bodies, model::State& state) {
  magnitude_.resize(dynamics.size());
  for (int b : bodies) magnitude_[static_cast<std::size_t>(b)] = {};
  const auto velocity = [&](std::size_t i) -> model::Twist& { return state.bodies[i].velocity; };
  for (const contact::Island& island : system.islands()) push(system, island, dynamics, velocity);
  for (int b : bodies) {
    const auto i = static_cast<std::size_t>(b);
    settle(i, dynamics[i], free[i], state.bodies[i].velocity);
  }
}

// All bodies of an island, by the magnitudes that push() has summed up. One on which no contact pushes flies.
template <class Velocity>
bool Rest::stands(const contact::Island& island, std::span<const contact::BodyDynamics> dynamics,
                  std::span<const model::Twist> free, const Bound& bound, const Velocity& velocity) const {
  for (const auto& [body_a, body_b] : island.bodies)
    for (const int body : {body_a, body_b}) {
      if (body < 0) continue;
      const auto i = static_cast<std::size_t>(body);
      const Magnitude& magnitude = magnitude_[i];
      if (magnitude.linear == 0) return false;
      const double linear = magnitude.linear + free[i].linear.lpNorm<1>();
      const double angular = magnitude.lever + free[i].angular.lpNorm<1>();
      const double share = bound.share + bound.speed / linear;
      if (!stands(dynamics[i], share * linear, share * angular, velocity(i))) return false;
    }
  return true;
}

void Rest::settle_island(const contact::Island& island, std::span<const contact::BodyDynamics> dynamics,
                         std::span<const model::Twist> free, const Bound& bound, model::State& state) const {
  const auto velocity = [&](std::size_t i) -> model::Twist& { return state.bodies[i].velocity; };
  if (!stands(island, dynamics, free, bound, velocity)) return;
  for (const auto& [body_a, body_b] : island.bodies)
    for (const int body : {body_a, body_b})
      if (body >= 0) velocity(static_cast<std::size_t>(body)) = {};
}

bool Rest::stays(const contact::ContactSystem& system, const contact::Island& island,
                 std::span<const contact::BodyDynamics> dynamics, std::span<const model::Twist> free,
                 const Bound& bound) {
  magnitude_.resize(dynamics.size());
  trial_.resize(dynamics.size());
  for (const auto& [body_a, body_b] : island.bodies)
    for (const int body : {body_a, body_b}) {
      if (body < 0) continue;
      const auto i = static_cast<std::size_t>(body);
      magnitude_[i] = {};
      trial_[i] = free[i];
    }
  const auto velocity = [&](std::size_t i) -> model::Twist& { return trial_[i]; };
  push(system, island, dynamics, velocity);
  return stands(island, dynamics, free, bound, velocity);
}

double parting_limit(const collision::Contact& contact, const model::State& state, const model::Twist& va,
                     const model::Twist& vb, double gravity, double h) {
  const Vec3 arm_a = contact.point_a - state.bodies[static_cast<std::size_t>(contact.id.body_a)].pose.position;
  const Vec3 arm_b = contact.point_b - state.bodies[static_cast<std::size_t>(contact.id.body_b)].pose.position;
  const double arm = arm_of(contact, state);
  const double u = (va.linear + va.angular.cross(arm_a) - vb.linear - vb.angular.cross(arm_b)).norm() +
                   va.angular.norm() * arm_a.norm() + vb.angular.norm() * arm_b.norm();
  const double curved = arm > 0 ? u * u / arm : 0;
  return kPartingShare * u + 2 * h * (curved + gravity) + kPartingRate * arm;
}

}  // namespace stickslip::stepping
