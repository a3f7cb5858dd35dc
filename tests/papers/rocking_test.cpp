// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Berard, Nguyen, Trinkle and Anderson 2010, section 3.1.1: a particle on a plate that rocks about an axis near below it
// sticks for a part of each period. It turns against the plate all the time, but a point does not roll. The parts are of
// an event-driven integration (RK4 between bisected events) that shares no code with the steppers.
#include "tests/support/example_run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stickslip::testing {
namespace {

// The part of the time from `begin` to `end` that the pairs of a run spend in a mode.
double part_in(const simulation::Simulation& run, contact::Mode mode, double begin, double end) {
  double sum = 0;
  const auto add = [&](const auto& intervals) {
    for (const auto& interval : intervals)
      if (interval.mode == mode) sum += std::max(0.0, std::min(interval.end, end) - std::max(interval.begin, begin));
  };
  add(run.timeline().finished());
  add(run.timeline().current());
  return sum / (end - begin);
}

TEST(RockingPlate, ParticleSticksAndDoesNotRoll) {
  const struct {
    const char* depth;
    double sticks;
  } cases[] = {{"2", 0.3642142}, {"1", 0.4388710}};
  for (const auto& [depth, sticks] : cases) {
    const ExampleRun located(
        "plate-2d",
        {{"depth", depth}, {"duration", "1.02"}, {"method.stepper", "second-order"}, {"method.step", "2.5e-4"}});
    EXPECT_NEAR(part_in(located.simulation(), contact::Mode::Stick, 0.96, 1.02), sticks, 1e-5) << depth;
    EXPECT_EQ(part_in(located.simulation(), contact::Mode::Roll, 0, 1.02), 0) << depth;
    const ExampleRun stepped(
        "plate-2d",
        {{"depth", depth}, {"duration", "1.02"}, {"method.stepper", "stewart-trinkle"}, {"method.step", "1e-4"}});
    // Modes are those of whole steps: two changes in each of two periods, each off by at most a step or two.
    EXPECT_NEAR(part_in(stepped.simulation(), contact::Mode::Stick, 0.96, 1.02), sticks, 8 * 1e-4 / 0.06) << depth;
    EXPECT_EQ(part_in(stepped.simulation(), contact::Mode::Roll, 0, 1.02), 0) << depth;
  }
}

// A body that goes over its corners stands on one of them at a time; a disc rolls.
TEST(RockingPlate, CornersDoNotRollButDiscsDo) {
  const ExampleRun corners("rolling/ngon.toml");
  const double end = corners.simulation().time();
  EXPECT_EQ(part_in(corners.simulation(), contact::Mode::Roll, 0, end), 0);
  EXPECT_GT(part_in(corners.simulation(), contact::Mode::Stick, 0, end), 0.5);
  const ExampleRun disc("disk");
  EXPECT_GT(part_in(disc.simulation(), contact::Mode::Roll, 0, 0.022), 0.4);  // from 0.011385 s on
}

}  // namespace
}  // namespace stickslip::testing
