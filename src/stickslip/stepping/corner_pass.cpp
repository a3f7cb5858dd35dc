// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/corner_pass.h"

#include "stickslip/stepping/contact_memory.h"
#include "stickslip/stepping/motion.h"

#include <algorithm>
#include <cmath>

namespace stickslip::stepping {
namespace {

Vec3 velocity_at(const model::BodyState& body, const Vec3& point) {
  return body.velocity.linear + body.velocity.angular.cross(point - body.pose.position);
}

const Vec3& corner_of(const collision::Contact& contact) {
  const bool of_a = collision::feature_kind(contact.id.feature_a) == collision::FeatureKind::Vertex;
  return of_a ? contact.point_a : contact.point_b;
}

// Each corner is on the line of the side that the other one is on: they are the ends of these sides.
bool sides_end_there(const collision::Contact& open, const collision::Contact& closed) {
  constexpr double kOnLine = 1e-3;  // of their distance, as an angle
  const Vec3 apart = corner_of(open) - corner_of(closed);
  const double noise = kOnLine * apart.norm() + 2 * std::fabs(closed.gap);
  return std::fabs(std::fabs(apart.dot(open.normal)) - open.gap) <= noise &&
         std::fabs(apart.dot(closed.normal)) <= noise;
}

}  // namespace

void leave_out_passing(const World& world, double h, std::vector<collision::Contact>& contacts) {
  constexpr double kFurther = 2;  // than the path within the step: forces change it
  const auto closed = [&](const collision::ContactId& id) {
    const auto at = std::ranges::lower_bound(world.memory, id, {}, &ContactMemory::id);
    return at != world.memory.end() && at->id == id && at->mode != contact::Mode::Open;
  };
  const auto passes = [&](const collision::Contact& open) {
    if (!(open.gap > 0) || closed(open.id)) return false;
    return std::ranges::any_of(contacts, [&](const collision::Contact& other) {
      if (!may_pass(open.id, other.id, world.model.dimension) || !closed(other.id)) return false;
      const Vec3 path = h * (velocity_at(world.state.bodies[index(open.id.body_a)], open.point_a) -
                             velocity_at(world.state.bodies[index(open.id.body_b)], open.point_b));
      return (open.point_a - other.point_a).norm() <= kFurther * path.norm() && sides_end_there(open, other);
    });
  };
  if (contacts.size() < 2 || world.model.dimension != 2) return;
  const auto any = std::ranges::find_if(contacts, passes);
  if (any != contacts.end()) contacts.erase(any);
}

}  // namespace stickslip::stepping
