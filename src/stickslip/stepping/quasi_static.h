// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Quasi-static motion in an implicit Euler step: the proximal steps of motion_model.h, when they are done, and what it
// means when they are not.
//
//     a M (v - v_ref) = h f + J' p,     v_ref <- v     until  |v - v_ref| <= kBalanced |v|
//
// Symbol   variable             meaning
//   a      BodyMotion::weight   a M V = kShare h F
//   V      driven_speed()       how fast bodies move without inertia: as what is prescribed; if nothing is, as dampers
//                               let forces move them
//   F      force                largest force on a body, friction of its supports included
//   v_ref  StepData::reference
//
// The motion model: Berard et al. 2007, section II. Proximal steps: Rockafellar 1976. Cost: one contact solve per proximal
// step.
#pragma once

#include "stickslip/stepping/step_data.h"

#include <string>

namespace stickslip::stepping {

struct DrivenSpeed {
  double speed = 0, force = 0, mass = 0;  // V, F, the largest mass
};
[[nodiscard]] DrivenSpeed driven_speed(const World& world, const StepData& step);

// a; 1 where there is no speed or force to compare with, and any weight will do.
[[nodiscard]] double proximal_weight(const World& world, const StepData& step);

// Whether the last proximal step changed nothing.
[[nodiscard]] bool is_balanced(const StepData& step);

// Over all islands.
[[nodiscard]] double largest_impulse(const StepData& step);

// The proximal steps went on for ever: in which of the two ways? first_impulse: the largest of the first one.
[[nodiscard]] std::string no_equilibrium(const World& world, const StepData& step, double first_impulse);

}  // namespace stickslip::stepping
