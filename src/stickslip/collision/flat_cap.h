// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A cap of a cylinder that lies flat on a face. Every point of its rim over the face may bear it; contacts list some:
//
//     fixed points              eight of the rim, whatever happens                                  smooth_search.cpp
//     crossings                 where the boundary of the face crosses the rim
//     the point it tips about   the lowest one after the motion that a stepper found with those above
//
// With x(phi) = c + R (cos(phi) e1 + sin(phi) e2) the rim and n, d the face, the gap after the motion (v, w relative,
// over h) is, to first order as in the contact problem,
//
//     n.x - d + h n.(v + w x (x - c)) = f_c + f_1 cos(phi) + f_2 sin(phi),       lowest: f_c - |(f_1, f_2)|
//
// at the angle of -(f_1, f_2). A stepper that adds this point and solves again, until no point of the rim sinks in,
// holds the cap on its whole circle: a cylinder tips at the same force in every direction.
#pragma once

#include "stickslip/collision/narrow_phase.h"

#include <optional>

namespace stickslip::collision {

// Does the foot of world point x lie in face `face` of the shape?
[[nodiscard]] bool over_face(const Placed& shape, int face, const Vec3& x);
[[nodiscard]] double height_over(const Placed& shape, int face, const Vec3& x);
// A point that lies `gap` < 0 under a face, but less far under another part of the surface: that is where it came in.
// (A can on a table, beyond its edge, is not inside of the table's side.)
[[nodiscard]] bool came_in_elsewhere(const Placed& shape, int face, double gap, const Vec3& x);

// Angles on the rims of cylinder `b` at which the boundary of face `face` of `a` crosses them, seen along the axis.
void find_rim_crossings(const Placed& a, int face, const Placed& b, std::vector<double>& angles);

// The rim point of cap `cap` of b that the motion in the frames brings lowest over face `face` of a within h, if it
// sinks in there. None when the cap does not lie flat, or the point is not over the face.
[[nodiscard]] std::optional<FeatureCode> sinking_rim_point(const Placed& a, int face, const Placed& b, int cap,
                                                           double h);

}  // namespace stickslip::collision
