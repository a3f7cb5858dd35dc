// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A component through a part of a step: trial, event, accept, fall back (the loop of second_order.h). It reads of the
// world what belongs to the component, and writes nothing else, so that several components can be advanced at the same
// time, each worker with a world, a collider and workspaces of its own (component_pool.h).
//
// Energy. What errors of steps may add is shared out at the start of a part: each component may spend kSpend of what is left
// of the budget, all of them together no more than kSpendAll. So it does not matter which of them comes first.
//
// Cost: second_order.h.
#pragma once

#include "stickslip/stepping/component_step.h"
#include "stickslip/stepping/components.h"
#include "stickslip/stepping/event_search.h"
#include "stickslip/stepping/force_jumps.h"
#include "stickslip/stepping/stepper.h"

#include <optional>

namespace stickslip::stepping {

class ComponentAdvance {
 public:
  enum class Outcome {
    Done,
    Failed,        // fail() says at what
    MoreContacts,  // the part is to begin again with the contacts of request()
    EndsEarlier,   // and this one at search.ends_at()
  };

  // Once per run. All must outlive this.
  void prepare(const World& world, const Components& components);
  // before: the state at the start of the part, which must stay.
  void begin_part(const World& world, const model::State& before, double h, double end_time);
  // moving: how many components do not rest.
  void share_energy(int moving) { moving_ = moving; }

  // The components of a part, from their starts. `world` is as it was then in all that belongs to the component.
  Outcome advance(World& world, Component& component, double H);

  // What could not be solved, after Failed.
  void fail(const World& world, const Component& component, StepReport& report, StepFailure& failure) const;

  // What was counted since begin_part(), of the last component: on the way from one worker to another.
  struct Counts {
    StepReport report;  // solves, worst certificate and its solver
    int sub_steps = 0, fallbacks = 0;
    std::vector<Event> events;
    EventSearch::Beyond beyond;
    Components::Request request;
    double gained = 0;
    bool located = true;
  };
  void move_counts_to(Counts& counts);
  void add(const Counts& counts);

  [[nodiscard]] double gained() const { return gained_; }  // energy, by the component advanced last
  [[nodiscard]] bool located() const { return located_; }  // its events were, one by one
  [[nodiscard]] const Components::Request& request() const { return request_; }

  ComponentStep step;
  EventSearch search;

 private:
  struct Tries;
  struct Energy;

  Outcome advance_to_end(World& world, Component& component, double H);
  std::optional<Outcome> advance_once(World& world, Component& component, Tries& tries);
  bool end_at_force_jump(World& world, Component& component, Tries& tries);
  void note_attempt(const EventCandidate& event, double least, double most, double shortest);
  void hold_length();
  void judge_energy(const World& world, const Component& component, const Tries& tries, double h, Energy& energy);
  std::optional<Outcome> finish_smooth(World& world, Component& component, Tries& tries, double h, const Energy& energy,
                                       bool at_breakpoint);
  std::optional<Outcome> go_to_event(World& world, Component& component, Tries& tries, double h, const Energy& energy,
                                     const EventCandidate& event, int solves_before);
  [[nodiscard]] double allowed_gain(const World& world, const Component& component, double share) const;
  [[nodiscard]] double next_length(const Component& component, double H, double longest, bool& at_breakpoint);
  Outcome give_up(World& world, Component& component, double H);
  Outcome fall_back(World& world, Component& component, double H);
  Outcome pass_at_first_order(World& world, Component& component, double until, double H);
  std::optional<Outcome> pass_burst(World& world, Component& component, Tries& tries);
  void list_rebounds(const World& world, const Component& component, double H);

  const Components* components_ = nullptr;
  const model::State* before_ = nullptr;  // the start of the part
  ForceJumps jumps_;
  Components::Request request_;
  int moving_ = 1;
  bool located_ = true;
  double energy_before_ = 0;  // of the component, at the start of the part, and what overlaps gave since
  double gained_ = 0;
  std::vector<double> rebound_;  // speeds that contacts are owed by impacts in a first-order part
};

}  // namespace stickslip::stepping
