// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/moment.h"

namespace stickslip::report {

Energy energy_of(const model::Model& model, const model::State& state) {
  Energy energy;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const model::Body& body = model.bodies[b];
    const model::BodyState& s = state.bodies[b];
    const Vec3 w = s.pose.orientation.conjugate() * s.velocity.angular;
    energy.kinetic += 0.5 * body.mass * s.velocity.linear.squaredNorm() + 0.5 * w.dot(body.inertia * w);
    energy.potential -= body.mass * model.gravity.dot(s.pose.position);
  }
  return energy;
}

bool on_second_body(const model::Model& model, const contact::ContactResult& contact) {
  const auto free = [&](int body) { return model.bodies[static_cast<std::size_t>(body)].mass > 0; };
  return !free(contact.contact.id.body_a) && free(contact.contact.id.body_b);
}

}  // namespace stickslip::report
