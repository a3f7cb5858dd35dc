// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Paper 001, the shot of a spinning ball: slides with constant slip direction for 0.466700017306 s, then rolls. Closed
// form.
#include "tests/support/mechanics.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

double error_at_one_second(const char* stepper, double h, const char* friction_law = "cone", int directions = 8) {
  stepping::Method how = method(stepper, h);
  how.friction = friction_law;
  how.directions = directions;
  Experiment run(ball(), how);
  EXPECT_TRUE(run.simulation.run_until(1));
  const Vec3 p = run.body(0).pose.position;
  return std::hypot(p.x() - 0.561914290659, p.y() + 0.0476071366766);
}

TEST(Ball, FirstOrderErrorIsThatOfTheDiscretisation) {
  // h/2 |v_end - v_0| = 0.457 h: the position update's own error, nothing from friction.
  EXPECT_LE(error_at_one_second(kFirstOrder, 1e-3), 4.6e-4);
  EXPECT_LE(error_at_one_second(kFirstOrder, 1e-4), 4.6e-5);
}

TEST(Ball, SecondOrderIsExactBecauseForcesAreConstant) {
  for (double h : {1e-2, 1e-3}) EXPECT_LE(error_at_one_second(kSecondOrder, h), 1e-11);
}

TEST(Ball, ImplicitEulerNumbersOfTheReference) {
  Experiment run(ball(), method(kFirstOrder, 1e-2));
  ASSERT_TRUE(run.simulation.run_until(1));
  EXPECT_NEAR(run.body(0).pose.position.x(), 0.5590707, 5e-8);  // printed with seven digits
  EXPECT_NEAR(run.body(0).pose.position.y(), -0.0511616, 5e-8);
}

TEST(Ball, PyramidsConvergeToTheConeAsDirectionsDouble) {
  // The slip direction (2, 2.5) is no direction of these pyramids. The polygon's distance from the circle falls like
  // 1/d^2.
  const double e16 = error_at_one_second(kFirstOrder, 1e-4, "pyramid", 16);
  const double e64 = error_at_one_second(kFirstOrder, 1e-4, "pyramid", 64);
  const double e4 = error_at_one_second(kFirstOrder, 1e-4, "pyramid", 4);
  EXPECT_GT(e4, 1e-2);
  EXPECT_LT(e16, 0.3 * e4);
  EXPECT_LT(e64, 0.3 * e16);
}

}  // namespace
}  // namespace stickslip::testing
