// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/step_equations.h"

#include "stickslip/collision/registry.h"
#include "stickslip/contact/compliance.h"
#include "stickslip/contact/material.h"
#include "stickslip/contact/support_rows.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>

namespace stickslip::sensitivity {

using contact::ContactRows;
using stepping::index;
using stepping::MotionModel;

StepEquations::StepEquations(const model::Model& model, const stepping::Method& method)
    : model_(model),
      method_(method),
      collider_(collision::make_collider(method.collider)),
      traits_(contact::body_traits(model)),
      motion_(stepping::motion_model(method.motion)),
      end_geometry_(method.stepper == "implicit") {
  const std::size_t n = model.bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    const model::Body& body = model.bodies[i];
    for (int k = 0; k < 3; ++k)
      if (traits_[i].free_translation[index(k)]) freedoms_.push_back({static_cast<int>(i), k});
    if (traits_[i].free_rotation)
      for (int k = body.planar() ? 2 : 0; k < 3; ++k)
        if (body.planar() || !body.drive.rotation_locked[index(k)]) freedoms_.push_back({static_cast<int>(i), 3 + k});
    for (const model::Support::Point& point : body.support.points)
      supports_.push_back({static_cast<int>(i), body.support.on < 0 ? static_cast<int>(n) : body.support.on,
                           point.position, point.load, body.support.friction});
  }
  velocity_.resize(n + 1);
  drive_.resize(n + 1);
  free_.resize(n + 1);
  dynamics_.resize(n + 1);
}

std::string StepEquations::objection_to(const model::Model& model, const stepping::Method& method) {
  if (method.stepper != "implicit" && method.stepper != "stewart-trinkle")
    return "steps of \"" + method.stepper + "\" have no derivative here: take implicit or stewart-trinkle";
  if (method.friction != "cone" && model.dimension == 3) return "a friction pyramid has no derivative here";
  for (const model::Surface& surface : model.surfaces)
    if (surface.restitution > 0) return "restitution on a fixed grid of steps makes the end of a run jump";
  return {};
}

void StepEquations::spread(const Eigen::VectorXd& velocity) {
  std::ranges::fill(velocity_, model::Twist{});
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    model::Twist& twist = velocity_[index(f.body)];
    (f.axis < 3 ? twist.linear[f.axis] : twist.angular[f.axis - 3]) = velocity[static_cast<Eigen::Index>(i)];
  }
}

void StepEquations::end_of(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity,
                           model::State& end) const {
  end = start;
  end.time = span.end_time;
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    model::BodyState& body = end.bodies[index(f.body)];
    const double v = velocity[static_cast<Eigen::Index>(i)];
    if (f.axis < 3) {
      body.pose.position[f.axis] += span.h * v;
      body.velocity.linear[f.axis] = v;
    } else {
      body.velocity.angular[f.axis - 3] = v;
    }
  }
  for (std::size_t i = 0; i < model_.bodies.size(); ++i)
    if (traits_[i].free_rotation)
      stepping::turn(end.bodies[i], end.bodies[i].velocity.angular, span.h, model_.bodies[i].planar());
  model::apply_drives(model_, span.end_time, end);
}

