// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/component_step.h"

#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using contact::Mode;

void ComponentStep::begin(const World& world, double H, double end_time) {
  start_again();
  data.report = {};
  data.begin(world, H, end_time);
}

void ComponentStep::start_again() {
  events.clear();
  sub_steps = fallbacks = 0;
  if (tape == nullptr) return;
  next = {};
  tape->sub_steps.clear();
}

EnergyGain ComponentStep::energy_gain(const World& world, const Component& component) const {
  EnergyGain gain;
  if (!judges_energy(component)) return gain;
  const double fallen = trial.h * trial.h * world.model.gravity.squaredNorm();
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    const model::Body& body = world.model.bodies[b];
    const model::BodyState &start = world.state.bodies[b], &end = trial.bodies[k];
    const auto twice = [&](const model::BodyState& s) {
      const double linear = body.mass * s.velocity.linear.squaredNorm();
      return body.rotates()
                 ? linear +
                       s.velocity.angular.dot(contact::angular_momentum(body, s.pose.orientation, s.velocity.angular))
                 : linear;
    };
    const double before = 0.5 * twice(start), after = 0.5 * twice(end);
    gain.gained += after - before - body.mass * world.model.gravity.dot(end.pose.position - start.pose.position);
    gain.kinetic += std::max(before, after);
    gain.falling += body.mass * fallen;
  }
  return gain;
}

bool ComponentStep::outruns_step(const World& world, const Component& component) const {
  constexpr double kFar = 0.2;  // of the arm from the centre of mass, or of the radius of gyration
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    if (!trial.contacts[c].closed) continue;
    const collision::Contact &start = component.contacts[c].contact, &end = trial.contacts[c].contact;
    const bool movable_a = world.traits[index(start.id.body_a)].movable;
    const int b = movable_a ? start.id.body_a : start.id.body_b;
    const model::Body& body = world.model.bodies[index(b)];
    if (!body.rotates()) continue;
    const auto at = std::ranges::lower_bound(component.bodies, b, {}, &BodyStart::body) - component.bodies.begin();
    const Vec3 before = (movable_a ? start.point_a : start.point_b) - world.state.bodies[index(b)].pose.position;
    const Vec3 after =
        (movable_a ? end.point_a : end.point_b) - trial.bodies[static_cast<std::size_t>(at)].pose.position;
    const double size = std::max(before.squaredNorm(), body.inertia.diagonal().maxCoeff() / body.mass);
    if ((after - before).squaredNorm() > kFar * kFar * size) return true;
  }
  return false;
}

bool ComponentStep::accept_event(World& world, Component& component) {
  const EnergyGain gain = energy_gain(world, component);
  gains = gain.gained > allowed_gain;
  trial.certified = !gains && !gain.is_wrong();
  if (trial.certified) accept(world, component, SubStepChange::Event);
  return trial.certified;
}

void ComponentStep::accept(World& world, Component& component, SubStepChange change) {
  const int D = world.model.dimension;
  bool changed = false;
  if (tape != nullptr) note(world, component);
  component.offset += trial.h;
  world.state.time = data.at(component.offset);
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    world.state.bodies[index(component.bodies[k].body)] = trial.bodies[k];
    component.bodies[k].acceleration = trial.acceleration[k];
  }
  data.place_start(world, component);
  if (change != SubStepChange::Event) settle_modes(world, component, changed);
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    ContactStart& start = component.contacts[c];
    const ContactTrial& out = trial.contacts[c];
    const bool took_part = out.g[0] > 0;
    start.contact = out.contact;
    start.rows = out.rows;
    const auto a = index(start.rows.a), b = index(start.rows.b);
    for (int k = 0; k < D; ++k)
      start.velocity[k] =
          contact::relative_velocity(start.rows, k, world.state.bodies[a].velocity, world.state.bodies[b].velocity);
    start.just_changed = false;
    start.margins_known = false;
    if (!took_part) continue;
    const model::Surface& surface = world.model.surfaces[index(start.contact.surface)];
    const Margins margins = force_margins(out, surface.friction_static, trial.h, D);
    start.margin_n = margins.normal;
    start.margin_t = margins.tangential;
    start.margin_age = 0.5 * trial.h;
    start.margins_known = start.mode != Mode::Open;
    // Impulses that were taken as they came leave the force they came from: rounding would change its bits for ever, and no
    // step would be like the one before (resting_components.h).
    bool same = true;
    for (int k = 0; k < D; ++k) same = same && out.p[k] == trial.h * start.force.dot(out.rows.direction[k]);
    if (!same) {
      start.force.setZero();
      for (int k = 0; k < D; ++k) start.force += out.p[k] / trial.h * out.rows.direction[k];
    }
    start.impulse += out.impulse;
    start.slip_peak = start.mode == Mode::Slide ? std::max(start.slip_peak, tangential_norm(out.u1, D)) : 0.0;
  }
  component.acceleration_h = trial.h;
  component.acceleration_known = true;
  ++sub_steps;
  if (change != SubStepChange::Together && (changed || change != SubStepChange::None)) drop_histories(component);
}

