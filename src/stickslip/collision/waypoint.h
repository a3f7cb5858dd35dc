// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Where a body is at an instant within a step at which its velocity jumps: a bend of its path (sweep.h).
#pragma once

#include "stickslip/model/state.h"

namespace stickslip::collision {

struct Waypoint {
  int body = 0;
  double time = 0;
  model::BodyState state;  // with the velocity of its arrival
};

}  // namespace stickslip::collision