void StepEquations::evaluate(const model::State& start, const StepSpan& span, const Eigen::VectorXd& velocity,
                             std::span<const ActiveContact> contacts, Values& values) {
  const std::size_t n = model_.bodies.size();
  spread(velocity);
  if (end_geometry_) {
    end_of(start, span, velocity, at_);
  } else {
    at_ = start;
    model::apply_drives(model_, span.end_time, at_);
  }
  for (std::size_t i = 0; i < n; ++i)
    drive_[i] = traits_[i].driven ? stepping::part_of(traits_[i], at_.bodies[i].velocity, false) : model::Twist{};
  const model::State& forces_at = end_geometry_ ? at_ : start;
  const stepping::BodyMotion motion{motion_, span.h, 1.0};
  for (std::size_t i = 0; i < n; ++i) {
    if (!traits_[i].movable) continue;
    model::Twist reference;
    if (motion_ == MotionModel::Dynamic)
      reference = stepping::part_of(traits_[i], start.bodies[i].velocity, true);
    else if (motion_ == MotionModel::QuasiStatic)
      reference = velocity_[i];
    motion.evaluate(model_, static_cast<int>(i), traits_[i], start.bodies[i], forces_at, reference, dynamics_[i],
                    free_[i]);
  }

  at_.bodies.resize(n + 1);
  contacts_.clear();
  for (const ActiveContact& active : contacts)
    if (active.support < 0) contacts_.push_back(active.contact);
  if (!contacts_.empty()) collider_->refresh(model_, at_, contacts_);

  const auto count = static_cast<Eigen::Index>(contacts.size());
  values.approach.setZero(count);
  values.mu.setZero(count);
  values.normal_impulse.setZero(count);
  values.slip.setZero(2, count);
  rows_.resize(contacts.size());
  std::size_t next = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ActiveContact& active = contacts[c];
    const auto column = static_cast<Eigen::Index>(c);
    ContactRows& row = rows_[c];
    if (active.support >= 0) {
      const SupportPoint& support = supports_[index(active.support)];
      contact::set_support_rows(at_, support.body, support.plane, support.position, row);
      values.mu[column] = support.friction;
      values.normal_impulse[column] = span.h * support.load;
    } else {
      const collision::Contact& geometry = contacts_[next++];
      contact::set_rows_near(active.rows, geometry, at_, model_.dimension, row);
      values.approach[column] = geometry.gap / span.h;
      if (!end_geometry_)
        values.approach[column] += contact::relative_velocity(row, 0, velocity_[index(row.a)], velocity_[index(row.b)]);
      values.mu[column] = contact::friction_coefficient(model_.surfaces[index(geometry.surface)],
                                                        active.slides ? contact::Mode::Slide : contact::Mode::Stick);
    }
    const auto a = index(row.a), b = index(row.b);
    for (int k = 1; k <= active.tangents; ++k)
      values.slip(k - 1, column) = contact::relative_velocity(row, k, velocity_[a], velocity_[b]) +
                                   contact::relative_velocity(row, k, drive_[a], drive_[b]);
    for (int k = active.support >= 0 ? 1 : 0; k <= active.tangents; ++k) {
      const Vec3 impulse = active.p[k] * row.direction[k];
      free_[a].linear += dynamics_[a].inverse_mass.cwiseProduct(impulse);
      free_[a].angular += dynamics_[a].inverse_inertia * (active.p[k] * row.moment_a[k]);
      free_[b].linear -= dynamics_[b].inverse_mass.cwiseProduct(impulse);
      free_[b].angular -= dynamics_[b].inverse_inertia * (active.p[k] * row.moment_b[k]);
    }
  }
  values.balance.resize(static_cast<Eigen::Index>(freedoms_.size()));
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    const model::Twist& v = free_[index(f.body)];
    values.balance[static_cast<Eigen::Index>(i)] =
        velocity[static_cast<Eigen::Index>(i)] - (f.axis < 3 ? v.linear[f.axis] : v.angular[f.axis - 3]);
  }
}

void StepEquations::response(std::size_t contact, int k, Eigen::Ref<Eigen::VectorXd> change) const {
  const ContactRows& row = rows_[contact];
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    const contact::BodyDynamics& body = dynamics_[index(f.body)];
    double value = 0;
    if (f.body == row.a || f.body == row.b) {
      const double sign = f.body == row.a ? 1 : -1;
      const Vec3& moment = f.body == row.a ? row.moment_a[k] : row.moment_b[k];
      value = f.axis < 3 ? body.inverse_mass[f.axis] * row.direction[k][f.axis]
                         : body.inverse_inertia.row(f.axis - 3).dot(moment);
      value *= sign;
    }
    change[static_cast<Eigen::Index>(i)] = value;
  }
}

Eigen::VectorXd StepEquations::row(std::size_t contact, int k) const {
  const ContactRows& row = rows_[contact];
  Eigen::VectorXd result = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(freedoms_.size()));
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    const Freedom& f = freedoms_[i];
    if (f.body != row.a && f.body != row.b) continue;
    const double sign = f.body == row.a ? 1 : -1;
    const Vec3& moment = f.body == row.a ? row.moment_a[k] : row.moment_b[k];
    result[static_cast<Eigen::Index>(i)] = sign * (f.axis < 3 ? row.direction[k][f.axis] : moment[f.axis - 3]);
  }
  return result;
}

}  // namespace stickslip::sensitivity
