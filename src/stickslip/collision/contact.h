// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A potential contact: a pair of features of two bodies that may touch within the step, touching or not.
//
// The gap is signed (negative: penetration). The normal points from body_b into body_a, so that a positive normal
// impulse pushes body_a along +normal and body_b along -normal. gap = normal . (point_a - point_b).
// For rigid bodies d gap / dt = normal . (velocity of a at point_a - velocity of b at point_b) exactly.
#pragma once

#include "stickslip/math/types.h"

#include <cstdint>

namespace stickslip::collision {

// Which features touch: stable from step to step, so that impulses and modes can be carried over. Ordering by
// (body_a, body_b, shape_a, shape_b, feature_a, feature_b, element) is the canonical order of contacts.
struct ContactId {
  std::int32_t body_a = -1, body_b = -1;      // body_a < body_b always
  std::int32_t shape_a = 0, shape_b = 0;      // index into Body::shapes
  std::int32_t feature_a = 0, feature_b = 0;  // vertex, edge or face of the shape, coded by the collider; 0 if smooth
  std::int32_t element = 0;                   // of a patch into which a stepper divides the contact (contact/patch.h)
  friend auto operator<=>(const ContactId&, const ContactId&) = default;
};

struct Contact {
  ContactId id;
  int surface = 0;  // index into Model::surfaces
  double gap = 0;
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // closest points, world frame
  Vec3 normal = Vec3::UnitZ();                          // world frame, unit length
};

}  // namespace stickslip::collision
