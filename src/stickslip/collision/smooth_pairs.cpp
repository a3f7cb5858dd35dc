// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/collision/smooth_pairs.h"

#include "stickslip/collision/narrow_phase.h"

namespace stickslip::collision {

Placement evaluate_smooth(const Placed&, FeatureCode, const Placed&, FeatureCode, const Vec3&) { return {}; }

void search_smooth(PairSearch&) {}

}  // namespace stickslip::collision
