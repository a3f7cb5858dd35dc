// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The second-order stepper: smooth steps of trial.h between changes of contact mode, which are located inside the step.
//
//     for each component (bodies that may touch each other within the step):
//       while the step is not over:
//         trial over the rest                               one contact solve
//         no event in it?        accept                     the usual case
//         lift or slip at tau    trial to tau, accept, change the mode
//         stop at tau            search the instant at which friction can hold; or, if it cannot, where slip reverses
//         touch at tau           search the instant of zero gap, accept, impact
//         turn of slip           shorten the sub-step and try again
//         a closed contact is no longer among those that collision finds (a corner has run off the end of a face):
//                                the instant is found by bisection, and the step goes on from there with new contacts
//       too many events (accumulation, chatter, jam), or a problem that was not solved: first-order step over the rest,
//         and over the next 1, 3, 7 ... 31 steps as long as that goes on; crowds of contacts are given fewer trials
//
// Components are independent within a step and are advanced one after the other, each with sub-steps of its own. When
// any body has force functions all bodies form one component, since a force may read every other body's state.
//
// After an event histories (acceleration, force reserves) are dropped; the next sub-step predicts twice instead. They
// also end at breakpoints of the drives. A contact at which an event just happened raises no second one at that
// instant, unless it is hit. Impacts follow the law of each pair (impact_law.h), one after the other, any number of
// them in a step; restitution is left out when the next flight would be shorter than a step.
//
// Assumptions and open points: docs/theory/second-order.md. Cost: one contact solve per step without events.
#pragma once

#include "stickslip/stepping/events.h"
#include "stickslip/stepping/stepper.h"
#include "stickslip/stepping/trial.h"

namespace stickslip::stepping {

class SecondOrder final : public Stepper {
 public:
  StepReport advance(World& world, double h, double end_time) override;
  void save(ByteWriter& out) const override;
  void restore(ByteReader& in) override;

 private:
  // What a body and a contact remember from step to step, besides World::memory.
  struct BodyHistory {
    model::Twist acceleration;
    double h = 0;  // 0: unknown
    int first_order = 0, penalty = 0;
  };
  struct ContactHistory {
    Vec3 force = Vec3::Zero();
    double margin_n = 0, margin_t = 0, margin_age = 0, slip_peak = 0;
    bool margins_known = false, false_alarm = false;
    bool fresh = true;  // found in this step
  };
  enum class Outcome { Done, Failed, MoreContacts };
  // All that a step changes.
  struct Snapshot {
    World::Snapshot world;
    std::vector<BodyHistory> body_history;
    std::vector<ContactHistory> history;
  };

  void prepare(const World& world);
  StepReport advance_part(World& world, double h, double end_time);
  StepReport advance_to_end_of_feature(World& world, double h, double end_time);
  [[nodiscard]] bool list_lost(World& world, double h);
  [[nodiscard]] bool is_present(const collision::ContactId& id) const;
  [[nodiscard]] bool is_replaced(const World& world, const collision::Contact& contact, double h) const;
  [[nodiscard]] bool lost_some(World& world);
  void list_present(World& world);
  void keep(const World& world, Snapshot& kept) const;
  void put_back(World& world, const Snapshot& kept);
  [[nodiscard]] double largest_acceleration(const World& world, const model::State& end) const;
  void find_contacts(World& world, double h);
  void recall(const World& world);
  [[nodiscard]] bool more_contacts(World& world, const Component& component);
  void make_components(World& world);
  void add_contact(World& world, int c, Component& component);
  void remember(World& world, double h);
  int find_root(int body);
  Outcome advance_component(World& world, Component& component, double H);
  double next_length(const World& world, const Component& component, double H, double longest,
                     bool& at_breakpoint) const;
  void accept(World& world, Component& component, Trial& trial, bool smooth, bool keep_modes);
  void settle_modes(World& world, Component& component, const Trial& trial, bool& changed);
  void lift_or_slip(World& world, Component& component, const Candidate& event, double instant);
  void refine(World& world, Component& component, const Candidate& event, double instant);
  // A contact that closes: tau in the sub-step at which; its gap at the start, up to what noise it is zero in the end;
  // whether it parts again within the sub-step; how fast the bodies accelerate towards each other.
  struct Touching {
    std::size_t who = 0;
    double tau = 0, gap = 0, noise = 0, falling = 0;
    bool passes = false;
  };
  bool touch(World& world, Component& component, const Candidate& event, double H);
  bool search_touch(World& world, Component& component, double H, Touching& touching);
  void choose_restitution(const World& world, const Component& component, std::size_t who, double gap, double H,
                          double falling);
  void note_impact(const World& world, const Component& component);
  void stop(World& world, Component& component, const Candidate& event, double h);
  bool search_stop(World& world, Component& component, double tau, double h);
  double stop_reserve(const World& world, const Component& component, bool& stuck) const;
  bool reverse(World& world, Component& component, int c, double tau, double h);
  bool accept_event(World& world, Component& component);
  [[nodiscard]] bool gains_energy(const World& world, const Component& component) const;
  [[nodiscard]] bool outruns_step(const World& world, const Component& component) const;
  [[nodiscard]] bool rebounds_ahead(const World& world, const Component& component, double H) const;
  [[nodiscard]] bool list_faster(World& world, const Component& component, double H);
  static void wait_at_first_order(Component& component);
  Outcome give_up(World& world, Component& component, double H);
  Outcome fall_back(World& world, Component& component, double H);
  void drop_histories(Component& component);
  void change_mode(const World& world, const Component& component, ContactStart& contact, contact::Mode mode);
  void fail(World& world, const Component& component, StepReport& report);

  TrialStep trials_;
  Trial trial_, best_;
  std::vector<Component> components_;
  std::size_t component_count_ = 0;
  std::vector<collision::Contact> contacts_, more_;  // more_: points of rims that find() leaves out
  std::vector<model::Twist> motion_;
  std::vector<ContactMemory> memory_;
  std::vector<BodyHistory> body_history_;              // by body
  std::vector<ContactHistory> history_, old_history_;  // beside World::memory
  std::vector<Event> events_, all_events_;             // of a part, of the step
  std::vector<contact::Mode> modes_;
  std::vector<double> breakpoints_, restitution_, rebound_;
  std::vector<int> parent_, component_of_, stopping_;
  model::State before_;
  Snapshot step_start_, part_start_;
  std::vector<collision::Contact> present_;  // what collision finds at the end of a part
  std::vector<collision::Contact> lost_;     // closed contacts that it does not find
  double margin_ = 0;                        // with which contacts were found
  double faster_ = 0;                        // and how much faster bodies may get in impacts for all to be found
  double hardest_ = 0;                       // approach of the hardest impact of the component in the step
  bool prepared_ = false, coupled_ = false, features_end_ = false, has_chains_ = false;
  int sub_steps_ = 0, fallbacks_ = 0, rounds_ = 0;
};

}  // namespace stickslip::stepping
