// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The two non-smooth steps of a component (trial.h): impact at frozen configuration, and the first-order fall-back.
//
// Impact:      the law of each pair (impact_law.h), as in all steppers.
// First order: Stewart-Trinkle (stewart_trinkle.h), restricted to the component's bodies and contacts.
#include "stickslip/contact/material.h"
#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/impact_law.h"
#include "stickslip/stepping/motion.h"
#include "stickslip/stepping/rest.h"
#include "stickslip/stepping/trial.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using contact::ContactRows;
using contact::Mode;
using contact::relative_velocity;

// Rows, inertia and velocities before of the contacts in closed_, whose rows are in rows_mid_.
void TrialStep::pose_impact(World& world, const Component& component) {
  const int D = world.model.dimension;
  for (const BodyStart& start : component.bodies) {
    const auto b = index(start.body);
    contact::evaluate_inertia(world.model.bodies[b], world.traits[b], world.state.bodies[b].pose.orientation, 0,
                              dynamics_[b]);
  }
  system_.build_single(D, rows_mid_, dynamics_);
  system_.assemble(dynamics_);
  contact::Island& island = system_.islands()[0];
  for (std::size_t c = 0; c < closed_.size(); ++c) {
    const auto i = index(closed_[c]);
    const ContactRows& rows = rows_mid_[c];
    double* q = island.problem.q.data() + c * index(D);
    for (int k = 0; k < D; ++k) {
      q[k] = relative_velocity(rows, k, world.state.bodies[index(rows.a)].velocity,
                               world.state.bodies[index(rows.b)].velocity);
      island.r[c * index(D) + index(k)] = 0;
    }
    island.problem.mu[c] = world.model.surfaces[index(component.contacts[i].contact.surface)].friction_kinetic;
  }
}

// Velocities and modes after the impulses of the impact.
void TrialStep::take_impact(World& world, Component& component) {
  const int D = world.model.dimension;
  const contact::Island& island = system_.islands()[0];
  for (const BodyStart& start : component.bodies) world.note_waypoint(start.body);
  for (std::size_t c = 0; c < closed_.size(); ++c) {
    const ContactRows& rows = system_.rows()[c];
    const double* p = island.r.data() + c * index(D);
    const auto a = index(rows.a), b = index(rows.b);
    model::Twist &va = world.state.bodies[a].velocity, &vb = world.state.bodies[b].velocity;
    if (D == 2)
      contact::apply_impulse<2>(rows, p, dynamics_[a], dynamics_[b], va, vb);
    else
      contact::apply_impulse<3>(rows, p, dynamics_[a], dynamics_[b], va, vb);
  }
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    ContactStart& contact = component.contacts[c];
    const auto a = index(contact.rows.a), b = index(contact.rows.b);
    for (int k = 0; k < D; ++k)
      contact.velocity[k] =
          relative_velocity(contact.rows, k, world.state.bodies[a].velocity, world.state.bodies[b].velocity);
  }
  constexpr double kNoise = 1e-11;  // of the velocities before: what rounding leaves of a velocity that became zero
  for (std::size_t c = 0; c < closed_.size(); ++c) {
    ContactStart& contact = component.contacts[index(closed_[c])];
    const double* q = island.problem.q.data() + c * index(D);
    const double* p = island.r.data() + c * index(D);
    double scale = 0;
    for (int k = 0; k < D; ++k)
      scale += std::fabs(q[k]) +
               std::fabs(p[k]) * island.problem.W.value[index((island.problem.W.diagonal[c] * D + k) * D + k)];
    if (contact.velocity[0] > kNoise * scale)
      contact.mode = Mode::Open;
    else
      contact.mode = tangential_norm(contact.velocity, D) > kNoise * scale ? Mode::Slide : Mode::Stick;
    contact.slip_peak = tangential_norm(contact.velocity, D);
    contact.force.setZero();
  }
}

