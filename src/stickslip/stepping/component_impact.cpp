// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/component_impact.h"

#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {

using contact::ContactRows;
using contact::Mode;
using contact::relative_velocity;

// Rows, inertia and velocities before of the contacts in data.closed, whose rows are in data.rows_mid.
void ComponentImpact::pose(const World& world, const Component& component, TrialData& data) {
  const int D = world.model.dimension;
  for (const BodyStart& start : component.bodies) {
    const auto b = index(start.body);
    contact::evaluate_inertia(world.model.bodies[b], world.traits[b], world.state.bodies[b].pose.orientation, 0,
                              data.dynamics[b]);
  }
  data.system.build_single(D, data.rows_mid, data.dynamics);
  data.system.assemble(data.dynamics);
  contact::Island& island = data.system.islands()[0];
  for (std::size_t c = 0; c < data.closed.size(); ++c) {
    const auto i = index(data.closed[c]);
    const ContactRows& rows = data.rows_mid[c];
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
void ComponentImpact::take(World& world, Component& component, const TrialData& data) {
  const int D = world.model.dimension;
  const contact::Island& island = data.system.islands()[0];
  for (const BodyStart& start : component.bodies) world.note_waypoint(start.body);
  for (std::size_t c = 0; c < data.closed.size(); ++c) {
    const ContactRows& rows = data.system.rows()[c];
    const double* p = island.r.data() + c * index(D);
    const auto a = index(rows.a), b = index(rows.b);
    model::Twist &va = world.state.bodies[a].velocity, &vb = world.state.bodies[b].velocity;
    if (D == 2)
      contact::apply_impulse<2>(rows, p, data.dynamics[a], data.dynamics[b], va, vb);
    else
      contact::apply_impulse<3>(rows, p, data.dynamics[a], data.dynamics[b], va, vb);
  }
  for (std::size_t c = 0; c < component.contacts.size(); ++c) {
    ContactStart& contact = component.contacts[c];
    const auto a = index(contact.rows.a), b = index(contact.rows.b);
    for (int k = 0; k < D; ++k)
      contact.velocity[k] =
          relative_velocity(contact.rows, k, world.state.bodies[a].velocity, world.state.bodies[b].velocity);
  }
  for (std::size_t c = 0; c < data.closed.size(); ++c) {
    ContactStart& contact = component.contacts[index(data.closed[c])];
    const double* q = island.problem.q.data() + c * index(D);
    const double* p = island.r.data() + c * index(D);
    double scale = 0;
    for (int k = 0; k < D; ++k)
      scale += std::fabs(q[k]) +
               std::fabs(p[k]) * island.problem.W.value[index((island.problem.W.diagonal[c] * D + k) * D + k)];
    if (contact.velocity[0] > kEventNoise * scale)
      contact.mode = Mode::Open;
    else
      contact.mode = tangential_norm(contact.velocity, D) > kEventNoise * scale ? Mode::Slide : Mode::Stick;
    contact.slip_peak = tangential_norm(contact.velocity, D);
    contact.force.setZero();
  }
}

bool ComponentImpact::resolve(World& world, Component& component, std::span<const double> restitution,
                              TrialData& data) {
  data.closed.clear();
  data.rows_mid.clear();
  for (std::size_t c = 0; c < component.contacts.size(); ++c)
    if (component.contacts[c].mode != Mode::Open || restitution[c] >= 0) {
      data.closed.push_back(static_cast<int>(c));
      data.rows_mid.push_back(component.contacts[c].rows);
    }
  pose(world, component, data);
  laws_.clear();
  for (int c : data.closed) {
    const model::Surface& surface = world.model.surfaces[index(component.contacts[index(c)].contact.surface)];
    laws_.push_back({std::max(0.0, restitution[index(c)]), surface.impact, surface.friction_kinetic});
  }
  ++data.report.solves;
  if (!impacts_.resolve(world.method, laws_, data.system.islands()[0])) return false;
  take(world, component, data);
  return true;
}

double kinetic_energy(const World& world, const Component& component) {
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

bool ComponentImpact::expand(World& world, Component& component, std::span<const double> speed, double energy,
                             TrialData& data) {
  constexpr int kBisections = 30;
  data.closed.clear();
  data.rows_mid.clear();
  for (std::size_t c = 0; c < component.contacts.size(); ++c)
    if (component.contacts[c].mode != Mode::Open) {
      data.closed.push_back(static_cast<int>(c));
      data.rows_mid.push_back(component.contacts[c].rows);
    }
  pose(world, component, data);
  contact::Island& island = data.system.islands()[0];
  const auto D = index(world.model.dimension);
  before_.assign(island.problem.q.begin(), island.problem.q.end());
  const double allowed = energy - kinetic_energy(world, component);
  const auto attempt = [&](double share) {
    for (std::size_t c = 0; c < data.closed.size(); ++c)
      island.problem.q[c * D] = before_[c * D] - share * speed[index(data.closed[c])];
    std::ranges::fill(island.r, 0.0);
    return data.solve(world);
  };
  if (!(allowed > 0)) return true;
  if (!attempt(1)) return false;
  if (energy_gained(island, before_) > allowed) {
    double low = 0, high = 1;
    for (int k = 0; k < kBisections; ++k) {
      const double middle = 0.5 * (low + high);
      if (!attempt(middle)) return false;
      (energy_gained(island, before_) > allowed ? high : low) = middle;
    }
    if (!attempt(low)) return false;
  }
  take(world, component, data);
  return true;
}

}  // namespace stickslip::stepping
