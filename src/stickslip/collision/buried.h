// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Inner edges of what is flush: floors of tiles, compounds of blocks, neighbours in a pile.
//
// A feature of polyhedron q touches something at point p with normal n (out of q). A third solid r makes this a ghost
// if nothing can get there: p lies on or in r (to a distance eta) and r reaches beyond the plane through p square to n,
//
//     dist(p, r) <= eta   and   max_{x in r} n.(x - p) > 2 eta.
//
// Both sides of a joint between flush boxes are ghosts by this rule, their common top is not. In a notch (the foot of a
// wall on a floor) the same holds at p, yet the wall is real. So the contact is dropped only if the rule holds, with
// one r or another, wherever q touches in the same way around p, as far as bodies move within the step: on the facet,
// along the edge, and from an edge or vertex on its facets that look the same way and on which r stands. Steps and
// slots above eta are real, those below do not exist.
#pragma once

#include "stickslip/collision/evaluate.h"

#include <span>

namespace stickslip::collision {

struct BuriedPoint {
  FeatureCode feature = 0;                            // of q
  Vec3 point = Vec3::Zero(), normal = Vec3::UnitZ();  // world; out of q
};

// A third solid. One that is joined to q (a shape of the same body, or both fixed) hides what is inside of it too; of
// others only the surface counts, because solids that move are flush or overlap by mistake.
struct Neighbour {
  Placed shape;
  bool joined = false;
};

// `others`: the third solids; `eta`: flush is what differs by less; `around`: how far around the point q is looked at.
[[nodiscard]] bool is_buried(const Placed& q, const BuriedPoint& touch, std::span<const Neighbour> others, double eta,
                             double around);

}  // namespace stickslip::collision
