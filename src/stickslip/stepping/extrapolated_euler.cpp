// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/extrapolated_euler.h"

#include "stickslip/stepping/motion.h"

namespace stickslip::stepping {

StepReport ExtrapolatedEuler::advance(World& world, double h, double end_time) {
  StepReport report;
  world.save(start_);
  touched_.assign(world.model.bodies.size(), 0);
  report.certified = coarse_.solve(world, h, end_time, report, failure_);
  if (!report.certified) return report;
  mark_touching(coarse_.data().contacts, coarse_.data().memory);
  events_.clear();
  report.sub_steps = 0;
  const double middle = world.state.time + 0.5 * h;
  for (const double end : {middle, end_time}) {
    const StepReport half = fine_.advance(world, 0.5 * h, end);
    add(half, report);
    if (!half.certified) {
      failure_ = fine_.failure();
      world.restore(start_);
      return report;
    }
    mark_touching(world.contacts, world.memory);
  }
  report.events = events_;
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    if (!world.traits[i].movable || touched_[i] != 0) continue;
    model::BodyState& y = world.state.bodies[i];
    const model::BodyState& y_h = coarse_.end().bodies[i];
    y.pose.position = 2 * y.pose.position - y_h.pose.position;
    y.velocity = scaled_sum(2, y.velocity, -1, y_h.velocity);
    if (!world.traits[i].free_rotation) continue;
    const Vec3 turned(0, 0, y.angle - y_h.angle);
    turn(y, turned, 1.0, true);
  }
  return report;
}

void ExtrapolatedEuler::add(const StepReport& half, StepReport& report) {
  report.include(half);
  for (const Event& event : half.events) {
    events_.push_back(event);
    touched_[index(event.contact.body_a)] = touched_[index(event.contact.body_b)] = 1;
  }
}

void ExtrapolatedEuler::mark_touching(std::span<const collision::Contact> contacts,
                                      std::span<const ContactMemory> memory) {
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (memory[c].touching) touched_[index(contacts[c].id.body_a)] = touched_[index(contacts[c].id.body_b)] = 1;
}

void ExtrapolatedEuler::save(ByteWriter& out) const {
  coarse_.save(out);
  fine_.save(out);
}

void ExtrapolatedEuler::restore(ByteReader& in) {
  coarse_.restore(in);
  fine_.restore(in);
}

}  // namespace stickslip::stepping
