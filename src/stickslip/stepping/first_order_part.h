// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a second-order step falls back to where events pile up: the Stewart-Trinkle step (stewart_trinkle.h), restricted
// to the bodies and contacts of a component. Its terms are those of every first-order step: velocities without contacts
// by motion_model.h, q, mu and the speed at which overlaps leave by step_terms.h, broken static friction by
// contact_memory.h. A component that is the whole world takes the step of Stewart and Trinkle up to rounding.
//
// Symbol   variable             meaning
//   psi    closed_contacts      every contact takes part, with its gap for prescribed bodies at the end of the part
//
// Surfaces that bend take their rows in the middle of the part, as in every first-order step (bending.h): a second solve
// where one of them would sink in.
//
// The result has the form of a trial. Cost: one contact solve.
#pragma once

#include "stickslip/stepping/bending.h"
#include "stickslip/stepping/position_update.h"
#include "stickslip/stepping/trial.h"

namespace stickslip::stepping {

class FirstOrderPart {
 public:
  // From the component's start over h. Sets the tangential velocities of its contacts to zero: friction opposes the
  // velocity at the end alone.
  void run(World& world, Component& component, double h, TrialData& data, PositionUpdate& position, Trial& trial);

 private:
  static void place(const World& world, const Component& component, double h, TrialData& data);
  void list_contacts(World& world, const Component& component, TrialData& data);
  void pose(const World& world, Component& component, double h, TrialData& data);
  bool move_to_middle(World& world, double h, TrialData& data);

  std::vector<ContactMemory> memory_;  // modes of the contacts
  Bending bending_;
  std::vector<model::Twist> velocity_;  // by body, as the rows of the start gave it
};

}  // namespace stickslip::stepping
