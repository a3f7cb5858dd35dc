// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/expression/run_quantities.h"

#include "stickslip/contact/body_energy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip::expression {
namespace {

using contact::ContactResult;
using contact::Mode;

bool is_between(const ContactResult& result, int a, int b) {
  const auto& id = result.contact.id;
  if (b < 0) return id.body_a == a || id.body_b == a;
  return (id.body_a == a && id.body_b == b) || (id.body_a == b && id.body_b == a);
}

// Euler angles: the rotation is roll about x, then pitch about y, then yaw about z, all axes of the world.
double roll_of(const Quat& q) {
  return std::atan2(2 * (q.w() * q.x() + q.y() * q.z()), 1 - 2 * (q.x() * q.x() + q.y() * q.y()));
}
double pitch_of(const Quat& q) {
  return std::asin(std::clamp(2 * (q.w() * q.y() - q.z() * q.x()), -1.0, 1.0));
}
double yaw_of(const Quat& q) {
  return std::atan2(2 * (q.w() * q.z() + q.x() * q.y()), 1 - 2 * (q.y() * q.y() + q.z() * q.z()));
}

}  // namespace

double body_component(const model::BodyState& state, BodyComponent component, bool planar) {
  const Vec3& x = state.pose.position;
  const Vec3& v = state.velocity.linear;
  const Vec3& w = state.velocity.angular;
  const Quat& q = state.pose.orientation;
  switch (component) {
    case BodyComponent::X: return x.x();
    case BodyComponent::Y: return x.y();
    case BodyComponent::Z: return x.z();
    case BodyComponent::VX: return v.x();
    case BodyComponent::VY: return v.y();
    case BodyComponent::VZ: return v.z();
    case BodyComponent::Angle:
      if (planar) return state.angle;
      return 2 * std::atan2(q.vec().norm(), std::abs(q.w()));
    case BodyComponent::WX: return w.x();
    case BodyComponent::WY: return w.y();
    case BodyComponent::WZ: return w.z();
    case BodyComponent::QW: return q.w();
    case BodyComponent::QX: return q.x();
    case BodyComponent::QY: return q.y();
    case BodyComponent::QZ: return q.z();
    case BodyComponent::Yaw: return yaw_of(q);
    case BodyComponent::Pitch: return pitch_of(q);
    case BodyComponent::Roll: return roll_of(q);
    case BodyComponent::Speed: return v.norm();
  }
  return 0;
}

double gap(Contacts contacts, int a, int b) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const ContactResult& result : contacts) {
    if (is_between(result, a, b)) smallest = std::min(smallest, result.contact.gap);
  }
  return smallest;
}

double normal_force(Contacts contacts, int a, int b) {
  double sum = 0;
  for (const ContactResult& result : contacts) {
    if (is_between(result, a, b)) sum += result.force.dot(result.contact.normal);
  }
  return sum;
}

contact::Interval normal_force_range(const EvaluationContext& context, int a, int b) {
  return contact::StepForces(*context.model, *context.state, context.contacts, context.force_law).normal_force(a, b);
}

double friction_force(Contacts contacts, int a, int b) {
  Vec3 sum = Vec3::Zero();
  for (const ContactResult& result : contacts) {
    if (!is_between(result, a, b)) continue;
    const Vec3& normal = result.contact.normal;
    const Vec3 tangential = result.force - normal * normal.dot(result.force);
    sum += result.contact.id.body_a == a ? tangential : Vec3(-tangential);
  }
  return sum.norm();
}

Vec3 contact_force(Contacts contacts, int a, int b) {
  Vec3 sum = Vec3::Zero();
  for (const ContactResult& result : contacts)
    if (is_between(result, a, b)) sum += result.contact.id.body_a == a ? result.force : Vec3(-result.force);
  return sum;
}

double slip_speed(Contacts contacts, int a, int b) {
  double largest = 0;
  for (const ContactResult& result : contacts) {
    if (result.mode == Mode::Open || !is_between(result, a, b)) continue;
    const Vec3& normal = result.contact.normal;
    largest = std::max(largest, (result.relative_velocity - normal * normal.dot(result.relative_velocity)).norm());
  }
  return largest;
}

Vec3 centre_of_pressure(Contacts contacts, int a, int b) {
  double total = 0;
  Vec3 sum = Vec3::Zero();
  for (const ContactResult& result : contacts) {
    if (!is_between(result, a, b)) continue;
    const double force = result.force.dot(result.contact.normal);
    total += force;
    sum += force * 0.5 * (result.contact.point_a + result.contact.point_b);
  }
  if (total <= 0) return Vec3::Constant(std::numeric_limits<double>::infinity());
  return sum / total;
}

bool touching(Contacts contacts, int a, int b) {
  return std::ranges::any_of(
      contacts, [&](const ContactResult& result) { return result.mode != Mode::Open && is_between(result, a, b); });
}

bool sliding(Contacts contacts, int a, int b) {
  return std::ranges::any_of(
      contacts, [&](const ContactResult& result) { return result.mode == Mode::Slide && is_between(result, a, b); });
}

double worst_penetration(collision::Overlaps& overlaps, const model::State& state) {
  double deepest = 0;
  for (const collision::BodyOverlap& overlap : overlaps.find(state)) deepest = std::max(deepest, overlap.depth);
  return deepest;
}

double count_touching(Contacts contacts) {
  return static_cast<double>(
      std::ranges::count_if(contacts, [](const ContactResult& result) { return result.mode != Mode::Open; }));
}

Vec3 local_position(const model::State& state, int body, int frame) {
  const model::Pose& pose = state.bodies[static_cast<std::size_t>(frame)].pose;
  return pose.orientation.conjugate() * (state.bodies[static_cast<std::size_t>(body)].pose.position - pose.position);
}

double local_yaw(const model::State& state, int body, int frame) {
  return yaw_of(state.bodies[static_cast<std::size_t>(frame)].pose.orientation.conjugate() *
                state.bodies[static_cast<std::size_t>(body)].pose.orientation);
}

double kinetic_energy(const model::Model& model, const model::State& state, int body) {
  double sum = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (body < 0 || body == static_cast<int>(i)) sum += contact::kinetic_energy(model.bodies[i], state.bodies[i]);
  return sum;
}

double potential_energy(const model::Model& model, const model::State& state, int body) {
  double sum = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (body < 0 || body == static_cast<int>(i))
      sum += contact::potential_energy(model.bodies[i], model.gravity, state.bodies[i]);
  return sum;
}

}  // namespace stickslip::expression
