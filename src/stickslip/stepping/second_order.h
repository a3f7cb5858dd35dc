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
// Components are independent within a step and each has sub-steps of its own; several threads may advance them
// (component_pool.h). A body whose force reads other bodies is of one component with them; of all, where nobody knows what
// it reads.
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

#include "stickslip/stepping/component_pool.h"
#include "stickslip/stepping/drive_jumps.h"
#include "stickslip/stepping/feature_ends.h"
#include "stickslip/stepping/resting_components.h"
#include "stickslip/stepping/rollback.h"

namespace stickslip::stepping {

class SecondOrder final : public Stepper {
 public:
  StepReport advance(World& world, double h, double end_time) override;
  // Sub-steps of later steps are noted there (sub_step_tape.h). Null: nowhere.
  void record(SubStepTape* tape) { run_.step.tape = tape; }
  void save(ByteWriter& out) const override { components_.save(out); }
  void restore(ByteReader& in) override { components_.restore(in); }

 private:
  using Outcome = ComponentAdvance::Outcome;
  using Start = Rollback<Components::Histories>;

  void keep(const World& world, Start& start) const;
  void put_back(World& world, const Start& start);
  void note_begin(const World& world, double h, double end_time);
  void prepare(World& world);
  StepReport advance_to_new_contacts(World& world, double& h, double& end_time);
  StepReport advance_part(World& world, double h, double end_time);
  Outcome advance_components(World& world, double h, double end_time, StepReport& report);
  [[nodiscard]] bool overlap_where_left_out(const World& world);
  StepReport advance_to_end_of_feature(World& world, double h, double end_time);

  Components components_;
  ComponentAdvance run_;
  ComponentPool pool_;
  FeatureEnds ends_;
  DriveJumps drive_jumps_;
  TouchPlace places_;
  RestingComponents resting_;
  std::vector<std::size_t> moving_;  // components of the part that did not rest
  bool located_ = true;              // none of them was so large that its events were taken together
  double gained_ = 0;                // energy, by those that are done
  Start step_start_, part_start_;
  model::State before_;            // the start of a part
  std::vector<Event> all_events_;  // of the step; those of a part are in run_
};

}  // namespace stickslip::stepping
