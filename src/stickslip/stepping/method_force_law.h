// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a method makes of the law of contact forces.
#pragma once

#include "stickslip/contact/force_law.h"
#include "stickslip/stepping/method.h"
#include "stickslip/stepping/stepper_traits.h"

namespace stickslip::stepping {

[[nodiscard]] inline contact::ForceLaw force_law(const Method& method) {
  contact::ForceLaw law;
  if (method.friction == FrictionLaw::Pyramid) {
    law.directions = method.directions;
    law.angle = method.pyramid_angle;
  }
  law.soft_tangential = traits_of(method.stepper).compliant;
  law.soft_normal = law.soft_tangential || method.compliance == SoftContacts::Normal;
  return law;
}

}  // namespace stickslip::stepping
