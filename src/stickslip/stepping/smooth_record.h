// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a smooth second-order sub-step (smooth_step.h) was made of: where it evaluated rows, masses and prescribed motion,
// and what closed the gaps at its end. Enough to differentiate it in closed form (sensitivity/smooth_tangent.h).
#pragma once

#include "stickslip/collision/contact.h"
#include "stickslip/contact/contact_rows.h"

#include <vector>

namespace stickslip::stepping {

// One prediction with its solve. Bodies: the movable ones of the component, then the driven ones.
struct SmoothPass {
  std::vector<model::BodyState> mid, end;  // end: as predicted, with the velocities that came out
  std::vector<contact::BodyDynamics> dynamics;
  std::vector<collision::Contact> contacts_mid, contacts_end;  // of the closed contacts
  std::vector<contact::ContactRows> rows_mid, rows_end;
};

struct SmoothRecord {
  double h = 0;
  bool certified = false;
  bool two_passes = false;
  SmoothPass first, last;  // first: of two passes
  std::vector<int> closed;
  std::vector<model::Twist> jerk;  // of the movable bodies
  // The projection: what each row was moved by, and whether that was undone because a gap grew.
  std::vector<double> closing;
  std::vector<int> closing_row;  // D times the place in closed, and the row
  bool undone = false;
};

}  // namespace stickslip::stepping
