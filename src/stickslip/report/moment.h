// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What people are shown of one moment of a run.
#pragma once

#include "stickslip/contact/contact_result.h"
#include "stickslip/model/model.h"
#include "stickslip/model/state.h"

namespace stickslip::report {

// Of all bodies that move freely; potential energy of gravity relative to the origin.
struct Energy {
  double kinetic = 0, potential = 0;
};
[[nodiscard]] Energy energy_of(const model::Model& model, const model::State& state);

// Forces and normals are shown on the body that is free to move, on the first one where both are: whether a contact's are
// to be turned around for that.
[[nodiscard]] bool on_second_body(const model::Model& model, const contact::ContactResult& contact);

}  // namespace stickslip::report
