// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The instants at which forces that read the state go on by another formula (if, sign, abs, floor ...): there a smooth
// sub-step ends, since over a jump of a force the rule of the midpoint is of first order only.
//
//     choices(state)    what a force's value rests on (model/described_force.h)
//     in a trial        those of its start and its end differ, or its middle, or the parabola through the three of a
//                       number that decides one, tell of another formula in between
//     instant           the shortest sub-step at whose end they differ: root of the number that decides the first choice
//                       that differs, in a bracket whose lower end has the choices of the start
//
// The sub-step ends on the far side, by rounding, so that the next one starts with the choices that hold on. Where it starts
// on the edge itself, the choices that count are those of an instant later, and histories end. Where the far side leads back at once (sliding
// mode: the force on each side pushes to the other) there is no such instant: the trial is left as it is, with the force
// of its middle, and counts as a fall-back.
//
// Symbol   variable      meaning
//   f      f_low, f_high the number that decides, less the threshold that it crosses
//
// Root: Chandrupatla 1997 (Adv. Eng. Software 28), bisection where the number tells nothing. Cost: nothing where no force
// has choices; three evaluations of them per trial where one has; four to eight trials per instant.
#pragma once

#include "stickslip/model/described_force.h"
#include "stickslip/stepping/component_step.h"

namespace stickslip::stepping {

class ForceJumps {
 public:
  void prepare(const World& world);  // once per run
  // Whether a force on the component makes choices.
  [[nodiscard]] bool watches(const Component& component) const;

  enum class Found { None, Instant, Sliding };
  // Within step.trial, which is certified and begins at the component's start. Instant: step.trial is now the sub-step that
  // ends there. Otherwise it is the trial that it was. One that is no longer certified says so.
  Found find(World& world, Component& component, ComponentStep& step);

 private:
  using Choices = std::vector<model::Choice>;
  void read(const World& world, const Component& component, const model::State& state, Choices& choices) const;
  bool run(World& world, const Component& component, double h, ComponentStep& step);
  Found look_inside(World& world, const Component& component, double h, ComponentStep& step);
  void search(World& world, const Component& component, double low, double high, ComponentStep& step);

  std::vector<char> by_body_;  // a force on it makes choices
  bool any_ = false;
  model::State start_state_;
  Choices start_, middle_, end_, low_, high_;
};

}  // namespace stickslip::stepping
