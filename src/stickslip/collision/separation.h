// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Signed separation of two bodies by geometry alone: what the contact search is checked against (simulation/audit.h),
// what says whether bodies overlap at a start, and how far something may move before it can touch.
//
//     apart         the distance of the two bodies: the smallest over their pieces, low <= distance <= high
//     overlapping   -depth, where depth is a lower bound of the shortest translation that parts the bodies:
//                   the largest over pairs of pieces that overlap (parting the bodies parts each pair), and
//                   for a corner of one inside the closed surface of the other its distance from that surface.
//
// For two convex bodies the depth is the shortest translation itself, to the accuracy of convex_separation.h. For
// concave ones it is positive exactly when they overlap. A chain has no inside: what crosses it overlaps it, what has
// passed through is apart.
//
// Assumes both bodies in one plane (planar) or in space. Points do not touch points, half-spaces not half-spaces:
// infinitely apart. Thread-safe, no allocation.
// Cost: pairs of pieces whose balls are closer than the answer, found with two trees of balls.
#pragma once

#include "stickslip/collision/convex_separation.h"
#include "stickslip/model/state.h"

#include <limits>

namespace stickslip::collision {

struct PlacedSolid {
  const Solid* solid = nullptr;
  Mat3 rotation = Mat3::Identity();
  Vec3 position = Vec3::Zero();

  PlacedSolid(const Solid& solid_in, const model::Pose& pose)
      : solid(&solid_in), rotation(pose.orientation.toRotationMatrix()), position(pose.position) {}
};

// Pairs of pieces farther apart than `reach` are not looked at: then low is at least `reach` and high infinite. The
// normal and the points are those of the pair of pieces that decided.
[[nodiscard]] Separation separation(const PlacedSolid& a, const PlacedSolid& b,
                                    double reach = std::numeric_limits<double>::infinity());

}  // namespace stickslip::collision
