// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which coefficient of friction bounds a contact: the static one while it sticks, the kinetic one while it slides.
#pragma once

#include "stickslip/contact/contact_result.h"
#include "stickslip/model/model.h"

namespace stickslip::contact {

[[nodiscard]] inline double friction_coefficient(const model::Surface& surface, Mode mode) {
  return mode == Mode::Slide ? surface.friction_kinetic : surface.friction_static;
}

}  // namespace stickslip::contact
