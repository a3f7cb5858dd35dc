// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "live_hand.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace stickslip::app {
namespace {

constexpr double kRate = 10;  // 1/s, of wall time
constexpr double kLargestRateStep =
    0.2;  // rate times step: beyond, the spring of the hand would be too stiff for the step
constexpr int kPushSteps = 4;

const model::BodyState& body_of(const model::State& state, int body) {
  return state.bodies[static_cast<std::size_t>(body)];
}

// Mean over directions n of n . M^-1 n at an arm r from the centre of mass: 1 / m + trace of (r x)^T I^-1 (r x) / d.
double mobility(const model::Body& body, const Quat& turn, const Vec3& arm) {
  double sum = 1 / body.mass;
  if (body.kind == model::BodyKind::Planar) sum += arm.squaredNorm() / (2 * body.inertia(2, 2));
  if (body.kind == model::BodyKind::Spatial) {
    const Mat3 world = turn.toRotationMatrix() * body.inertia.inverse() * turn.toRotationMatrix().transpose();
    Mat3 cross;
    cross << 0, -arm.z(), arm.y(), arm.z(), 0, -arm.x(), -arm.y(), arm.x(), 0;
    sum += (cross.transpose() * world * cross).trace() / 3;
  }
  return sum;
}

}  // namespace

Vec3 Hand::point(const model::State& state) const {
  const model::Pose& pose = body_of(state, body).pose;
  return pose.position + pose.orientation * local;
}

Vec3 Hand::force_at(const model::State& state) const {
  // Half a thousandth of the push: sums of steps are rounded.
  if (pushes()) return state.time < end - 5e-4 * (end - begin) ? force : Vec3(Vec3::Zero());
  const model::BodyState& now = body_of(state, body);
  const Vec3 arm = now.pose.orientation * local;
  const Vec3 velocity = now.velocity.linear + now.velocity.angular.cross(arm);
  return stiffness * (target - now.pose.position - arm) - damping * velocity;
}

Hand spring(const model::Model& model, const model::State& state, int body, const Vec3& from, const Vec3& to,
            double step, double per_second) {
  const model::BodyState& now = body_of(state, body);
  const model::Body& what = model.bodies[static_cast<std::size_t>(body)];
  Hand hand;
  hand.body = body;
  const Vec3 arm = what.rotates() ? Vec3(from - now.pose.position) : Vec3(Vec3::Zero());
  hand.local = now.pose.orientation.conjugate() * arm;
  hand.target = to;
  const double rate = std::min(kRate / per_second, kLargestRateStep / step);
  const double mass = 1 / mobility(what, now.pose.orientation, arm);
  hand.stiffness = mass * rate * rate;
  hand.damping = 2 * mass * rate;
  return hand;
}

Hand push(const model::State& state, int body, const Vec3& impulse, double step) {
  Hand hand;
  hand.body = body;
  hand.begin = state.time;
  hand.end = state.time + kPushSteps * step;
  hand.force = impulse / (kPushSteps * step);
  return hand;
}

int free_body(const model::Model& model, const std::string& name) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (model.bodies[b].name == name && model.bodies[b].mass > 0) return static_cast<int>(b);
  throw std::runtime_error(fmt::format("there is no body \"{}\" that moves freely", name));
}

void lay_on(const std::shared_ptr<const Hand>& hand, model::Model& model) {
  model.bodies[static_cast<std::size_t>(hand->body)].forces.push_back(
      [hand](const model::State& state, model::Wrench& wrench) {
        const Vec3 force = hand->force_at(state);
        wrench.force += force;
        if (hand->pushes()) return;
        const Vec3 arm = hand->point(state) - body_of(state, hand->body).pose.position;
        wrench.torque += arm.cross(force);
      });
}

}  // namespace stickslip::app
