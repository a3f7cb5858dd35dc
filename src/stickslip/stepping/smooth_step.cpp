// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/smooth_step.h"

#include "stickslip/contact/material.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>

namespace stickslip::stepping {

using contact::ContactRows;
using contact::Mode;
using contact::relative_velocity;

namespace {

void list_closed(const World& world, const Component& component, TrialData& data) {
  data.closed.clear();
  for (const BodyStart& body : component.bodies) {
    const contact::BodyTraits& traits = world.traits[index(body.body)];
    data.turns_freely[index(body.body)] = traits.free_rotation && !traits.isotropic && !traits.locked_rotation &&
                                          world.model.bodies[index(body.body)].angular_damping == 0;
  }
  for (std::size_t c = 0; c < component.contacts.size(); ++c)
    if (component.contacts[c].mode != Mode::Open) {
      data.closed.push_back(static_cast<int>(c));
      const ContactRows& rows = component.contacts[c].rows;
      data.turns_freely[index(rows.a)] = data.turns_freely[index(rows.b)] = false;
    }
}

// Half of the torque, then the turn of a free body: data.end gets orientation and angular velocity there.
void predict_free_turn(const World& world, std::size_t b, const Vec3& torque, double h, TrialData& data) {
  const model::Body& body = world.model.bodies[b];
  const model::BodyState& start = world.state.bodies[b];
  model::BodyState& end = data.end.state.bodies[b];
  contact::evaluate_inertia(body, world.traits[b], start.pose.orientation, 0, data.dynamics[b]);
  const Vec3 w = start.velocity.angular + data.dynamics[b].inverse_inertia * (0.5 * h * torque);
  end.pose.orientation = start.pose.orientation;
  end.velocity.angular = contact::free_turn(body.inertia, w, h, end.pose.orientation);
}

// Poses at the middle and the end from the last acceleration; then masses there and velocities without contacts.
void predict(const World& world, const Component& component, double h, TrialData& data) {
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    const contact::BodyTraits& traits = world.traits[b];
    const bool planar = world.model.bodies[b].planar();
    const model::BodyState& start = world.state.bodies[b];
    const model::Twist& a = data.acceleration[k];
    const model::Twist half = scaled_sum(1, start.velocity, 0.5 * h, a);
    if (traits.driven) {  // prescribed components keep what place_driven gave them
      const model::Pose mid_pose = data.mid.state.bodies[b].pose, end_pose = data.end.state.bodies[b].pose;
      data.mid.state.bodies[b] = data.end.state.bodies[b] = start;
      for (int axis = 0; axis < 3; ++axis)
        if (!traits.free_translation[index(axis)]) {
          data.mid.state.bodies[b].pose.position[axis] = mid_pose.position[axis];
          data.end.state.bodies[b].pose.position[axis] = end_pose.position[axis];
        }
      if (!traits.free_rotation) {
        data.mid.state.bodies[b].pose.orientation = mid_pose.orientation;
        data.end.state.bodies[b].pose.orientation = end_pose.orientation;
      }
    } else {
      data.mid.state.bodies[b] = data.end.state.bodies[b] = start;
    }
    displace(data.mid.state.bodies[b], scaled_sum(0.5 * h, start.velocity, 0.125 * h * h, a), 1, traits, planar);
    displace(data.end.state.bodies[b], scaled_sum(h, half, 0, half), 1, traits, planar);
    data.mid.state.bodies[b].velocity = half;
  }
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    const contact::BodyTraits& traits = world.traits[b];
    const model::Body& body = world.model.bodies[b];
    const model::BodyState& start = world.state.bodies[b];
    contact::BodyDynamics& dynamics = data.dynamics[b];
    const model::Wrench wrench = contact::applied_wrench(world.model, static_cast<int>(b), traits, data.mid.state);
    if (data.turns_freely[b]) predict_free_turn(world, b, wrench.torque, h, data);
    contact::evaluate_inertia(body, traits, data.end.state.bodies[b].pose.orientation, 0.5 * h, dynamics);
    model::Twist& v = data.free[b];
    v = part_of(traits, start.velocity, true);
    v.linear += dynamics.inverse_mass.cwiseProduct(h * (wrench.force - body.linear_damping * start.velocity.linear));
    if (!traits.free_rotation) continue;
    if (data.turns_freely[b]) {
      v.angular = data.end.state.bodies[b].velocity.angular + dynamics.inverse_inertia * (0.5 * h * wrench.torque);
      continue;
    }
    const Vec3 torque = h * (wrench.torque - body.angular_damping * start.velocity.angular);
    if (traits.isotropic)
      v.angular += dynamics.inverse_inertia * torque;
    else {
      // A w1 = L0 + (A - I1) w0 + h torque, where A - I1 is the damping's share.
      const Vec3 momentum = contact::angular_momentum(body, start.pose.orientation, start.velocity.angular);
      v.angular =
          dynamics.inverse_inertia * (momentum + 0.5 * h * body.angular_damping * start.velocity.angular + torque);
    }
  }
}

// What the pass evaluates, for those who differentiate it.
void keep_poses(const Component& component, const TrialData& data, SmoothPass& pass) {
  pass.mid.clear();
  pass.end.clear();
  pass.dynamics.clear();
  const auto keep = [&](int body) {
    pass.mid.push_back(data.mid.state.bodies[index(body)]);
    pass.end.push_back(data.end.state.bodies[index(body)]);
  };
  for (const BodyStart& body : component.bodies) {
    keep(body.body);
    pass.dynamics.push_back(data.dynamics[index(body.body)]);
  }
  for (int body : component.driven) keep(body);
}

