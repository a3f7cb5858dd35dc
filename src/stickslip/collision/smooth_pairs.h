// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pairs in which at least one shape is curved beyond a rounding: cylinder, superellipse, superellipsoid.
#pragma once

#include "stickslip/collision/evaluate.h"

namespace stickslip::collision {

[[nodiscard]] Placement evaluate_smooth(const Placed& a, FeatureCode feature_a, const Placed& b, FeatureCode feature_b,
                                        const Vec3& side);

}  // namespace stickslip::collision
