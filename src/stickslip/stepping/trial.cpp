// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/trial.h"

#include "stickslip/contact/material.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

using contact::ContactRows;
using contact::Mode;
using contact::relative_velocity;

void TrialStep::begin(World& world, double H, double end_time) {
  const std::size_t n = world.model.bodies.size();
  time_ = world.state.time;
  end_time_ = end_time;
  nearly_end_ = H * (1 - 1e-12);
  step_ = std::max(H, world.method.step);
  // Movable bodies are placed by predict(), driven ones by place_driven(); what others read of a body that is neither
  // in the component (force functions) must be of now.
  const bool all = std::ranges::any_of(world.traits, [](const contact::BodyTraits& traits) { return traits.pushed; });
  for (Scratch* scratch : {&mid_, &end_}) {
    if (all || scratch->state.bodies.size() != n) scratch->state.bodies = world.state.bodies;
    scratch->placed.assign(n, std::numeric_limits<double>::quiet_NaN());
  }
  if (dynamics_.size() == n) return;
  dynamics_.resize(n);
  turns_freely_.assign(n, 0);
  for (auto* list : {&free_, &jerk_, &drive_mid_, &drive_end_}) list->resize(n);
  magnitude_linear_.resize(n);
  magnitude_angular_.resize(n);
}

void TrialStep::place_driven(const World& world, const Component& component, double time, Scratch& scratch) const {
  scratch.state.time = time;
  for (int b : component.driven) {
    if (scratch.placed[index(b)] == time) continue;
    scratch.placed[index(b)] = time;
    model::apply_drive(world.model.bodies[index(b)].drive, time, scratch.state.bodies[index(b)]);
  }
}

const model::State& TrialStep::place_ends(const World& world) {
  const double time = end_.state.time = end_time_;
  for (std::size_t b = 0; b < world.traits.size(); ++b) {
    if (!world.traits[b].driven) continue;
    end_.placed[b] = time;
    model::apply_drive(world.model.bodies[b].drive, time, end_.state.bodies[b]);
  }
  return end_.state;
}

void TrialStep::place_all_driven(const World& world, double time, model::State& state) const {
  for (std::size_t b = 0; b < world.traits.size(); ++b) {
    if (!world.traits[b].driven) continue;
    if (end_.placed[b] == time && !world.traits[b].movable)
      state.bodies[b] = end_.state.bodies[b];
    else
      model::apply_drive(world.model.bodies[b].drive, time, state.bodies[b]);
  }
}

void TrialStep::place_start(World& world, const Component& component) const {
  for (int body : component.driven) {
    const auto b = index(body);
    if (end_.placed[b] == world.state.time && !world.traits[b].movable)
      world.state.bodies[b] = end_.state.bodies[b];
    else
      model::apply_drive(world.model.bodies[b].drive, world.state.time, world.state.bodies[b]);
  }
}

void TrialStep::run(World& world, Component& component, double h, Trial& trial) {
  const std::size_t n = component.bodies.size();
  trial.h = h;
  trial.bodies.resize(n);
  trial.acceleration.resize(n);
  trial.contacts.resize(component.contacts.size());
  acceleration_.resize(n);
  for (std::size_t k = 0; k < n; ++k)
    acceleration_[k] = component.acceleration_known ? component.bodies[k].acceleration : model::Twist{};
  list_closed(world, component);
  place_driven(world, component, time_ + component.offset + 0.5 * h, mid_);
  place_driven(world, component, at(component.offset + h), end_);
  for (int b : component.driven) {
    const contact::BodyTraits& traits = world.traits[index(b)];
    drive_mid_[index(b)] = part_of(traits, mid_.state.bodies[index(b)].velocity, false);
    drive_end_[index(b)] = part_of(traits, end_.state.bodies[index(b)].velocity, false);
  }
  const int passes = component.acceleration_known ? 1 : 2;
  for (int pass = 0; pass < passes; ++pass) {
    predict(world, component, h);
    closed_rows(world, component);
    pose(world, component, h);
    if (pass > 0)
      for (std::size_t c = 0; c < closed_.size(); ++c)
        std::copy_n(trial.contacts[index(closed_[c])].p, system_.dimension(),
                    system_.islands()[0].r.data() + c * index(system_.dimension()));
    trial.certified = solve(world);
    take_velocities(world, component, h, trial);
    take_contacts(component, trial);
    if (!trial.certified) return;
  }
  move(world, component, h, trial);
  finish(world, component, trial);
}