void ComponentStep::note(const World& world, const Component& component) {
  SubStep& one = tape->sub_steps.emplace_back();
  std::swap(one, next);
  one.state = world.state;
  one.component = component;
  one.trials.push_back(trial);
  if (one.end == SubStepEnd::Stop)  // at the edge of the cone the solver may take either side
    for (int c : one.stopping) one.trials.back().contacts[index(c)].slides = false;
}

void ComponentStep::note_impact(const World& world, const Component& component, std::span<const double> restitution) {
  if (tape == nullptr) return;
  SubStep& one = tape->sub_steps.emplace_back();
  one.impact = true;
  one.state = world.state;
  one.component = component;
  one.restitution.assign(restitution.begin(), restitution.end());
}

void ComponentStep::note_after_impact(const World& world, const Component& component) {
  if (tape == nullptr) return;
  for (const BodyStart& body : component.bodies)
    tape->sub_steps.back().after.push_back(world.state.bodies[index(body.body)]);
}

// An unloaded one of many contacts that share a load, up to what solvers leave and what is of no consequence.
bool ComponentStep::stays_closed(double gap, double velocity) const {
  return gap <= resting_gap && std::fabs(velocity) * data.whole_step <= 2 * resting_gap;
}

void ComponentStep::close_what_rests(const World& world, Component& component) {
  for (ContactStart& start : component.contacts) {
    start.end_law = false;
    if (start.mode != Mode::Open || start.passes || !stays_closed(start.contact.gap, start.velocity[0])) continue;
    const auto a = index(start.rows.a), b = index(start.rows.b);
    change_mode(world, start,
                mode_before_touch(start.rows, world.model.dimension, world.state.bodies[a].velocity,
                                  world.state.bodies[b].velocity));
  }
}

// Modes after a step in which no event was located.
void ComponentStep::settle_modes(const World& world, Component& component, bool& changed) {
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    ContactStart& start = component.contacts[c];
    const ContactTrial& out = trial.contacts[c];
    if (start.mode == Mode::Open) continue;
    Mode mode = start.mode;
    const double speed = tangential_norm(start.velocity, world.model.dimension);
    if (!out.closed && !stays_closed(out.contact.gap, out.u1[0]))
      mode = Mode::Open;
    else if (start.mode == Mode::Slide && !out.slides && start.end_law) {
      mode = Mode::Stick;
    } else if (start.mode == Mode::Slide && !out.slides && speed <= slip_noise(start, out, world.model.dimension)) {
      mode = Mode::Stick;
      start.false_alarm = true;
    } else if (start.mode == Mode::Stick && out.slides) {
      mode = Mode::Slide;
    }
    if (start.mode == Mode::Slide && out.slides) start.false_alarm = false;
    if (mode == start.mode) continue;
    change_mode(world, start, mode);
    changed = true;
  }
}

void ComponentStep::change_mode(const World& world, ContactStart& contact, Mode mode) {
  if (contact.mode == mode) return;
  events.push_back({world.state.time, contact.contact.id, contact.mode, mode});
  contact.mode = mode;
  if (mode != Mode::Slide) contact.slip_peak = 0;
}

void drop_histories(Component& component) {
  component.acceleration_known = false;
  for (ContactStart& contact : component.contacts) contact.margins_known = false;
}

}  // namespace stickslip::stepping
