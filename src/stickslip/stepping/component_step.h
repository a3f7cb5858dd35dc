// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A component on its way through a second-order step: the steps that it can take, the trial that was taken last, and
// what it means to accept one. Accepting makes the end of the trial the start of the next sub-step: state, contact
// velocities, forces and their reserves (events.h), modes.
//
// A smooth step keeps the energy of what only gravity and resting contacts act on up to its error of third order:
// energy_gain(). Where that can be seen, a shorter step follows the geometry better; much more means that geometry
// changed faster than the step can follow at all (a contact that runs over the flat side of a rounded body, a body that
// turns by a radian). Where a pressed contact moves far over its bodies within the sub-step, the rows of the middle say
// little about its ends (a coin that has nearly settled turns its lowest point around the rim at once): outruns_step().
//
// Cost of a trial: smooth_step.h, first_order_part.h; accepting one is linear in bodies and contacts.
#pragma once

#include "stickslip/stepping/component_impact.h"
#include "stickslip/stepping/events.h"
#include "stickslip/stepping/first_order_part.h"
#include "stickslip/stepping/smooth_step.h"
#include "stickslip/stepping/stepper.h"
#include "stickslip/stepping/sub_step_tape.h"

namespace stickslip::stepping {

// What a trial gained that neither gravity nor a force gave it; nothing where drives or forces act.
struct EnergyGain {
  double gained = 0, kinetic = 0, falling = 0;  // falling: sum of m g^2 h^2, the scale of bodies at rest

  // The trial says nothing about the motion.
  [[nodiscard]] bool is_wrong() const { return gained > 1e-3 * kinetic; }
  // More than `part` of the energy in play.
  [[nodiscard]] bool exceeds(double part) const { return gained > part * (kinetic + falling); }
  [[nodiscard]] double relative() const { return gained / (kinetic + falling); }
};

// What changes where a sub-step ends.
enum class SubStepChange : char {
  None,        // nothing was located: modes are what came out, and histories go on unless one changed
  Breakpoint,  // a drive changes its form: histories end
  Event,       // modes are the caller's, and histories end
  Together,  // modes are what came out: what changed within the sub-step is taken to change at its end, histories go on
};

class ComponentStep {
 public:
  void begin(const World& world, double H, double end_time);

  // Trials from the component's start, into trial.
  void run(World& world, const Component& component, double h) {
    data.record = tape != nullptr ? &next.smooth : nullptr;
    run_smooth_step(world, component, h, data, position_, trial);
  }
  void run_first_order(World& world, Component& component, double h) {
    first_order_.run(world, component, h, data, position_, trial);
  }
  // Whether energy can only fall: nothing acts but gravity and contacts with bodies at rest.
  [[nodiscard]] static bool judges_energy(const Component& component) {
    return !component.pushed && component.driven.empty() && !component.contacts.empty();
  }
  [[nodiscard]] EnergyGain energy_gain(const World& world, const Component& component) const;
  [[nodiscard]] bool outruns_step(const World& world, const Component& component) const;

  // The trial's end becomes the component's start.
  void accept(World& world, Component& component, SubStepChange change);
  // The sub-step that ends at an event, unless it gains more energy than allowed_gain: `gains` says so, and a shorter
  // one is to be taken first. One that says nothing about the motion counts as an unsolved problem: first order takes
  // over.
  bool accept_event(World& world, Component& component);
  void change_mode(const World& world, ContactStart& contact, contact::Mode mode);
  // Events taken together: contacts that are open by less than resting_gap, and hardly move, are closed before a trial.
  void close_what_rests(const World& world, Component& component);

  // All components are to begin the step again.
  void start_again();

  TrialData data;
  ComponentImpact impact;
  Trial trial, best;          // best: kept by searches
  std::vector<Event> events;  // in the order in which they were found
  int sub_steps = 0, fallbacks = 0;
  double resting_gap = 0;   // 0: events are located one by one
  double allowed_gain = 0;  // of a sub-step that ends at an event
  bool gains = false;       // the last one was refused for its gain of energy

  SubStepTape* tape = nullptr;  // where accepted sub-steps are noted; null: nowhere
  SubStep next;                 // how the one to be accepted next ends
  void note_impact(const World& world, const Component& component, std::span<const double> restitution);
  void note_after_impact(const World& world, const Component& component);

 private:
  void note(const World& world, const Component& component);
  [[nodiscard]] bool stays_closed(double gap, double velocity) const;
  void settle_modes(const World& world, Component& component, bool& changed);

  PositionUpdate position_;
  FirstOrderPart first_order_;
};

// After an event what was known of the sub-step before predicts nothing.
void drop_histories(Component& component);

}  // namespace stickslip::stepping
