// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A component on its way through a second-order step: the steps that it can take, the trial that was taken last, and
// what it means to accept one. Accepting makes the end of the trial the start of the next sub-step: state, contact
// velocities, forces and their reserves (events.h), modes.
//
// A smooth step keeps the energy of what only gravity and resting contacts act on up to its error of third order. Much
// more means that geometry changed faster than the step can follow (a contact that runs over the flat side of a
// rounded body, a body that turns by a radian): gains_energy(). Where a pressed contact moves far over its bodies
// within the sub-step, the rows of the middle say little about its ends (a coin that has nearly settled turns its
// lowest point around the rim at once): outruns_step().
#pragma once

#include "stickslip/stepping/component_impact.h"
#include "stickslip/stepping/events.h"
#include "stickslip/stepping/first_order_part.h"
#include "stickslip/stepping/smooth_step.h"
#include "stickslip/stepping/stepper.h"

namespace stickslip::stepping {

class ComponentStep {
 public:
  // coupled: forces may read every body.
  void begin(const World& world, double H, double end_time, bool coupled);

  // Trials from the component's start, into trial.
  void run(World& world, const Component& component, double h) {
    run_smooth_step(world, component, h, data, position_, trial);
  }
  void run_first_order(World& world, Component& component, double h) {
    first_order_.run(world, component, h, data, position_, trial);
  }
  [[nodiscard]] bool gains_energy(const World& world, const Component& component) const;
  [[nodiscard]] bool outruns_step(const World& world, const Component& component) const;

  // The trial's end becomes the component's start.
  void accept(World& world, Component& component, bool smooth, bool keep_modes);
  // The sub-step that ends at an event, unless it gains energy: then first order takes over, as from an unsolved
  // problem.
  bool accept_event(World& world, Component& component);
  void change_mode(const World& world, ContactStart& contact, contact::Mode mode);

  // All components are to begin the step again.
  void start_again();

  TrialData data;
  ComponentImpact impact;
  Trial trial, best;          // best: kept by searches
  std::vector<Event> events;  // in the order in which they were found
  int sub_steps = 0, fallbacks = 0;

 private:
  void settle_modes(const World& world, Component& component, bool& changed);

  PositionUpdate position_;
  FirstOrderPart first_order_;
  bool coupled_ = false;
};

// After an event what was known of the sub-step before predicts nothing.
void drop_histories(Component& component);

}  // namespace stickslip::stepping
