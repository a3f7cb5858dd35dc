// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the second-order stepper did within a step: its accepted sub-steps and impacts, each with where it began and how
// its length was found. Enough to repeat it next to itself, which is how its derivative is made
// (sensitivity/sub_step_sensitivity.h).
//
//     how a sub-step ends        its length
//     Length                     a part of what was left up to `until`, or a length of its own (sub-steps that follow a
//                                turn of slip: each trial says how long the next one may be, SubStep::attempts)
//     Reserve                    where the line through reserves of force of two sub-steps is zero (events.h): the
//                                first of `trials` has the length that Length gives, each one after it ends where the
//                                line of the one before says
//     Touch                      where the gap of `contact` is zero
//     Stop                       where friction can just hold the contacts in `stopping`
//     Reversal                   where the slip of `contact` is zero
#pragma once

#include "stickslip/stepping/events.h"

#include <vector>

namespace stickslip::stepping {

struct SubStepLength {
  double fixed = 0;  // > 0: a length of its own: the longest that it may have,
  double share = 1;  // or this share of it
  double part = 1;   // of the time left
  double until = 0;  // absolute time: the end of the step, or a breakpoint of a drive
  bool at_breakpoint = false;
};

enum class SubStepEnd : char { Length, Reserve, Touch, Stop, Reversal };

// A trial that said how long the next one may be, by how far the slip of a contact turned in it.
struct SubStepAttempt {
  SubStepLength length;
  Trial trial;
  int turning = kNoContact;    // none: the most
  double least = 0, most = 0;  // of its length
  double shortest = 0;         // what counts of its length at least
};

struct SubStep {
  bool impact = false;  // velocities jump, no time passes
  model::State state;   // at its start
  Component component;  // likewise
  // Of a sub-step.
  SubStepEnd end = SubStepEnd::Length;
  SubStepLength length;
  int contact = -1;                      // that touches, reverses, lifts or slips
  bool lifts = false;                    // Reserve: of the normal force, else of friction
  std::vector<int> stopping;             // contacts that were given the law of the end velocity
  std::vector<Trial> trials;             // the last one was accepted
  SmoothRecord smooth;                   // of the last one, if no other was tried after it
  std::vector<SubStepAttempt> attempts;  // since the sub-step before; the last one with the first length of this one
  bool held = false;                     // before those the longest length became what energy allowed
  // Of an impact.
  std::vector<double> restitution;      // ComponentImpact::resolve
  std::vector<model::BodyState> after;  // of the component's bodies

  // Before trials: nothing is known of its end.
  void begin() {
    end = SubStepEnd::Length;
    stopping.clear();
    trials.clear();
  }
};

struct SubStepTape {
  double begin = 0, length = 0, end = 0;  // of the step
  model::State start;
  std::vector<SubStep> sub_steps;
  int parts = 0;             // of the step, where contacts ran off features
  const char* refusal = "";  // why the step cannot be repeated in this way; empty: it can

  void begin_step() {
    parts = 0;
    refusal = "";
    sub_steps.clear();
  }
};

}  // namespace stickslip::stepping
