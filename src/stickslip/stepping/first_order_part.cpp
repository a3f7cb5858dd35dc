// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/first_order_part.h"

#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/motion_model.h"
#include "stickslip/stepping/step_terms.h"

#include <limits>

namespace stickslip::stepping {

using contact::ContactRows;

// Free bodies at the start of the part, prescribed ones at its end.
void FirstOrderPart::place(const World& world, const Component& component, double h, TrialData& data) {
  for (const BodyStart& start : component.bodies) {
    const auto b = index(start.body);
    data.end.state.bodies[b] = world.state.bodies[b];
    data.end.placed[b] = std::numeric_limits<double>::quiet_NaN();
  }
  data.place_driven(world, component, data.at(component.offset + h), data.end);
  for (int b : component.driven)
    data.drive_end[index(b)] = part_of(world.traits[index(b)], data.end.state.bodies[index(b)].velocity, false);
}

void FirstOrderPart::list_contacts(World& world, const Component& component, TrialData& data) {
  const std::size_t n = component.contacts.size();
  data.closed.resize(n);
  data.closed_contacts.resize(n);
  data.rows_mid.resize(n);
  memory_.resize(n);
  for (std::size_t c = 0; c < n; ++c) {
    data.closed[c] = static_cast<int>(c);
    data.closed_contacts[c] = component.contacts[c].contact;
  }
  if (n > 0) world.collider.refresh(world.model, data.end.state, data.closed_contacts);
  bending_.forget();
}

// The problem for the contacts as they are listed, or as bending_ moved them.
void FirstOrderPart::pose(const World& world, Component& component, double h, TrialData& data) {
  const int D = world.model.dimension;
  const std::size_t n = component.contacts.size();
  for (std::size_t c = 0; c < n; ++c)
    set_rows_near(component.contacts[c].rows, data.closed_contacts[c], bending_.place_of(c, data.end.state), D,
                  data.rows_mid[c]);
  data.rows_end = data.rows_mid;
  data.system.build_single(D, data.rows_mid, data.dynamics);
  data.system.assemble(data.dynamics);
  contact::Island& island = data.system.islands()[0];
  for (std::size_t c = 0; c < n; ++c) {
    ContactStart& start = component.contacts[c];
    const collision::Contact& contact = data.closed_contacts[c];
    const ContactRows& rows = data.rows_mid[c];
    const auto a = index(rows.a), b = index(rows.b);
    const ContactMotion motion{{data.free[a], data.free[b]},
                               {data.drive_end[a], data.drive_end[b]},
                               {world.state.bodies[a].velocity, world.state.bodies[b].velocity},
                               world.traits[a].driven || world.traits[b].driven};
    double* q = island.problem.q.data() + c * index(D);
    set_free_terms(D, rows, motion.free, motion.drive, motion.driven, q);
    q[0] += rigid_gap_term<3>(world, contact, rows, data.end.state, motion, h, data.whole_step);
    memory_[c].mode = start.mode;
    island.problem.mu[c] = friction_term(world, contact, rows, motion.start, memory_[c].mode);
    set_start(rows, D, start.force, h, island.r.data() + c * index(D));
    start.velocity[1] = start.velocity[2] = 0;
  }
}

// False when no contact is to be posed again.
bool FirstOrderPart::move_to_middle(World& world, double h, TrialData& data) {
  if (data.closed.empty() || !has_bending_shapes(world.model)) return false;
  velocity_.assign(world.model.bodies.size(), {});
  for (std::size_t b = 0; b < velocity_.size(); ++b)
    if (world.traits[b].movable) velocity_[b] = data.end.state.bodies[b].velocity;
  return bending_.move_to_middle(world, data.end.state, velocity_, h, data.closed_contacts);
}

void FirstOrderPart::run(World& world, Component& component, double h, TrialData& data, PositionUpdate& position,
                         Trial& trial) {
  trial.resize(component, h);
  data.acceleration.assign(component.bodies.size(), {});
  place(world, component, h, data);
  const BodyMotion motion{MotionModel::Dynamic, h, 1.0};
  for (const BodyStart& start : component.bodies) {
    const auto b = index(start.body);
    data.turns_freely[b] = false;
    data.free[b] = {};
    motion.evaluate(world.model, start.body, world.traits[b], world.state.bodies[b], world.state,
                    part_of(world.traits[b], world.state.bodies[b].velocity, true), data.dynamics[b], data.free[b]);
  }
  list_contacts(world, component, data);
  pose(world, component, h, data);
  trial.certified = data.solve(world, memory_);
  data.take_velocities(world, component, trial);
  if (trial.certified && move_to_middle(world, h, data)) {
    pose(world, component, h, data);
    trial.certified = data.solve(world, memory_);
    data.take_velocities(world, component, trial);
  }
  data.take_contacts(component, trial);
  if (!trial.certified) return;
  for (const BodyStart& start : component.bodies) {
    const auto b = index(start.body);
    model::BodyState& end = data.end.state.bodies[b];
    displace(end, end.velocity, h, world.traits[b], world.model.bodies[b].planar());
  }
  data.closed.clear();  // nothing to project
  position.finish(world, component, data, trial);
}

}  // namespace stickslip::stepping
