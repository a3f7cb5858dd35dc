// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Boxes side by side that overlap: the overlap has two ends, and a contact at one of them lets the boxes turn about it.
//
//      ________
//     |   |‾‾‾‾|‾‾‾|        the sides that face each other overlap in height by the interval that both have in common
//     |___|____|___|        (here all of the right one), in width by delta
//
// Decided by interval arithmetic, which shares nothing with the search.
#include "tests/collision/scenes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stickslip::collision::testing {
namespace {

model::Polygon box(double low, double high, double left, double right) {
  return {{{Vec2(left, low), Vec2(right, low), Vec2(right, high), Vec2(left, high)}}};
}

TEST(SideBySide, BothEndsOfAnOverlapHaveAContact) {
  std::mt19937_64 random(11);
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  for (int trial = 0; trial < 2000; ++trial) {
    const double overlap = std::pow(10.0, between(-7, -2.5)), tall = between(0.3, 1), other = between(0.3, 1);
    // On one floor, of one height, both, or neither.
    const bool one_floor = between(0, 1) < 0.5, one_top = between(0, 1) < 0.4;
    const double low = one_floor ? 0 : between(-0.1, 0.1), high = one_top ? tall : low + other;
    const model::Model model = pair_of(box(0, tall, -0.4, 0), box(low, high, -overlap, 0.5), true);
    model::State state = state_of(model);
    const double angle = between(-3, 3);
    const Vec3 place(between(-1, 1), between(-1, 1), 0);
    for (model::BodyState& body : state.bodies) {
      turn_planar(body, angle);
      body.pose.position = place;
    }
    const std::vector<Contact> contacts = find(model, state, 1e-4);
    const Mat3 turn = state.bodies[0].pose.orientation.toRotationMatrix();
    for (const double end : {std::max(0.0, low), std::min(tall, high)}) {
      int there = 0;
      for (const Contact& contact : contacts) {
        const Vec3 at = turn.transpose() * (contact.point_a - place), normal = turn.transpose() * contact.normal;
        // Coordinates of size 2: their rounding, with room.
        if (std::abs(at.y() - end) > 1e-12 || std::abs(normal.x()) < 1 - 1e-12) continue;
        EXPECT_NEAR(contact.gap, -overlap, 1e-14) << "trial " << trial;
        ++there;
      }
      EXPECT_EQ(there, 1) << "trial " << trial << ": at the height " << end << " of " << low << " to " << high
                          << " and 0 to " << tall << ", overlap " << overlap;
    }
    EXPECT_EQ(contacts.size(), 2u) << "trial " << trial;
  }
}

}  // namespace
}  // namespace stickslip::collision::testing
