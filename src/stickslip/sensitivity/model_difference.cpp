// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/sensitivity/model_difference.h"

#include "stickslip/model/shape_fields.h"
#include "stickslip/motion/prescribed_motion.h"
#include "stickslip/motion/prescribed_rotation.h"

#include <algorithm>

namespace stickslip::sensitivity {
namespace {

using model::PlacedShape;

bool same(const PlacedShape& a, const PlacedShape& b) {
  if (a.shape.index() != b.shape.index() || a.pose.position != b.pose.position ||
      a.pose.orientation.coeffs() != b.pose.orientation.coeffs())
    return false;
  return std::visit(
      [&](const auto& shape) {
        return model::fields_of(shape) == model::fields_of(std::get<std::decay_t<decltype(shape)>>(b.shape));
      },
      a.shape);
}

bool same(const model::Support& a, const model::Support& b) {
  return a.friction == b.friction && a.on == b.on &&
         std::ranges::equal(a.points, b.points, [](const model::Support::Point& x, const model::Support::Point& y) {
           return x.position == y.position && x.load == y.load;
         });
}

bool same(const model::Body& a, const model::Body& b) {
  return a.forces.empty() && b.forces.empty() && a.kind == b.kind && a.mass == b.mass && a.inertia == b.inertia &&
         a.linear_damping == b.linear_damping && a.angular_damping == b.angular_damping &&
         a.drive.rotation_locked == b.drive.rotation_locked && same(a.support, b.support) &&
         std::ranges::equal(a.shapes, b.shapes, [](const PlacedShape& x, const PlacedShape& y) { return same(x, y); });
}

}  // namespace

std::vector<DriveChange> drive_changes(const model::Model& a, const model::Model& b) {
  std::vector<DriveChange> changes;
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const model::Drive &x = a.bodies[i].drive, &y = b.bodies[i].drive;
    DriveChange change{static_cast<int>(i), {}, false};
    bool any = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      change.translation[axis] = x.translation[axis] && !motion::same_motion(x.translation[axis], y.translation[axis]);
      any |= change.translation[axis];
    }
    change.rotation = (x.angle && !motion::same_motion(x.angle, y.angle)) ||
                      (x.orientation && !motion::same_rotation(x.orientation, y.orientation));
    if (any || change.rotation) changes.push_back(change);
  }
  return changes;
}

bool same_but_for_motion(const model::Model& a, const model::Model& b) {
  return a.dimension == b.dimension && a.gravity == b.gravity && a.surfaces == b.surfaces && a.laws == b.laws &&
         std::ranges::equal(a.bodies, b.bodies, [](const model::Body& x, const model::Body& y) { return same(x, y); });
}

}  // namespace stickslip::sensitivity
