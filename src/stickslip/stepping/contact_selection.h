// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which contacts take part in an implicit Euler step (euler_step.h), which are left out, and which of those that closed
// in it are impacts.
//
//     within reach    all that the collider lists for the length of the step
//     closed          up to rounding, or resting: open and moving by no more than forces and the turning of the bodies
//                     do within one step. (A body that slides on a corner lifts it by h^2 w^2 r / 2 in each step;
//                     taking that for flight would make it bounce along.)
//     watched         named by the caller: they take no part, since their impact is to be located (euler_stepper.h)
//
//     closed:     psi <= kTouching arm,   or   psi <= d  and  |psi'| h <= 2 d,    d = h^2 a / 2
//     an impact:  -psi' > 2 d / h         faster than forces and turning make a contact that rests
//
// Symbol   variable            meaning
//   psi    Contact::gap        psi': its rate
//   a      acceleration_of()   bound of the acceleration of a gap: of forces alone, and of the turning of both bodies
//   h      StepData::whole_step
//   d      drift_of()
//
// Cost: one query of the collider per step, and one per round in which points of rims are added.
#pragma once

#include "stickslip/stepping/step_data.h"

namespace stickslip::stepping {

class CompliantContacts;

class ContactSelection {
 public:
  // Contacts that take no part in the steps that follow, in canonical order.
  void watch(std::span<const collision::ContactId> ids) { watched_.assign(ids.begin(), ids.end()); }

  // step.contacts, memory and overlap, for the geometry and the free velocities of the step.
  void find(World& world, CompliantContacts& compliant, StepData& step);
  // Points of rims that would sink in at the velocities found: then the problems are posed again with them. Compliant
  // surfaces deform at the points that there are.
  bool add_rim_points(World& world, StepData& step);
  [[nodiscard]] bool has_rim_points() const { return rim_points_added_; }

  // Contacts that took no part.
  [[nodiscard]] std::vector<collision::Contact>& open_contacts() { return open_; }
  // Puts them back in their places among the others.
  void merge_open(StepData& step);

  // Velocity level: some contact has just closed, and its bodies approach (the solve took it as inelastic).
  [[nodiscard]] bool meets_contact() const { return meets_; }

  // Enters into `ids` the contacts at which the last solve stopped bodies that met within the step: rigid ones that
  // were open before, and give something back (with `inelastic_too`, also those that do not, unless they just settle).
  // True when there are new ones.
  [[nodiscard]] bool add_impacts(const World& world, const StepData& step, bool inelastic_too,
                                 std::vector<collision::ContactId>& ids) const;

  // How far forces and turning move a contact within a time, at most, beyond what its velocity says: half the
  // acceleration that this returns times the time squared.
  [[nodiscard]] double acceleration_of(const collision::Contact& contact, const model::State& state) const;

  // The rigid contacts that are closed in the state of the world, also between bodies that no step would bring
  // together. On entry `contacts` may hold some that are known to be close.
  void find_closed(World& world, const StepData& step, std::vector<collision::Contact>& contacts) const;

 private:
  [[nodiscard]] double overlap_left(const World& world, const StepData& step, const collision::Contact& contact) const;
  void choose_closed(StepData& step);
  template <class TakesPart>
  void keep_contacts(StepData& step, TakesPart takes_part);  // the others go to open_
  [[nodiscard]] double settling_speed(const StepData& step, const collision::Contact& contact,
                                      const model::State& state) const;
  [[nodiscard]] double drift_of(const StepData& step, const collision::Contact& contact,
                                const model::State& state) const;
  [[nodiscard]] bool closed(const StepData& step, const collision::Contact& contact, const model::State& state) const;

  std::vector<collision::ContactId> watched_;
  std::vector<collision::Contact> open_, more_;  // more_: points of rims, to be added
  std::vector<ContactMemory> open_memory_;
  double acceleration_ = 0;  // largest change of a velocity by forces alone, per time (dynamic motion)
  bool meets_ = false, rim_points_added_ = false;
};

}  // namespace stickslip::stepping