void TrialStep::list_closed(const World& world, const Component& component) {
  closed_.clear();
  for (const BodyStart& body : component.bodies) {
    const contact::BodyTraits& traits = world.traits[index(body.body)];
    turns_freely_[index(body.body)] = traits.free_rotation && !traits.isotropic && !traits.locked_rotation &&
                                      world.model.bodies[index(body.body)].angular_damping == 0;
  }
  for (std::size_t c = 0; c < component.contacts.size(); ++c)
    if (component.contacts[c].mode != Mode::Open) {
      closed_.push_back(static_cast<int>(c));
      const ContactRows& rows = component.contacts[c].rows;
      turns_freely_[index(rows.a)] = turns_freely_[index(rows.b)] = false;
    }
}

// Poses at the middle and the end from the last acceleration; then masses there and velocities without contacts.
void TrialStep::predict(World& world, const Component& component, double h) {
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    const contact::BodyTraits& traits = world.traits[b];
    const bool planar = world.model.bodies[b].planar();
    const model::BodyState& start = world.state.bodies[b];
    const model::Twist& a = acceleration_[k];
    const model::Twist half = scaled_sum(1, start.velocity, 0.5 * h, a);
    if (traits.driven) {  // prescribed components keep what place_driven gave them
      const model::Pose mid_pose = mid_.state.bodies[b].pose, end_pose = end_.state.bodies[b].pose;
      mid_.state.bodies[b] = end_.state.bodies[b] = start;
      for (int axis = 0; axis < 3; ++axis)
        if (!traits.free_translation[index(axis)]) {
          mid_.state.bodies[b].pose.position[axis] = mid_pose.position[axis];
          end_.state.bodies[b].pose.position[axis] = end_pose.position[axis];
        }
      if (!traits.free_rotation) {
        mid_.state.bodies[b].pose.orientation = mid_pose.orientation;
        end_.state.bodies[b].pose.orientation = end_pose.orientation;
      }
    } else {
      mid_.state.bodies[b] = end_.state.bodies[b] = start;
    }
    displace(mid_.state.bodies[b], scaled_sum(0.5 * h, start.velocity, 0.125 * h * h, a), traits, planar);
    displace(end_.state.bodies[b], scaled_sum(h, half, 0, half), traits, planar);
    mid_.state.bodies[b].velocity = half;
  }
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    const contact::BodyTraits& traits = world.traits[b];
    const model::Body& body = world.model.bodies[b];
    const model::BodyState& start = world.state.bodies[b];
    contact::BodyDynamics& dynamics = dynamics_[b];
    const model::Wrench wrench = contact::applied_wrench(world.model, static_cast<int>(b), traits, mid_.state);
    if (turns_freely_[b]) predict_free_turn(world, b, wrench.torque, h);
    contact::evaluate_inertia(body, traits, end_.state.bodies[b].pose.orientation, 0.5 * h, dynamics);
    model::Twist& v = free_[b];
    v = part_of(traits, start.velocity, true);
    v.linear += dynamics.inverse_mass.cwiseProduct(h * (wrench.force - body.linear_damping * start.velocity.linear));
    if (!traits.free_rotation) continue;
    if (turns_freely_[b]) {
      v.angular = end_.state.bodies[b].velocity.angular + dynamics.inverse_inertia * (0.5 * h * wrench.torque);
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

// Half of the torque, then the turn of a free body: end_ gets orientation and angular velocity there.
void TrialStep::predict_free_turn(const World& world, std::size_t b, const Vec3& torque, double h) {
  const model::Body& body = world.model.bodies[b];
  const model::BodyState& start = world.state.bodies[b];
  model::BodyState& end = end_.state.bodies[b];
  contact::evaluate_inertia(body, world.traits[b], start.pose.orientation, 0, dynamics_[b]);
  const Vec3 w = start.velocity.angular + dynamics_[b].inverse_inertia * (0.5 * h * torque);
  end.pose.orientation = start.pose.orientation;
  end.velocity.angular = contact::free_turn(body.inertia, w, h, end.pose.orientation);
}

void TrialStep::closed_rows(World& world, const Component& component) {
  const int D = world.model.dimension;
  closed_contacts_.resize(closed_.size());
  rows_mid_.resize(closed_.size());
  rows_end_.resize(closed_.size());
  for (std::size_t c = 0; c < closed_.size(); ++c) closed_contacts_[c] = component.contacts[index(closed_[c])].contact;
  if (closed_.empty()) return;
  world.collider.refresh(world.model, mid_.state, closed_contacts_);
  for (std::size_t c = 0; c < closed_.size(); ++c)
    set_rows_near(component.contacts[index(closed_[c])].rows, closed_contacts_[c], mid_.state, D, rows_mid_[c]);
  world.collider.refresh(world.model, end_.state, closed_contacts_);
  for (std::size_t c = 0; c < closed_.size(); ++c)
    set_rows_near(rows_mid_[c], closed_contacts_[c], end_.state, D, rows_end_[c]);
}

void TrialStep::pose(World& world, const Component& component, double h) {
  const int D = world.model.dimension;
  system_.build_single(D, rows_mid_, dynamics_);
  system_.assemble(rows_end_, dynamics_);
  contact::Island& island = system_.islands()[0];
  for (std::size_t c = 0; c < closed_.size(); ++c) {
    const ContactStart& start = component.contacts[index(closed_[c])];
    const ContactRows &mid = rows_mid_[c], &end = rows_end_[c];
    const auto a = index(mid.a), b = index(mid.b);
    const bool mean_law = start.mode == Mode::Slide && !start.end_law;
    for (int k = 0; k < D; ++k) {
      double& q = island.problem.q[c * index(D) + index(k)];
      q = relative_velocity(end, k, free_[a], free_[b]) + relative_velocity(end, k, drive_end_[a], drive_end_[b]);
      if (k > 0 && mean_law) q += start.velocity[k];
      island.r[c * index(D) + index(k)] = h * start.force.dot(mid.direction[k]);
    }
    const model::Surface& surface = world.model.surfaces[index(start.contact.surface)];
    island.problem.mu[c] = contact::friction_coefficient(surface, start.mode);
  }
}

bool TrialStep::solve(World& world) {
  if (closed_.empty()) return true;
  contact::Island& island = system_.islands()[0];
  ++solves_;
  if (!pool_.solve(world.method, island)) return false;
  if (island.summary.residual.error >= residual_) {
    residual_ = island.summary.residual.error;
    solver_ = island.summary.solver;
  }
  return true;
}

// v1 = v_free + A^-1 J' p, without rounding noise where contacts hold a body.
void TrialStep::take_velocities(World& world, const Component& component, double h, Trial& trial) {
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    magnitude_linear_[b] = magnitude_angular_[b] = 0;
    end_.state.bodies[b].velocity = free_[b];
  }
  const int D = system_.dimension();
  for (std::size_t c = 0; c < closed_.size(); ++c) {
    const ContactRows& rows = system_.rows()[c];
    const double* p = system_.islands()[0].r.data() + c * index(D);
    if (p[0] == 0) continue;
    const auto a = index(rows.a), b = index(rows.b);
    model::Twist &va = end_.state.bodies[a].velocity, &vb = end_.state.bodies[b].velocity;
    if (D == 2)
      contact::apply_impulse<2>(rows, p, dynamics_[a], dynamics_[b], va, vb);
    else
      contact::apply_impulse<3>(rows, p, dynamics_[a], dynamics_[b], va, vb);
    double size = 0;
    for (int k = 0; k < D; ++k) size += std::fabs(p[k]);
    for (const auto& [body, turn] : {std::pair(a, rows.turn_a), std::pair(b, rows.turn_b)}) {
      if (!dynamics_[body].movable) continue;
      magnitude_linear_[body] += size * dynamics_[body].inverse_mass.maxCoeff();
      for (int k = 0; k < D; ++k) magnitude_angular_[body] += std::fabs(p[k]) * turn[k].lpNorm<1>();
    }
  }
  for (std::size_t k = 0; k < component.bodies.size(); ++k) {
    const auto b = index(component.bodies[k].body);
    const contact::BodyTraits& traits = world.traits[b];
    model::Twist& v = end_.state.bodies[b].velocity;
    if (magnitude_linear_[b] > 0) {
      remove_noise(Rest::kNoise * (magnitude_linear_[b] + free_[b].linear.lpNorm<1>()), v.linear);
      remove_noise(Rest::kNoise * (magnitude_angular_[b] + free_[b].angular.lpNorm<1>()), v.angular);
    }
    const model::Twist before = part_of(traits, world.state.bodies[b].velocity, true);
    trial.acceleration[k] = scaled_sum(1 / h, v, -1 / h, before);
    acceleration_[k] = trial.acceleration[k];
    if (traits.driven) v = scaled_sum(1, v, 1, drive_end_[b]);
    trial.bodies[k].velocity = v;
  }
}

