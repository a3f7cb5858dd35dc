// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/compliant_flow.h"

#include "stickslip/contact/material.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::stepping {

using contact::Mode;
using Eigen::Index;

const model::Surface& CompliantFlow::surface(std::size_t c) const {
  return world_.model.surfaces[index(contacts_[c].surface)];
}

void CompliantFlow::list_bodies() {
  if (!movable_.empty()) return;
  for (std::size_t i = 0; i < world_.traits.size(); ++i) {
    if (!world_.traits[i].movable) continue;
    const model::Body& body = world_.model.bodies[i];
    movable_.push_back(static_cast<int>(i));
    const double inertia = body.planar() ? body.inertia(2, 2) : body.inertia.trace() / 3;
    arm_.push_back(world_.traits[i].free_rotation && body.mass > 0 ? std::sqrt(inertia / body.mass) : 0.0);
  }
  dynamics_.resize(world_.traits.size());
}

void CompliantFlow::begin(double t, const std::vector<collision::Contact>& contacts, std::vector<FlowContact>& flow,
                          Eigen::VectorXd& y) {
  list_bodies();
  start_ = t;
  flow_ = &flow;
  state_ = world_.state;
  contacts_ = contacts;
  const std::size_t n = contacts.size();
  rows_.resize(n);
  for (auto* list : {&normal_force_, &grip_force_, &scale_}) list->resize(n);
  force_.resize(n);
  y.resize(shear_of(n));
  for (std::size_t k = 0; k < movable_.size(); ++k) {
    const model::BodyState& body = world_.state.bodies[index(movable_[k])];
    auto part = y.segment<kBody>(static_cast<Index>(k) * kBody);
    part.segment<3>(kPosition) = body.pose.position;
    part.segment<4>(kTurn) = body.pose.orientation.coeffs();
    if (world_.model.bodies[index(movable_[k])].planar()) part.segment<4>(kTurn) << body.angle, 0, 0, 0;
    part.segment<3>(kLinear) = body.velocity.linear;
    part.segment<3>(kAngular) = body.velocity.angular;
  }
}

void CompliantFlow::take_state(const Eigen::VectorXd& y, double time, model::State& state) const {
  state.time = time;
  for (std::size_t k = 0; k < movable_.size(); ++k) {
    const auto i = index(movable_[k]);
    const contact::BodyTraits& traits = world_.traits[i];
    model::BodyState& body = state.bodies[i];
    const auto part = y.segment<kBody>(static_cast<Index>(k) * kBody);
    for (int axis = 0; axis < 3; ++axis) {
      if (!traits.free_translation[index(axis)]) continue;
      body.pose.position[axis] = part[kPosition + axis];
      body.velocity.linear[axis] = part[kLinear + axis];
    }
    if (!traits.free_rotation) continue;
    body.velocity.angular = part.segment<3>(kAngular);
    if (world_.model.bodies[i].planar()) {
      body.angle = part[kTurn];
      body.pose.orientation = Quat(std::cos(0.5 * body.angle), 0, 0, std::sin(0.5 * body.angle));
    } else {
      body.pose.orientation.coeffs() = part.segment<4>(kTurn).normalized();
    }
  }
  model::apply_drives(world_.model, time, state);
}

void CompliantFlow::evaluate(double elapsed, const Eigen::VectorXd& y, Eigen::VectorXd& rate) {
  elapsed_ = elapsed;
  take_state(y, start_ + elapsed, state_);
  world_.collider.refresh(world_.model, state_, contacts_);
  wrench_.resize(state_.bodies.size());
  for (const int body : movable_) {
    const auto i = index(body);
    const model::Body& b = world_.model.bodies[i];
    wrench_[i] = contact::applied_wrench(world_.model, body, world_.traits[i], state_);
    wrench_[i].force -= b.linear_damping * state_.bodies[i].velocity.linear;
    wrench_[i].torque -= b.angular_damping * state_.bodies[i].velocity.angular;
  }
  rate.setZero(y.size());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const Index s = shear_of(c);
    rate.segment<kShear>(s) = y.segment<kShear>(s);  // the shear; its rate after press()
    press(c, rate);
  }
  for (std::size_t k = 0; k < movable_.size(); ++k) {
    const auto i = index(movable_[k]);
    const model::Body& body = world_.model.bodies[i];
    const contact::BodyTraits& traits = world_.traits[i];
    const model::BodyState& s = state_.bodies[i];
    contact::evaluate_inertia(body, traits, s.pose.orientation, 0, dynamics_[i]);
    auto part = rate.segment<kBody>(static_cast<Index>(k) * kBody);
    part.segment<3>(kPosition) = s.velocity.linear;
    part.segment<3>(kLinear) = dynamics_[i].inverse_mass.cwiseProduct(wrench_[i].force);
    if (!traits.free_rotation) continue;
    const Vec3& w = s.velocity.angular;
    Vec3 torque = wrench_[i].torque;
    if (!traits.isotropic) torque -= w.cross(contact::angular_momentum(body, s.pose.orientation, w));
    part.segment<3>(kAngular) = dynamics_[i].inverse_inertia * torque;
    if (body.planar()) {
      part[kTurn] = w.z();
    } else {
      const auto turn = y.segment<4>(static_cast<Index>(k) * kBody + kTurn);  // not of unit length within a part
      const Quat q(turn[3], turn[0], turn[1], turn[2]);
      part.segment<4>(kTurn) = 0.5 * (Quat(0, w.x(), w.y(), w.z()) * q).coeffs();
    }
  }
}

