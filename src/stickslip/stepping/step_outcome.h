// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The outcome of a step once its contact problems are posed, written once for all steppers that pose them
// (stewart_trinkle.h, euler_step.h, second_order.h with its first-order part):
//
//     solve      each island; where static friction broke, again with the kinetic coefficient     contact_memory.h
//     share      redundant rigid contacts: the canonical share of their load, certified again      contact/canonical_share.h
//     report     solves, the worst certificate and the solver that gave it
//     remember   mode, force and slip of each contact                                              record_outcome()
//     fail       the problem that was not certified, with its contacts
//
// Symbol   variable             meaning
//   r      Island::r            impulses
//   q      problem.q            relative velocities without them
//
// Islands count contacts by their place in the list of the step; what they count beyond it is a support, which has one
// coefficient of friction and no memory here.
//
// Assumptions: islands are assembled and posed (step_terms.h). Cost: one contact solve per island, and one more each time
// that static friction breaks.
#pragma once

#include "stickslip/contact/canonical_share.h"
#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/island_pool.h"
#include "stickslip/stepping/stepper.h"

#include <span>
#include <string>

namespace stickslip::stepping {

// What a step poses. Memory may be empty: modes are then not a matter of static friction.
struct PosedStep {
  contact::ContactSystem& system;
  std::span<const contact::BodyDynamics> dynamics;
  std::span<const collision::Contact> contacts;
  std::span<ContactMemory> memory;
};

class StepSolver {
 public:
  // Solves all islands, in parallel when asked; each is then to be finished.
  void solve(const Method& method, std::span<contact::Island> islands) { pool_.solve(method, islands); }
  // One island, on the calling thread. True when certified.
  bool solve(const Method& method, contact::Island& island) { return pool_.solve(method, island); }

  // After the first solve of an island: static friction, share (where `shares`: rigid contacts, exact cones) and report.
  // False when it is not certified: the report counts the solves and says no more.
  bool finish(const World& world, const PosedStep& step, contact::Island& island, bool shares, StepReport& report);

 private:
  IslandPool pool_;
  contact::CanonicalShare share_;
};

// What the contacts of an island remember. end: bodies at the end of the step. keeps_forces: impulses that were taken as
// they came from the last step, between bodies at rest, leave the force they came from as it is. Rounding would change its
// bits for ever, and no step would be like the one before (resting_bodies.h).
void remember_contacts(const World& world, const contact::Island& island, std::span<const contact::ContactRows> rows,
                       std::span<const model::BodyState> end, double h, bool keeps_forces,
                       std::span<ContactMemory> memory);

// The problem of an island (null: none) as that of a failed step, with the certificate and the solver of the report.
void describe_failure(const World& world, const contact::Island* island, std::span<const collision::Contact> contacts,
                      const StepReport& report, std::string reason, StepFailure& failure);

// The same for an island that was not certified, and the report says so.
void fail_step(const World& world, const contact::Island& island, std::span<const collision::Contact> contacts,
               std::string reason, StepReport& report, StepFailure& failure);

}  // namespace stickslip::stepping