// Impulses, end velocities and modes of the closed contacts.
void TrialStep::take_contacts(const Component& component, Trial& trial) {
  const int D = system_.dimension();
  for (ContactTrial& contact : trial.contacts) {
    contact.closed = contact.slides = false;
    contact.g[0] = 0;  // took no part
  }
  if (closed_.empty()) return;
  const contact::Island& island = system_.islands()[0];
  double scale = 0;
  slip_.resize(closed_.size());
  for (std::size_t c = 0; c < closed_.size(); ++c) {
    const ContactStart& start = component.contacts[index(closed_[c])];
    ContactTrial& out = trial.contacts[index(closed_[c])];
    const double* block = island.problem.W.value.data() + island.problem.W.diagonal[c] * D * D;
    const ContactRows& end = rows_end_[c];
    const model::Twist &va = end_.state.bodies[index(end.a)].velocity, &vb = end_.state.bodies[index(end.b)].velocity;
    double slip = 0;
    for (int k = 0; k < D; ++k) {
      out.p[k] = island.r[c * index(D) + index(k)];
      out.g[k] = block[k * D + k];
      const double q = island.problem.q[c * index(D) + index(k)];
      const bool mean_law = k > 0 && start.mode == Mode::Slide && !start.end_law;
      out.u1[k] = relative_velocity(end, k, va, vb);
      const double u = mean_law ? out.u1[k] + start.velocity[k] : out.u1[k];  // what friction opposes
      scale = std::max(scale, std::fabs(q) + out.g[k] * std::fabs(out.p[k]));
      if (k > 0) slip += u * u;
    }
    out.closed = out.p[0] > 0;
    slip_[c] = std::sqrt(slip);
  }
  // Velocities are differences of velocities, and no better than the solver's answer.
  const double noise = scale * std::max(4e-12, 10 * island.summary.residual.error);
  for (std::size_t c = 0; c < closed_.size(); ++c) {
    ContactTrial& out = trial.contacts[index(closed_[c])];
    out.slides = out.closed && slip_[c] > noise;
  }
}

}  // namespace stickslip::stepping
