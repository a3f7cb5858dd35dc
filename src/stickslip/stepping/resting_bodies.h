// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Bodies at rest that a step need not look at again.
//
// A step is a function: the same input gives the same bits. A component is a set of movable bodies that are connected
// by potential contacts. If a step changed no bit of what it read of a component (poses, velocities, what its contacts
// remember), the next step will not change it either, as long as the rest of what it reads is the same too:
//
//   length of the step, reach of forces      compared; if they differ, all components wake
//   velocity without contacts, of each body  compared bit by bit: forces that depend on time, a changed parameter
//   prescribed bodies next to it             must stand: same pose, no velocity
//   other bodies                             wake it when they come within reach of the step (Collider::find_moving)
//   state put back or given from outside     World::revision
//
// So results have the same bits as without this, and there is no threshold. That bodies come to exact rest is the work
// of rest.h. Method::rest = "solved" switches it off, for comparison.
//
// Cost: a comparison per body and step; nothing per contact while all bodies rest.
#pragma once

#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/stepper.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stickslip::stepping {

class RestingBodies {
 public:
  using Stillness = collision::Collider::Stillness;

  // Before a step, prescribed bodies at its end: who rests. `free`: velocities without contacts; `drive`: those of
  // prescribed degrees of freedom.
  void begin_step(const World& world, double h, double reach, std::span<const model::Twist> free,
                  std::span<const model::Twist> drive);
  [[nodiscard]] bool any() const { return resting_ > 0; }
  [[nodiscard]] bool all() const { return active_ == 0; }
  [[nodiscard]] bool rests(std::size_t body) const { return resting_ > 0 && component_[body] >= 0; }
  [[nodiscard]] std::span<const Stillness> stillness() const { return stillness_; }
  // The components of these bodies take part in the step.
  void wake(std::span<const int> bodies);
  void wake_all();

  // Enters what resting components contribute to the report of the step.
  void report(StepReport& report) const;

  // What a step did: its contacts and what they remember, velocities at its start and as given to begin_step.
  struct Outcome {
    const contact::ContactSystem& system;
    std::span<const collision::Contact> contacts;
    std::span<const ContactMemory> memory;
    std::span<const model::Twist> start, free, drive;
  };
  // After the velocities of the step are known and before the world remembers its contacts: which components did the
  // step leave as they were?
  void end_step(const World& world, const Outcome& outcome);
  // Adds the contacts of components that rested in the step, and what they remember, to those of the step.
  void add_resting(std::vector<collision::Contact>& contacts, std::vector<ContactMemory>& memory);

 private:
  struct Component {
    std::vector<int> bodies;
    double residual = 0;
    const char* solver = "";
    int contacts = 0;
    bool rests = false;
  };
  void forget();
  void wake_component(int component);
  void collect_resting(const World& world);
  void compare_memory(const World& world, const Outcome& outcome);
  [[nodiscard]] bool unchanged(const World& world, std::size_t body, std::span<const model::Twist> free,
                               std::span<const model::Twist> drive) const;
  void add_component(const World& world, std::span<const int> bodies, std::span<const model::Twist> free,
                     const contact::Island* island);

  std::uint64_t revision_ = 0;
  double h_ = 0, reach_ = 0;
  int resting_ = 0, active_ = 0;  // components that rest; bodies that do not and move, or may
  std::vector<Component> components_;
  std::vector<int> component_;  // of each body, -1: none that rests
  std::vector<Stillness> stillness_;
  std::vector<model::BodyState> kept_;  // of bodies that rest; of prescribed ones, where they stood last
  std::vector<model::Twist> kept_free_;
  std::vector<std::uint8_t> in_island_, same_;  // scratch: bodies, contacts
  std::vector<int> bodies_;
  std::vector<collision::Contact> resting_contacts_, merged_contacts_;
  std::vector<ContactMemory> resting_memory_, merged_memory_;
};

}  // namespace stickslip::stepping
