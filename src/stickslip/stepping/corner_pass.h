// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Corner over corner. A block slides over the end of a table and tips. It bears on the corner of the table (closed: the
// table's corner on the block's lower face), and its own trailing corner hangs over the table top:
//
//        block ____                gap of the block's corner over the table top  = s sin(phi)
//           __/    \               s: distance of the two corners along the block's lower face
//   table  |________\  phi
//
// s falls to zero, and the gap with it, exactly when the corners meet, where the block's corner leaves the table top. It
// never presses on it: two convex corners that slide over each other part without an impulse. Taken for a touch-down it
// would be stopped there, an impulse that does not vanish with the step.
//
// In space the closed contact is one of two edges, and the corner is an end of one of them.
#pragma once

#include "stickslip/collision/contact.h"
#include "stickslip/collision/feature.h"
#include "stickslip/stepping/world.h"

#include <vector>

namespace stickslip::stepping {

// Of an open contact of a corner with a face, and a closed one: are they corners of the same two bodies, each on a side
// of the other (in space: two edges)? Corners pass where the two contacts are then at one place.
[[nodiscard]] inline bool may_pass(const collision::ContactId& open, const collision::ContactId& closed,
                                   int dimension) {
  using collision::feature_kind;
  using collision::FeatureKind;
  if (open.body_a != closed.body_a || open.body_b != closed.body_b) return false;
  if (open.shape_a != closed.shape_a || open.shape_b != closed.shape_b) return false;
  const FeatureKind a = feature_kind(open.feature_a), b = feature_kind(open.feature_b);
  const FeatureKind of_a = feature_kind(closed.feature_a), of_b = feature_kind(closed.feature_b);
  const bool corner =
      (a == FeatureKind::Vertex && b == FeatureKind::Face) || (a == FeatureKind::Face && b == FeatureKind::Vertex);
  if (!corner) return false;
  return dimension == 2 ? of_a == b && of_b == a : of_a == FeatureKind::Edge && of_b == FeatureKind::Edge;
}

// Planar contacts of a step of length h at the geometry of its start: takes out those of corners that pass within it. They
// close nowhere else, so that nothing is lost.
void leave_out_passing(const World& world, double h, std::vector<collision::Contact>& contacts);

}  // namespace stickslip::stepping