// Force of one contact; rate holds its shear on entry and the shear's rate on return.
void CompliantFlow::press(std::size_t c, Eigen::VectorXd& rate) {
  const int D = world_.model.dimension;
  const FlowContact& flow = (*flow_)[c];
  const model::Surface& law = surface(c);
  contact::ContactRows& rows = rows_[c];
  set_rows_near(flow.rows, contacts_[c], state_, D, rows);
  const model::Twist &va = state_.bodies[index(rows.a)].velocity, &vb = state_.bodies[index(rows.b)].velocity;
  double u[3] = {};
  for (int k = 0; k < D; ++k) u[k] = contact::relative_velocity(rows, k, va, vb);
  const double elastic = -law.compliance.stiffness_normal * contacts_[c].gap;
  const double viscous = -law.compliance.damping_normal * u[0];
  normal_force_[c] = elastic + viscous;
  scale_[c] = std::fabs(elastic) + std::fabs(viscous);
  auto shear = rate.segment<kShear>(shear_of(c));
  const double K = law.compliance.stiffness_tangential, C = law.compliance.damping_tangential;
  double e[3] = {};
  for (int k = 1; k < D; ++k) e[k] = K * shear[k - 1] - C * u[k];
  grip_force_[c] = tangential_norm(e, D);
  force_[c].setZero();
  if (flow.mode == Mode::Open) {
    shear.setZero();
    return;
  }
  double f[3] = {normal_force_[c], 0, 0};
  const double hold = flow.mode == Mode::Stick ? 1.0 : law.friction_kinetic * normal_force_[c] / grip_force_[c];
  for (int k = 1; k < D; ++k) {
    f[k] = grip_force_[c] > 0 ? hold * e[k] : 0.0;
    shear[k - 1] = C > 0 ? (f[k] - K * shear[k - 1]) / C : 0.0;
  }
  for (int k = 0; k < D; ++k) {
    force_[c] += f[k] * rows.direction[k];
    wrench_[index(rows.a)].torque += f[k] * rows.moment_a[k];
    wrench_[index(rows.b)].torque -= f[k] * rows.moment_b[k];
  }
  wrench_[index(rows.a)].force += force_[c];
  wrench_[index(rows.b)].force -= force_[c];
}

double CompliantFlow::recovery(std::size_t c, double elapsed, bool normal) const {
  const model::Compliance& layer = surface(c).compliance;
  const double K = normal ? layer.stiffness_normal : layer.stiffness_tangential;
  const double C = normal ? layer.damping_normal : layer.damping_tangential;
  return C > 0 ? std::exp(-K / C * elapsed) : 0.0;
}

bool CompliantFlow::grips(std::size_t c) const {
  return grip_force_[c] <= surface(c).friction_static * normal_force_[c];
}

Reserves CompliantFlow::reserves(std::size_t c) const {
  const FlowContact& flow = (*flow_)[c];
  const collision::Contact& contact = contacts_[c];
  const double size = contact.point_a.lpNorm<1>() + contact.point_b.lpNorm<1>();
  Reserves r;
  if (flow.mode == Mode::Open) {
    r.hold = contact.gap + flow.deformation * recovery(c, elapsed_, true);
    r.hold_size = size;
    return r;
  }
  r.hold = normal_force_[c];
  r.hold_size = scale_[c] + surface(c).compliance.stiffness_normal * size;
  const double mu = contact::friction_coefficient(surface(c), flow.mode);
  const double reserve = mu * normal_force_[c] - grip_force_[c];
  r.grip = flow.mode == Mode::Stick ? reserve : -reserve;
  r.grip_size = mu * r.hold_size + grip_force_[c];
  return r;
}

double CompliantFlow::relative(const Eigen::VectorXd& error, double h, double step) const {
  double speed = 0, turning = 0, worst = 0;
  for (std::size_t k = 0; k < movable_.size(); ++k) {
    const auto i = index(movable_[k]);
    const model::BodyState& s = state_.bodies[i];
    const double push = step * (dynamics_[i].inverse_mass.maxCoeff() * wrench_[i].force.norm());
    speed = std::max({speed, s.velocity.linear.norm(), arm_[k] * s.velocity.angular.norm(), push,
                      step * world_.model.gravity.norm()});
  }
  if (!(speed > 0)) return 0;
  for (std::size_t k = 0; k < movable_.size(); ++k) {
    const auto part = error.segment<kBody>(static_cast<Index>(k) * kBody);
    turning = arm_[k];
    worst = std::max({worst, part.segment<3>(kPosition).norm() / h, 2 * turning * part.segment<4>(kTurn).norm() / h,
                      part.segment<3>(kLinear).norm(), turning * part.segment<3>(kAngular).norm()});
  }
  const Index shears = static_cast<Index>(movable_.size()) * kBody;
  if (error.size() > shears) worst = std::max(worst, error.tail(error.size() - shears).cwiseAbs().maxCoeff() / h);
  return worst / speed;
}

}  // namespace stickslip::stepping