bool TrialStep::impact(World& world, Component& component, std::span<const double> restitution) {
  closed_.clear();
  rows_mid_.clear();
  for (std::size_t c = 0; c < component.contacts.size(); ++c)
    if (component.contacts[c].mode != Mode::Open || restitution[c] >= 0) {
      closed_.push_back(static_cast<int>(c));
      rows_mid_.push_back(component.contacts[c].rows);
    }
  pose_impact(world, component);
  laws_.clear();
  for (int c : closed_) {
    const model::Surface& surface = world.model.surfaces[index(component.contacts[index(c)].contact.surface)];
    laws_.push_back({std::max(0.0, restitution[index(c)]), surface.impact, surface.friction_kinetic});
  }
  ++solves_;
  if (!impacts_.resolve(world.method, laws_, system_.islands()[0])) return false;
  take_impact(world, component);
  return true;
}

double TrialStep::kinetic_energy(const World& world, const Component& component) {
  double energy = 0;
  for (const BodyStart& start : component.bodies) {
    const model::Body& body = world.model.bodies[index(start.body)];
    const model::BodyState& s = world.state.bodies[index(start.body)];
    energy += 0.5 * body.mass * s.velocity.linear.squaredNorm();
    if (body.rotates())
      energy += 0.5 * s.velocity.angular.dot(contact::angular_momentum(body, s.pose.orientation, s.velocity.angular));
  }
  return energy;
}

bool TrialStep::expand(World& world, Component& component, std::span<const double> speed, double energy) {
  constexpr int kBisections = 30;
  closed_.clear();
  rows_mid_.clear();
  for (std::size_t c = 0; c < component.contacts.size(); ++c)
    if (component.contacts[c].mode != Mode::Open) {
      closed_.push_back(static_cast<int>(c));
      rows_mid_.push_back(component.contacts[c].rows);
    }
  pose_impact(world, component);
  contact::Island& island = system_.islands()[0];
  const auto D = index(world.model.dimension);
  const std::vector<double> before(island.problem.q.begin(), island.problem.q.end());
  const double allowed = energy - kinetic_energy(world, component);
  const auto attempt = [&](double share) {
    for (std::size_t c = 0; c < closed_.size(); ++c)
      island.problem.q[c * D] = before[c * D] - share * speed[index(closed_[c])];
    std::ranges::fill(island.r, 0.0);
    return solve(world);
  };
  if (!(allowed > 0)) return true;
  if (!attempt(1)) return false;
  if (energy_gained(island, before) > allowed) {
    double low = 0, high = 1;
    for (int k = 0; k < kBisections; ++k) {
      const double middle = 0.5 * (low + high);
      if (!attempt(middle)) return false;
      (energy_gained(island, before) > allowed ? high : low) = middle;
    }
    if (!attempt(low)) return false;
  }
  take_impact(world, component);
  return true;
}

// The gap's share of the normal row. The part that prescribed bodies make is over in h. What overlaps already may take
// a whole step to part, or longer (rest.h): over the rest of a step that is nearly done it would be thrown apart.
double TrialStep::closing_speed(const World& world, const collision::Contact& start, const collision::Contact& moved,
                                double h) const {
  const double gap = without_rounding_noise(moved, end_.state);
  if (gap == 0 || start.gap >= 0) return gap / h;
  const double most = parting_limit(start, world.state, world.state.bodies[index(start.id.body_a)].velocity,
                                    world.state.bodies[index(start.id.body_b)].velocity, world.model.gravity.norm(), h);
  return (moved.gap - start.gap) / h + std::max(start.gap / std::max(h, step_), -most);
}

