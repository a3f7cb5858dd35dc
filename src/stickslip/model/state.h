// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What changes during a run. Every body, planar or spatial, is stored in the same way: a planar body moves in the
// x-y plane and turns about z, a particle does not turn at all; their other velocity components stay exactly zero.
#pragma once

#include "stickslip/math/types.h"

#include <vector>

namespace stickslip::model {

struct Pose {
  Vec3 position = Vec3::Zero();         // of the centre of mass, world frame
  Quat orientation = Quat::Identity();  // body frame -> world frame, always of unit length
};

struct Twist {
  Vec3 linear = Vec3::Zero();   // velocity of the centre of mass, world frame
  Vec3 angular = Vec3::Zero();  // angular velocity, world frame
};

struct BodyState {
  Pose pose;
  Twist velocity;
  double angle = 0;  // planar bodies: rotation about z, not wrapped; the orientation follows it
};

struct State {
  double time = 0;
  std::vector<BodyState> bodies;  // in the order of Model::bodies
};

// The pose after moving with a constant twist for a time h: the exponential map, exact for constant angular velocity,
// and free of drift from unit length.
[[nodiscard]] Pose advance(const Pose& pose, const Twist& twist, double h);
void advance(BodyState& body, const Twist& twist, double h, bool planar);

}  // namespace stickslip::model
