// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a stepper took for the law of contact forces, as far as the model leaves it to the method.
#pragma once

namespace stickslip::contact {

struct ForceLaw {
  int directions = 0;  // of a friction pyramid, in space; 0: the exact cone
  double angle = 0;    // of its first direction, from the contact's first tangent
  // Forces that follow from how far surfaces give way, where the model gives them a stiffness.
  bool soft_normal = false, soft_tangential = false;
};

}  // namespace stickslip::contact
