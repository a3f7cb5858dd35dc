// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/state.h"

#include <cmath>

namespace stickslip::model {

Pose advance(const Pose& pose, const Twist& twist, double h) {
  Pose next;
  next.position = pose.position + h * twist.linear;
  const double half = 0.5 * h * twist.angular.norm();
  // sin(x)/x by its series for small x: the next term is below one ulp.
  const double s = half < 1e-4 ? 1.0 - half * half / 6.0 : std::sin(half) / half;
  const Vec3 axis = 0.5 * h * s * twist.angular;
  next.orientation = Quat(std::cos(half), axis.x(), axis.y(), axis.z()) * pose.orientation;
  next.orientation.normalize();
  return next;
}

void advance(BodyState& body, const Twist& twist, double h, bool planar) {
  if (!planar) {
    body.pose = advance(body.pose, twist, h);
    return;
  }
  body.pose.position += h * twist.linear;
  body.angle += h * twist.angular.z();
  body.pose.orientation = Quat(std::cos(0.5 * body.angle), 0, 0, std::sin(0.5 * body.angle));
}

}  // namespace stickslip::model
