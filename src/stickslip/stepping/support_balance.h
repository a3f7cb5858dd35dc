// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Friction on supports in an implicit Euler step, by the balance of forces (force_balance.h).
//
// The points on which bodies stand do not enter the contact problem. For each group of bodies that touch (or stand on)
// each other the twists are found with friction of the supports as a function of them; supports then are known impulses
// like any other force,
//
//     v_free = v_bare + A^-1 T' w,
//
// and the contacts between bodies make the usual islands. Two certificates say whether that is the solution of the
// step: the islands' own, and the same natural map over all support points (contact_residual.h), both at the
// velocities that the impulses give. First in the modes of the last step, then with what rests held, then by a search;
// if none is certified, supports and contacts go into one problem (contact_equations.h).
//
// Symbol    variable                meaning
//   v_bare  StepData::bare          velocities without contacts and supports
//   w       ForceBalance::Point::p  impulses of the points
//   T                               moves of the points by the twists of their bodies
//
// Cost: one dense system of three unknowns per body and two per contact of the group, for each change of modes.
#pragma once

#include "stickslip/stepping/contact_equations.h"
#include "stickslip/stepping/force_balance.h"
#include "stickslip/stepping/problem_solver.h"

namespace stickslip::stepping {

class SupportBalance {
 public:
  // The parts of the step that pose and solve contacts.
  struct Parts {
    ContactEquations& equations;
    CompliantContacts& compliant;
  };

  // The exact cone, no solver asked for by name, no contacts divided into elements.
  [[nodiscard]] static bool applies(const World& world, const CompliantContacts& compliant);

  // The step with supports apart. False when it was not certified: report and step.reference are as before, and free
  // velocities have to be evaluated anew.
  bool settle(const Parts& parts, const World& world, int iteration, StepData& step, StepReport& report,
              StepFailure& failure);

 private:
  bool settle_group(const Parts& parts, const World& world, int group, int iteration, StepData& step,
                    StepReport& report);
  void group_bodies(const StepData& step);
  [[nodiscard]] int group_of(const StepData& step, const contact::Island& island) const;
  void collect(const World& world, const StepData& step, int group);
  void add_base(const World& world, const StepData& step, const Footing& footing);
  void add_link(const World& world, const StepData& step, const contact::Island& island, std::size_t i);
  int unknown_of(const World& world, const StepData& step, int body);
  void set_unknowns(const std::vector<model::Twist>& twists);
  double apply(const Parts& parts, const World& world, int group, int iteration, StepData& step);
  void push_by_supports(StepData& step);
  [[nodiscard]] double support_error(const StepData& step);

  ForceBalance balance_;
  ProblemSolver solver_;      // of the search
  std::vector<int> unknown_;  // place of each body in balance_, or -1
  std::vector<int> group_;    // of each body: the lowest of their numbers; -1: does not move
  std::vector<model::Twist> last_reference_;
};

}  // namespace stickslip::stepping
