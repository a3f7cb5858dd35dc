// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/model.h"

#include <cmath>

namespace stickslip::model {

void apply_drive(const Drive& drive, double time, BodyState& body) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!drive.translation[static_cast<std::size_t>(axis)]) continue;
    const TimeJet jet = drive.translation[static_cast<std::size_t>(axis)](time);
    body.pose.position[axis] = jet.value;
    body.velocity.linear[axis] = jet.rate;
  }
  if (drive.angle) {
    const TimeJet jet = drive.angle(time);
    body.angle = jet.value;
    body.pose.orientation = Quat(std::cos(0.5 * jet.value), 0, 0, std::sin(0.5 * jet.value));
    body.velocity.angular = Vec3(0, 0, jet.rate);
  }
  if (drive.orientation) {
    const OrientationJet jet = drive.orientation(time);
    body.pose.orientation = jet.orientation;
    body.velocity.angular = jet.angular_velocity;
  }
}

void apply_drives(const Model& model, double time, State& state) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) apply_drive(model.bodies[i].drive, time, state.bodies[i]);
}

State initial_state(const Model& model) {
  State state;
  state.bodies.reserve(model.bodies.size());
  for (const Body& body : model.bodies) state.bodies.push_back(body.initial);
  apply_drives(model, state.time, state);
  return state;
}

}  // namespace stickslip::model
