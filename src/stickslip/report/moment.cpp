// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/moment.h"

#include "stickslip/contact/body_energy.h"

namespace stickslip::report {

Energy energy_of(const model::Model& model, const model::State& state) {
  Energy energy;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    energy.kinetic += contact::kinetic_energy(model.bodies[b], state.bodies[b]);
    energy.potential += contact::potential_energy(model.bodies[b], model.gravity, state.bodies[b]);
  }
  return energy;
}

bool on_second_body(const model::Model& model, const contact::ContactResult& contact) {
  const auto free = [&](int body) { return model.bodies[static_cast<std::size_t>(body)].mass > 0; };
  return !free(contact.contact.id.body_a) && free(contact.contact.id.body_b);
}

}  // namespace stickslip::report
