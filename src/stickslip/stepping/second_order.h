// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The second-order stepper: smooth steps (smooth_step.h) between changes of contact mode, which are located inside the
// step.
//
//     for each component (bodies that may touch each other within the step):
//       while the step is not over:
//         trial over the rest                               one contact solve
//         no event in it?        accept                     the usual case
//         lift or slip at tau    trial to tau, accept, change the mode
//         stop at tau            search the instant at which friction can hold; or, if it cannot, where slip reverses
//         touch at tau           search the instant of zero gap, accept, impact
//                                what came down beyond the end of a face has met nothing (touch_place.h): the step ends
//                                there and goes on with the contacts that there are
//         turn of slip           shorten the sub-step and try again
//         a force that reads the state changes its formula at tau: the sub-step ends there (force_jumps.h)
//         a closed contact is no longer among those that collision finds (a corner has run off the end of a face):
//                                the instant is found by bisection, and the step goes on from there with new contacts
//       too many events (accumulation, chatter, jam), or a problem that was not solved: first-order step over the rest,
//         and over the next 1, 3, 7 ... 31 steps as long as that goes on; crowds of contacts are given fewer trials
//
//         a trial that gains energy beyond its tolerance, where nothing can give any: shorten the sub-step and try again
//
//       more than 16 contacts: only touches are located; what lifts, slips or stops within a sub-step does so as the solver
//         says, with the law of the end velocity where slip stops. A step in which more than two contacts are about to
//         close is first order at once
//
// Energy. Where only gravity and contacts with bodies at rest act, the errors of steps may add kBudget of the largest
// energy so far in all, and a trickle beyond: what a step in which friction does work may gain follows from what is left
// of that. Where nothing takes energy, losses are errors too: a step may change it by kKept of the largest. A first-order
// part that gains more is halved.
//
// Components are independent within a step and are advanced one after the other, each with sub-steps of its own. A body
// whose force reads other bodies is of one component with them; of all, where nobody knows what it reads.
//
// After an event histories (acceleration, force reserves) are dropped; the next sub-step predicts twice instead. They
// also end at breakpoints of the drives. Where the velocity of a drive jumps, the part of the step ends and another
// begins. A contact at which an event just happened raises no second one at that
// instant, unless it is hit. Impacts follow the law of each pair (impact_law.h), one after the other, any number of
// them in a step; restitution is left out when the next flight would be shorter than a step.
//
// Located events, and histories that end at them: Hairer, Norsett and Wanner 1993, II.6; Shampine, Gladwell and Brankin
// 1991. The first-order step of the fall-back: Stewart and Trinkle 1996.
//
// Assumptions and open points: docs/theory/second-order.md. Cost: one contact solve per step without events; for each
// event those of its search (event_search.h, component_impact.h) and of the trial after it.
#pragma once

#include "stickslip/stepping/component_step.h"
#include "stickslip/stepping/components.h"
#include "stickslip/stepping/drive_jumps.h"
#include "stickslip/stepping/event_search.h"
#include "stickslip/stepping/feature_ends.h"
#include "stickslip/stepping/force_jumps.h"
#include "stickslip/stepping/resting_components.h"
#include "stickslip/stepping/rollback.h"
#include "stickslip/stepping/stepper.h"

#include <optional>

namespace stickslip::stepping {

class SecondOrder final : public Stepper {
 public:
  StepReport advance(World& world, double h, double end_time) override;
  // Sub-steps of later steps are noted there (sub_step_tape.h). Null: nowhere.
  void record(SubStepTape* tape) { step_.tape = tape; }
  void save(ByteWriter& out) const override { components_.save(out); }
  void restore(ByteReader& in) override { components_.restore(in); }

 private:
  enum class Outcome { Done, Failed, MoreContacts, EndsEarlier };
  struct Tries;
  struct Energy;
  using Start = Rollback<Components::Histories>;

  void keep(const World& world, Start& start) const;
  void put_back(World& world, const Start& start);
  void note_begin(const World& world, double h, double end_time);
  void prepare(World& world);
  StepReport advance_to_new_contacts(World& world, double& h, double& end_time);
  StepReport advance_part(World& world, double h, double end_time);
  [[nodiscard]] bool overlap_where_left_out(const World& world);
  StepReport advance_to_end_of_feature(World& world, double h, double end_time);
  Outcome advance_component(World& world, Component& component, double H);
  std::optional<Outcome> advance_once(World& world, Component& component, Tries& tries);
  bool end_at_force_jump(World& world, Component& component, Tries& tries);
  void note_attempt(const EventCandidate& event, double least, double most, double shortest);
  void hold_length();
  void judge_energy(const World& world, const Component& component, const Tries& tries, double h, Energy& energy);
  std::optional<Outcome> finish_smooth(World& world, Component& component, Tries& tries, double h, const Energy& energy,
                                       bool at_breakpoint);
  std::optional<Outcome> go_to_event(World& world, Component& component, Tries& tries, double h, const Energy& energy,
                                     const EventCandidate& event, int solves_before);
  [[nodiscard]] double allowed_gain(const World& world, const Component& component, double share);
  [[nodiscard]] double next_length(const Component& component, double H, double longest, bool& at_breakpoint);
  Outcome give_up(World& world, Component& component, double H);
  Outcome fall_back(World& world, Component& component, double H);
  void list_rebounds(const World& world, const Component& component, double H);
  void fail(const World& world, const Component& component, StepReport& report);

  Components components_;
  ComponentStep step_;
  EventSearch search_;
  FeatureEnds ends_;
  ForceJumps jumps_;
  DriveJumps drive_jumps_;
  TouchPlace places_;
  RestingComponents resting_;
  bool moved_ = false;   // something did not rest in the part
  bool located_ = true;  // no component was so large that its events were taken together
  Start step_start_, part_start_;
  model::State before_;            // the start of a part
  std::vector<Event> all_events_;  // of the step; those of a part are in step_
  double energy_before_ = 0;       // of the component, at the start of the part, and what overlaps gave since
  double gained_ = 0;              // by the components of the part that are done
  std::vector<double> rebound_;    // speeds that contacts are owed by impacts in a first-order part
};

}  // namespace stickslip::stepping
