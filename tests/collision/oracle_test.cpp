// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The collider against separating axes by brute force, on pairs that are aligned, flush, thin, equal or degenerate.
// `script/bench collision_oracle` does the same with 200,000 pairs and more kinds.
#include "tests/collision/adversarial_pairs.h"
#include "tests/collision/scenes.h"

#include <gtest/gtest.h>

namespace stickslip::collision::testing {
namespace {

// Relative to the larger solid. Positions are rounded to 1e-16 of the world's coordinates, normals of the collider's
// facets to 1e-16 of a turn: some dozens of roundings.
constexpr double kRounding = 1e-12;

double smallest_gap(const std::vector<Contact>& contacts) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Contact& c : contacts) smallest = std::min(smallest, c.gap);
  return smallest;
}

class AdversarialPairs : public ::testing::TestWithParam<std::size_t> {};

TEST_P(AdversarialPairs, EveryOverlapIsFoundWithItsDepthAndEveryGapWithinReach) {
  PairMaker make(17 + GetParam());
  for (int trial = 0; trial < 150; ++trial) {
    const SolidPair pair = make.make(GetParam());
    const model::Model model = pair_of(pair.a, pair.b, false);
    model::State state = state_of(model);
    state.bodies[0].pose = pair.pose_a;
    state.bodies[1].pose = pair.pose_b;
    const SolidPoints a = solid_points(pair.a, pair.pose_a), b = solid_points(pair.b, pair.pose_b);
    const auto separation = static_cast<double>(separate_by_axes(a, b).separation);
    const double reach = pair.smaller * std::pow(10.0, make.in(-3, -1)), rounding = kRounding * pair.size;
    const double found = smallest_gap(find(model, state, reach));
    if (separation < -rounding) {
      EXPECT_NEAR(found, separation, rounding) << "trial " << trial;
    } else {
      const auto distance = static_cast<double>(distance_by_features(a, b));
      if (distance < reach - rounding) {
        EXPECT_LE(found, std::max(distance, separation) + rounding) << "trial " << trial;
      }
      EXPECT_GE(found, separation - rounding) << "trial " << trial;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Oracle, AdversarialPairs, ::testing::Range<std::size_t>(0, kPairKinds.size()));

}  // namespace
}  // namespace stickslip::collision::testing