void TrialStep::run_first_order(World& world, Component& component, double h, Trial& trial) {
  const int D = world.model.dimension;
  const std::size_t n = component.bodies.size();
  trial.h = h;
  trial.bodies.resize(n);
  trial.acceleration.resize(n);
  trial.contacts.resize(component.contacts.size());
  acceleration_.assign(n, {});
  for (const BodyStart& body : component.bodies) turns_freely_[index(body.body)] = false;
  predict(world, component, 0);  // masses at the start; free_ is set below
  place_driven(world, component, at(component.offset + h), end_);
  for (int b : component.driven) {
    drive_end_[index(b)] = end_.state.bodies[index(b)].velocity;
    const contact::BodyTraits& traits = world.traits[index(b)];
    for (int k = 0; k < 3; ++k)
      if (traits.free_translation[index(k)]) drive_end_[index(b)].linear[k] = 0;
    if (traits.free_rotation) drive_end_[index(b)].angular.setZero();
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto b = index(component.bodies[k].body);
    const model::Body& body = world.model.bodies[b];
    const contact::BodyTraits& traits = world.traits[b];
    const model::BodyState& s = world.state.bodies[b];
    contact::evaluate_inertia(body, traits, s.pose.orientation, h, dynamics_[b]);
    const model::Wrench wrench = contact::applied_wrench(world.model, static_cast<int>(b), traits, world.state);
    free_[b].linear +=
        dynamics_[b].inverse_mass.cwiseProduct(h * (wrench.force - body.linear_damping * s.velocity.linear));
    if (!traits.free_rotation) continue;
    if (!traits.isotropic && !traits.locked_rotation)
      free_[b].angular = contact::gyroscopic_step(body.inertia, s.pose.orientation, s.velocity.angular, h);
    free_[b].angular +=
        dynamics_[b].inverse_inertia * (h * (wrench.torque - body.angular_damping * s.velocity.angular));
  }
  // Every contact takes part, with its gap at the end of the step for prescribed bodies.
  closed_.resize(component.contacts.size());
  closed_contacts_.resize(closed_.size());
  rows_mid_.resize(closed_.size());
  for (std::size_t c = 0; c < closed_.size(); ++c) {
    closed_[c] = static_cast<int>(c);
    closed_contacts_[c] = component.contacts[c].contact;
  }
  if (!closed_.empty()) world.collider.refresh(world.model, end_.state, closed_contacts_);
  for (std::size_t c = 0; c < closed_.size(); ++c)
    set_rows_near(component.contacts[c].rows, closed_contacts_[c], end_.state, D, rows_mid_[c]);
  rows_end_ = rows_mid_;
  system_.build_single(D, rows_mid_, dynamics_);
  system_.assemble(dynamics_);
  contact::Island& island = system_.islands()[0];
  for (std::size_t c = 0; c < closed_.size(); ++c) {
    ContactStart& start = component.contacts[c];
    const ContactRows& rows = rows_mid_[c];
    const auto a = index(rows.a), b = index(rows.b);
    double* q = island.problem.q.data() + c * index(D);
    for (int k = 0; k < D; ++k) {
      q[k] = relative_velocity(rows, k, free_[a], free_[b]);
      q[k] += k == 0 ? closing_speed(world, start.contact, closed_contacts_[c], h)
                     : relative_velocity(rows, k, drive_end_[a], drive_end_[b]);
      island.r[c * index(D) + index(k)] = h * start.force.dot(rows.direction[k]);
    }
    const Mode mode = start.mode == Mode::Open
                          ? mode_before_touch(rows, D, world.state.bodies[a].velocity, world.state.bodies[b].velocity)
                          : start.mode;
    island.problem.mu[c] = contact::friction_coefficient(world.model.surfaces[index(start.contact.surface)], mode);
    start.velocity[1] = start.velocity[2] = 0;  // the law of the end velocity alone
  }
  trial.certified = solve(world);
  take_velocities(world, component, h, trial);
  take_contacts(component, trial);
  if (!trial.certified) return;
  for (std::size_t k = 0; k < n; ++k) {
    const auto b = index(component.bodies[k].body);
    const contact::BodyTraits& traits = world.traits[b];
    model::BodyState& end = end_.state.bodies[b];
    for (int axis = 0; axis < 3; ++axis)
      if (traits.free_translation[index(axis)])
        end.pose.position[axis] = world.state.bodies[b].pose.position[axis] + h * end.velocity.linear[axis];
    if (traits.free_rotation) turn(end, end.velocity.angular, h, world.model.bodies[b].planar());
  }
  closed_.clear();  // nothing to project
  finish(world, component, trial);
}

}  // namespace stickslip::stepping
