// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/stepping/feature_ends.h"

#include "stickslip/stepping/noise.h"
#include "stickslip/stepping/rest.h"

#include <algorithm>

namespace stickslip::stepping {

bool features_end(const model::Model& model) {
  int with_ends = 0, without = 0;
  for (const model::Body& body : model.bodies)
    for (const model::PlacedShape& placed : body.shapes) {
      const model::Shape& shape = placed.shape;
      const bool plain = std::holds_alternative<model::Sphere>(shape) || std::holds_alternative<model::Disc>(shape) ||
                         std::holds_alternative<model::PointSet>(shape);
      if (!plain && !std::holds_alternative<model::HalfSpace>(shape)) ++with_ends;
      if (plain) ++without;
    }
  return with_ends > 1 || (with_ends == 1 && without > 0);
}

void FeatureEnds::list_present(World& world, double margin) {
  present_ = world.contacts;
  world.collider.find(world.model, world.state, margin, 0, present_);
}

bool FeatureEnds::find(World& world, double margin, double h) {
  lost_.clear();
  for (std::size_t c = 0; c < world.memory.size(); ++c)
    if (world.memory[c].mode != contact::Mode::Open) lost_.push_back(world.contacts[c]);
  if (lost_.empty()) return false;
  list_present(world, margin);
  std::erase_if(lost_, [&](const collision::Contact& contact) { return is_present(contact.id); });
  if (lost_.empty()) return false;
  world.collider.refresh(world.model, world.state, lost_);
  std::erase_if(lost_, [&](const collision::Contact& contact) { return is_replaced(world, contact, h); });
  return !lost_.empty();
}

bool FeatureEnds::keep_present(World& world, double margin) {
  list_present(world, margin);
  std::erase_if(lost_, [&](const collision::Contact& contact) { return !is_present(contact.id); });
  return !lost_.empty();
}

bool FeatureEnds::is_present(const collision::ContactId& id) const {
  return std::ranges::binary_search(present_, id, {}, &collision::Contact::id);
}

// Another pair of features holds the same bodies in the same direction, no farther off than contacts move in the step:
// the point has gone over into the next facet, or is named by where it lies (the rim of a cap over an edge).
bool FeatureEnds::is_replaced(const World& world, const collision::Contact& contact, double h) const {
  constexpr double kSameNormal = 1e-12;  // 1 - cos of the angle: 1.4e-6, a face and no other of a polyhedron
  const auto known = std::ranges::lower_bound(world.memory, contact.id, {}, &ContactMemory::id);
  const double reach = 4 * h * known->relative_velocity.norm() + kClosedGap * arm_of(contact, world.state);
  return std::ranges::any_of(present_, [&](const collision::Contact& other) {
    return other.id.body_a == contact.id.body_a && other.id.body_b == contact.id.body_b &&
           other.normal.dot(contact.normal) > 1 - kSameNormal && (other.point_a - contact.point_a).norm() <= reach;
  });
}

bool FeatureEnds::lost_some(World& world, double margin) {
  list_present(world, margin);
  return std::ranges::any_of(lost_, [&](const collision::Contact& contact) {
    const auto at = std::ranges::lower_bound(world.memory, contact.id, {}, &ContactMemory::id);
    const bool closed = at != world.memory.end() && at->id == contact.id && at->mode != contact::Mode::Open;
    return closed && !is_present(contact.id);
  });
}

}  // namespace stickslip::stepping
