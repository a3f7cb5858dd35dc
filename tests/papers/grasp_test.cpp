// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Berard et al. 2007, V.C: a gear on three supports between two force-controlled fingers.
#include "tests/support/example_run.h"

#include <fmt/format.h>

#include <cmath>

namespace stickslip::testing {
namespace {

ExampleRun grasp(double x, double y, double mu_support = 0.5, double grip = 0.5) {
  return ExampleRun("grasp", {{"x", fmt::format("{}", x)},
                              {"y", fmt::format("{}", y)},
                              {"mu_support", fmt::format("{}", mu_support)},
                              {"grip", fmt::format("{}", grip)}});
}

bool succeeds(const ExampleRun& end) {
  return end.at("held") == 1 && end.at("still") == 1 && end.at("on_faces") == 1 && end.at("apart") == 4;
}

TEST(Grasp, CentredFingersCloseOnOppositeTeethForEveryFriction) {
  for (const double mu_support : {0.33, 0.66})
    for (const double grip : {0.33, 0.66, 0.99}) {
      const ExampleRun end = grasp(0, 0, mu_support, grip);
      EXPECT_TRUE(succeeds(end)) << "supports " << mu_support << ", fingers " << grip;
      EXPECT_NEAR(end.at("turned"), 0, 1e-9);
    }
}

// The outer face of a tooth ends 2.498 mm from its axis, a finger is 3 mm wide: from 4 mm on it meets the flank.
TEST(Grasp, FingersBesideTheToothSlipIntoTheGap) {
  EXPECT_TRUE(succeeds(grasp(0, 2)));
  EXPECT_FALSE(succeeds(grasp(0, 5)));
  EXPECT_LT(grasp(0, 5).at("left_radius"), 20);
}

// The gear's radius is 20.5 mm: the fingers meet in the air.
TEST(Grasp, FingersBesideTheGearMissIt) {
  const ExampleRun end = grasp(0, 23);
  EXPECT_EQ(end.at("held"), 0);
  EXPECT_EQ(end.at("turned"), 0);
}

// Gear and supports are symmetric about the x axis.
TEST(Grasp, MirroredPositionsTurnTheGearTheOtherWay) {
  for (const double x : {-7.0, 5.0})
    for (const double y : {3.0, 8.0}) {
      const ExampleRun above = grasp(x, y), below = grasp(x, -y);
      EXPECT_EQ(succeeds(above), succeeds(below));
      EXPECT_NEAR(above.at("turned"), -below.at("turned"), 1e-6) << x << ", " << y;
    }
}

// examples/papers/002/lock.toml: fingers midway (x = 0) press on faces of the slope asin(|y| / 13.5). They hold when
// atan(mu_grip) exceeds it, and slip when it exceeds atan(mu_grip) by what the table's friction can add.
TEST(LockGrasp, HoldsWhereStaticsSaysAndSlipsWhereItSays) {
  for (const double mu_grip : {0.35, 0.5, 0.65, 0.95})
    for (const double mu_support : {0.33, 0.66}) {
      const double holds = 13.5 * std::sin(std::atan(mu_grip)),
                   slips = 13.5 * std::sin(std::atan(mu_grip) + std::atan(mu_support * 0.05 * 9810 / 4000));
      for (const auto& [y, succeeds] :
           {std::pair{holds - 0.01, true}, {0.01 - holds, true}, {slips + 0.01, false}, {-slips - 0.01, false}}) {
        const ExampleRun end("papers/002/lock.toml", {{"y", fmt::format("{}", y)},
                                                      {"mu_support", fmt::format("{}", mu_support)},
                                                      {"grip", fmt::format("{}", mu_grip)}});
        EXPECT_EQ(end.at("t_still") > 0 && end.at("opposite") == 1, succeeds)
            << "fingers " << mu_grip << ", table " << mu_support << ", y = " << y;
      }
    }
}

}  // namespace
}  // namespace stickslip::testing
