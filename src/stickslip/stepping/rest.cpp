// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/rest.h"

namespace stickslip::stepping {
void Rest::apply_impulses(const contact::ContactSystem& system, std::span<const contact::BodyDynamics> dynamics,
                          std::span<const model::Twist> free, model::State& state) {
  magnitude_.assign(dynamics.size(), {});
  const auto D = static_cast<std::size_t>(system.dimension());
  for (const contact::Island& island : system.islands())
    for (std::size_t i = 0; i < island.contacts.size(); ++i) {
      const double* r = island.r.data() + i * D;
      if (r[0] == 0) continue;
      const contact::ContactRows& rows = system.rows()[static_cast<std::size_t>(island.contacts[i])];
      const auto a = static_cast<std::size_t>(rows.a), b = static_cast<std::size_t>(rows.b);
      model::Twist &va = state.bodies[a].velocity, &vb = state.bodies[b].velocity;
      if (D == 2)
        contact::apply_impulse<2>(rows, r, dynamics[a], dynamics[b], va, vb);
      else
        contact::apply_impulse<3>(rows, r, dynamics[a], dynamics[b], va, vb);
      for (std::size_t k = 0; k < D; ++k) {
        const double p = std::fabs(r[k]);
        magnitude_[a].linear += p * dynamics[a].inverse_mass.maxCoeff();
        magnitude_[b].linear += p * dynamics[b].inverse_mass.maxCoeff();
        if (dynamics[a].movable) magnitude_[a].angular += p * rows.turn_a[k].lpNorm<1>();
        if (dynamics[b].movable) magnitude_[b].angular += p * rows.turn_b[k].lpNorm<1>();
      }
    }
  for (std::size_t i = 0; i < magnitude_.size(); ++i) {
    if (!dynamics[i].movable || magnitude_[i].linear == 0) continue;
    model::Twist& v = state.bodies[i].velocity;
    remove_noise(kNoise * (magnitude_[i].linear + free[i].linear.lpNorm<1>()), v.linear);
    remove_noise(kNoise * (magnitude_[i].angular + free[i].angular.lpNorm<1>()), v.angular);
  }
}

}  // namespace stickslip::stepping
