// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The components of a second-order step: which contacts matter, which bodies may touch each other within it, and what
// both remember from step to step.
//
//     reach      at the present velocities, plus  2 h (h a + dv):  what accelerations and drives can add. When
//                something collides within the step, also what a body can reach that is hit (twice the speed: a light
//                one); list_faster() sees to the rest
//     component  bodies connected by contacts within reach, and by forces on one of them that read another; all bodies
//                where nobody knows what a force reads
//     memory     of bodies: mean acceleration, steps to be done at first order; of contacts: force, reserves, slip
//                (besides World::memory)
//
// Symbol   variable             meaning
//   a      largest_acceleration()   of gravity, of other forces now and at the end of the step, and of the step before
//   dv                          largest change of a prescribed velocity
//
// Cost: one query of the collider, two when something collides.
#pragma once

#include "stickslip/stepping/stepper.h"
#include "stickslip/stepping/trial.h"

#include <span>
#include <utility>

namespace stickslip::stepping {

class Components {
 public:
  // What a body and a contact remember from step to step.
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
  // What the errors of steps have added to the energy since it was lowest, and the largest energy in play so far.
  struct EnergyAccount {
    double excess = 0, scale = 0;
  };
  struct Histories {
    std::vector<BodyHistory> bodies;       // by body
    std::vector<ContactHistory> contacts;  // beside World::memory
    EnergyAccount energy;
  };

  void prepare(const World& world);  // once per run
  [[nodiscard]] bool is_prepared() const { return prepared_; }
  // Whether contacts can run off the end of a feature: planes, balls and points have none.
  [[nodiscard]] bool features_end() const { return features_end_; }
  // Instants at which drives change their form, ascending.
  [[nodiscard]] std::span<const double> breakpoints() const { return breakpoints_; }

  // Everything that may touch within the step of length h. end: with prescribed bodies at its end.
  void find_contacts(World& world, double h, const model::State& end);
  [[nodiscard]] std::size_t contact_count() const { return contacts_.size(); }
  [[nodiscard]] double margin() const { return margin_; }  // with which contacts were found
  // The components of those contacts, from world.state.
  std::span<Component> make(const World& world);
  // What is remembered of the contacts, anew: after more of them were listed.
  void recall(const World& world);

  // What a component asks for that was not listed: bodies are so much faster than at the start, or points of rims.
  struct Request {
    double faster = 0;
    std::vector<collision::Contact> rim_points;
    std::vector<model::Twist> motion;  // scratch
  };
  // After an impact: could a body now reach others that were too far off when contacts were listed?
  [[nodiscard]] bool may_reach_more(const World& world, const Component& component, const model::State& before,
                                    double H, Request& request) const;
  // Points of rims that sink in over a trial.
  [[nodiscard]] bool find_rim_points(World& world, const Component& component, const TrialData& data,
                                     const Trial& trial, Request& request) const;
  // Then contacts are listed anew for the whole step of length H, which is to begin again from `before`.
  void list_more(World& world, const model::State& before, double H, const Request& request);

  // Modes, forces and histories for the next step and for observers.
  void remember(World& world, double h);

  [[nodiscard]] const Histories& histories() const { return now_; }
  [[nodiscard]] EnergyAccount& energy() { return now_.energy; }
  [[nodiscard]] const EnergyAccount& energy() const { return now_.energy; }
  void set_histories(const Histories& histories) { now_ = histories; }
  // Forces change at once where a contact ends: what they were predicts nothing.
  void forget_forces();
  // After an instant at which velocities of drives jumped: closed contacts that approach or part now are open (what
  // approaches raises a touch), others slide or stick as they move.
  void follow_jump(World& world);
  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  [[nodiscard]] double largest_acceleration(const World& world, const model::State& end) const;
  void add_body(const World& world, std::size_t body, Component& component) const;
  void add_contact(const World& world, int c, Component& component);
  void connect(const World& world);
  static void add_driven(const World& world, int body, Component& component);
  void list_reads(const World& world, int body);
  int find_root(int body);

  std::vector<collision::Contact> contacts_;
  std::vector<ContactMemory> memory_;
  Histories now_;
  std::vector<ContactHistory> old_history_;
  std::vector<Component> components_;
  std::size_t count_ = 0;
  std::vector<model::Twist> motion_;
  std::vector<double> breakpoints_;
  std::vector<std::pair<int, int>> reads_;  // body, another one that a force on it reads
  std::vector<int> parent_, component_of_;
  double margin_ = 0;
  double faster_ = 0;  // how much faster bodies may get in impacts for all contacts to be found
  int rounds_ = 0;     // in which points of rims were added
  bool prepared_ = false, pushed_ = false, coupled_ = false, features_end_ = false, has_chains_ = false;
};

}  // namespace stickslip::stepping
