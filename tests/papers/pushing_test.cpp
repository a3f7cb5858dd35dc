// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Berard et al. 2007, V.B: a block on three supports, pushed by a needle. The quasi-static motion is the one of least
// friction power, a convex problem that was solved without time stepping; many solutions pivot exactly about a support.
#include "tests/support/example_run.h"

#include <fmt/format.h>
#include <numbers>

namespace stickslip::testing {
namespace {

struct Push {
  double offset, vx;              // of the needle; it moves up with 0.1 mm/s
  double block_x, block_y, turn;  // velocity of the block, mm/s and rad/s
};
void PrintTo(const Push& push, std::ostream* out) {
  *out << "offset " << push.offset << ", vx " << push.vx;
}

class NeedlePush : public ::testing::TestWithParam<Push> {};

// The twist over one short step is the instantaneous one up to O(h): 1e-6 s at 0.1 rad/s.
TEST_P(NeedlePush, MovesWithLeastFrictionPower) {
  const Push& push = GetParam();
  constexpr double h = 1e-6;
  const ExampleRun end("needle-push", {{"offset", fmt::format("{}", push.offset)},
                                       {"vx", fmt::format("{}", push.vx)},
                                       {"method.step", fmt::format("{}", h)},
                                       {"duration", fmt::format("{}", h)}});
  constexpr double kTolerance = 1e-7;  // of the needle's speed, 0.1: a relative error of 1e-6
  EXPECT_NEAR(end.at("x") / h, push.block_x, kTolerance);
  EXPECT_NEAR(end.at("y") / h, push.block_y, kTolerance);
  EXPECT_NEAR(end.at("angle") / h, push.turn, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Rows, NeedlePush,
                         ::testing::Values(Push{-.8, 0, .013333333, .046666667, -.066666667},
                                           Push{-.5, 0, .016666667, .058333333, -.083333333},
                                           Push{-.25, 0, .021381317, .081011732, -.075953072}, Push{0, 0, 0, .1, 0},
                                           Push{.1, 0, -.014459526, .097108095, .028919053},
                                           Push{.3, 0, -.033333333, .066666667, .111111111},
                                           Push{.8, 0, -.021428571, .042857143, .071428571},
                                           Push{0, .05, .017938096, .1, .064123809},
                                           Push{.3, .05, .000318936, .070191362, .099362128},
                                           Push{.8, .05, -.004668126, .040383905, .074520119}));

// Eight seconds; the reference is a Runge-Kutta integration of the twists. First order: the error falls with the step.
TEST(NeedlePushPath, EndsWhereTheReferenceEnds) {
  struct Path {
    const char *offset, *vx;
    double x, y, degrees;
  };
  for (const Path& path :
       {Path{"0.3", "0", -.280582, .442682, 42.94632}, Path{"-0.5", "0", .177327, .411666, -37.38763},
        Path{"0.3", "0.05", -.109773, .362450, 33.58771}}) {
    const ExampleRun end("needle-push", {{"offset", path.offset}, {"vx", path.vx}});
    EXPECT_NEAR(end.at("x"), path.x, 1e-3);
    EXPECT_NEAR(end.at("y"), path.y, 1e-3);
    EXPECT_NEAR(end.at("angle") * 180 / std::numbers::pi, path.degrees, 0.1);
    // While modes last, one balance of forces per step is enough; the general way needs three or four.
    const simulation::Counters& counters = end.simulation().counters();
    EXPECT_LT(static_cast<double>(counters.solves), 1.2 * static_cast<double>(counters.steps));
  }
}

// Regularised friction, extrapolated to the exact cone: pose to 3e-7.
TEST(SlideToRest, EndsWhereTheReferenceEnds) {
  struct Slide {
    const char *vx, *vy, *w;
    double t, x, y, angle;
  };
  for (const Slide& s : {Slide{"0.5", "0", "0", .1700680, .04251701, 0, 0},
                         Slide{"0.5", "0", "10", .334422, .05788255, .00295989, 1.96918802},
                         Slide{"0.5", "0.2", "-20", .534271, .10333197, .03701412, -5.66720953},
                         Slide{"0", "0", "15", .366119, .00214437, .00986209, 2.65691931},
                         Slide{"0.3", "-0.4", "5", .239713, .02796616, -.03901009, .80697093}}) {
    const ExampleRun end("slide-to-rest", {{"vx", s.vx}, {"vy", s.vy}, {"w", s.w}});
    EXPECT_NEAR(end.at("x"), s.x, 1e-5) << s.w;
    EXPECT_NEAR(end.at("y"), s.y, 1e-5) << s.w;
    EXPECT_NEAR(end.at("angle"), s.angle, 1e-4) << s.w;
    EXPECT_NEAR(end.at("t_rest"), s.t, 3e-4) << s.w;  // the end of the step in which it comes to rest
  }
}

}  // namespace
}  // namespace stickslip::testing
