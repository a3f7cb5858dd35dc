// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/resting_components.h"

#include <algorithm>

namespace stickslip::stepping {

namespace {

bool is_zero(const model::Twist& v) {
  return v.linear.isZero(0) && v.angular.isZero(0);
}

bool same(const model::Twist& a, const model::Twist& b) {
  return a.linear == b.linear && a.angular == b.angular;
}

bool same(const model::BodyState& a, const model::BodyState& b) {
  return a.pose.position == b.pose.position && a.pose.orientation.coeffs() == b.pose.orientation.coeffs() &&
         a.angle == b.angle && same(a.velocity, b.velocity);
}

bool same(const ContactStart& a, const ContactStart& b) {
  const collision::Contact &p = a.contact, &q = b.contact;
  return p.id == q.id && p.surface == q.surface && p.gap == q.gap && p.point_a == q.point_a && p.point_b == q.point_b &&
         p.normal == q.normal && a.mode == b.mode && std::ranges::equal(a.velocity, b.velocity) && a.force == b.force &&
         a.margins_known == b.margins_known && a.margin_n == b.margin_n && a.margin_t == b.margin_t &&
         a.margin_age == b.margin_age && a.slip_peak == b.slip_peak && a.impulse == b.impulse &&
         a.end_law == b.end_law && a.just_changed == b.just_changed && a.passes == b.passes &&
         a.false_alarm == b.false_alarm;
}

bool same(const Component& a, const Component& b) {
  return a.acceleration_known == b.acceleration_known && a.acceleration_h == b.acceleration_h &&
         a.first_order == b.first_order && a.penalty == b.penalty &&
         std::ranges::equal(a.bodies, b.bodies,
                            [](const BodyStart& x, const BodyStart& y) {
                              return x.body == y.body && same(x.acceleration, y.acceleration);
                            }) &&
         std::ranges::equal(a.contacts, b.contacts,
                            [](const ContactStart& x, const ContactStart& y) { return same(x, y); });
}

}  // namespace

bool RestingComponents::take(const World& world, Component& component, double H, StepReport& report) {
  slots_.resize(world.model.bodies.size());
  Slot& slot = slots_[index(component.bodies.front().body)];
  slot.pending = false;
  if (component.contacts.empty() || !component.driven.empty() ||
      !std::ranges::all_of(component.bodies, [&](const BodyStart& start) {
        return is_zero(world.state.bodies[index(start.body)].velocity);
      }))
    return false;
  const auto stands = [&] {
    if (!slot.still || slot.H != H || slot.revision != world.revision || !same(component, slot.start)) return false;
    for (std::size_t k = 0; k < slot.states.size(); ++k)
      if (!same(world.state.bodies[index(component.bodies[k].body)], slot.states[k])) return false;
    return true;
  };
  if (stands()) {
    for (std::size_t c = 0; c < component.contacts.size(); ++c)
      slot.end.contacts[c].position = component.contacts[c].position;
    component = slot.end;
    if (slot.residual >= report.residual) report.residual = slot.residual, report.solver = slot.solver;
    return true;
  }
  slot.still = false;
  slot.pending = true;
  slot.H = H;
  slot.revision = world.revision;
  slot.start = component;
  slot.states.clear();
  for (const BodyStart& start : component.bodies) slot.states.push_back(world.state.bodies[index(start.body)]);
  return false;
}

void RestingComponents::note_end(const World& world, const Component& component, const StepReport& report) {
  Slot& slot = slots_[index(component.bodies.front().body)];
  if (!slot.pending) return;
  slot.pending = false;
  slot.still = true;
  for (std::size_t k = 0; k < slot.states.size(); ++k)
    slot.still = slot.still && same(world.state.bodies[index(component.bodies[k].body)], slot.states[k]);
  if (!slot.still) return;
  slot.end = component;
  slot.residual = report.residual;
  slot.solver = report.solver;
}

}  // namespace stickslip::stepping