void keep_solution(const Component& component, const TrialData& data, const Trial& trial, SmoothPass& pass) {
  pass.contacts_end = data.closed_contacts;
  pass.rows_mid = data.rows_mid;
  pass.rows_end = data.rows_end;
  for (std::size_t k = 0; k < component.bodies.size(); ++k) pass.end[k].velocity = trial.bodies[k].velocity;
}

void closed_rows(World& world, const Component& component, TrialData& data, SmoothPass* pass) {
  const int D = world.model.dimension;
  data.closed_contacts.resize(data.closed.size());
  data.rows_mid.resize(data.closed.size());
  data.rows_end.resize(data.closed.size());
  for (std::size_t c = 0; c < data.closed.size(); ++c)
    data.closed_contacts[c] = component.contacts[index(data.closed[c])].contact;
  if (data.closed.empty()) return;
  world.collider.refresh(world.model, data.mid.state, data.closed_contacts);
  for (std::size_t c = 0; c < data.closed.size(); ++c)
    set_rows_near(component.contacts[index(data.closed[c])].rows, data.closed_contacts[c], data.mid.state, D,
                  data.rows_mid[c]);
  if (pass != nullptr) pass->contacts_mid = data.closed_contacts;
  world.collider.refresh(world.model, data.end.state, data.closed_contacts);
  for (std::size_t c = 0; c < data.closed.size(); ++c)
    set_rows_near(data.rows_mid[c], data.closed_contacts[c], data.end.state, D, data.rows_end[c]);
}

void pose(const World& world, const Component& component, double h, TrialData& data) {
  const int D = world.model.dimension;
  data.system.build_single(D, data.rows_mid, data.dynamics);
  data.system.assemble(data.rows_end, data.dynamics);
  contact::Island& island = data.system.islands()[0];
  for (std::size_t c = 0; c < data.closed.size(); ++c) {
    const ContactStart& start = component.contacts[index(data.closed[c])];
    const ContactRows &mid = data.rows_mid[c], &end = data.rows_end[c];
    const auto a = index(mid.a), b = index(mid.b);
    const bool mean_law = start.mode == Mode::Slide && !start.end_law;
    for (int k = 0; k < D; ++k) {
      double& q = island.problem.q[c * index(D) + index(k)];
      q = relative_velocity(end, k, data.free[a], data.free[b]) +
          relative_velocity(end, k, data.drive_end[a], data.drive_end[b]);
      if (k > 0 && mean_law) q += start.velocity[k];
      island.r[c * index(D) + index(k)] = h * start.force.dot(mid.direction[k]);
    }
    const model::Surface& surface = world.model.surfaces[index(start.contact.surface)];
    island.problem.mu[c] = contact::friction_coefficient(surface, start.mode);
  }
}

}  // namespace

void run_smooth_step(World& world, const Component& component, double h, TrialData& data, PositionUpdate& position,
                     Trial& trial) {
  const std::size_t n = component.bodies.size();
  trial.resize(component, h);
  data.acceleration.resize(n);
  for (std::size_t k = 0; k < n; ++k)
    data.acceleration[k] = component.acceleration_known ? component.bodies[k].acceleration : model::Twist{};
  list_closed(world, component, data);
  data.place_driven(world, component, data.time + component.offset + 0.5 * h, data.mid);
  data.place_driven(world, component, data.at(component.offset + h), data.end);
  for (int b : component.driven) {
    const contact::BodyTraits& traits = world.traits[index(b)];
    data.drive_mid[index(b)] = part_of(traits, data.mid.state.bodies[index(b)].velocity, false);
    data.drive_end[index(b)] = part_of(traits, data.end.state.bodies[index(b)].velocity, false);
  }
  const int passes = component.acceleration_known ? 1 : 2;
  SmoothRecord* const record = data.record;
  if (record != nullptr) {
    record->h = h;
    record->certified = false;
    record->two_passes = passes == 2;
    record->closed = data.closed;
  }
  for (int pass = 0; pass < passes; ++pass) {
    data.first_pass = pass + 1 < passes;
    SmoothPass* const kept = record == nullptr ? nullptr : data.first_pass ? &record->first : &record->last;
    predict(world, component, h, data);
    if (kept != nullptr) keep_poses(component, data, *kept);
    closed_rows(world, component, data, kept);
    pose(world, component, h, data);
    if (pass > 0)
      for (std::size_t c = 0; c < data.closed.size(); ++c)
        std::copy_n(trial.contacts[index(data.closed[c])].p, data.system.dimension(),
                    data.system.islands()[0].r.data() + c * index(data.system.dimension()));
    trial.certified = data.solve(world);
    data.take_velocities(world, component, trial);
    data.take_contacts(component, trial);
    if (!trial.certified) return;
    if (kept != nullptr) keep_solution(component, data, trial, *kept);
    if (data.first_pass) data.keep_first_pass(trial);
  }
  position.move(world, component, data, trial);
  position.finish(world, component, data, trial);
  if (record == nullptr) return;
  record->jerk.clear();
  for (const BodyStart& body : component.bodies) record->jerk.push_back(data.jerk[index(body.body)]);
  record->certified = true;
}

}  // namespace stickslip::stepping
