// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Leong and Lv, the metre stick on two fingers, against switch times of an event-driven solution (errors below 1e-8 s).
#include "tests/support/mechanics.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stickslip::testing {
namespace {

const std::vector<double> kSwitches = {1.000000000, 1.225087620, 2.948059257, 3.168606012, 4.405521866,
                                       4.619856053, 5.493721859, 5.699495123, 6.303129495, 6.497007359,
                                       6.900824326, 7.078031056, 7.335979236, 7.489675400, 7.643805523,
                                       7.764449012, 7.848315548, 7.923833530, 7.964225108};

std::vector<double> switches(const char* stepper, double h) {
  Experiment run(meter_stick(0.1, 0.4, 0.3), method(stepper, h));
  std::vector<double> times;
  EXPECT_TRUE(run.simulation.run_until(7.967, [&](const simulation::Simulation& now) {
    for (const stepping::Event& event : now.last_report().events) times.push_back(event.time);
    return true;
  }));
  if (times.empty())  // the first-order stepper knows modes at the ends of steps only
    for (const auto& interval : run.simulation.timeline().finished())
      if (interval.mode != contact::Mode::Roll) times.push_back(interval.end);
  std::sort(times.begin(), times.end());
  return times;
}

TEST(MeterStick, FirstOrderSwitchesWithinTwoSteps) {
  const double h = 1e-3;
  const std::vector<double> times = switches(kFirstOrder, h);
  ASSERT_GE(times.size(), 8u);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(times[k], kSwitches[k], 2 * h) << "switch " << k;
}

TEST(MeterStick, SecondOrderSwitchesConvergeWithTheSquareOfTheStep) {
  double worst[2];
  const double steps[2] = {1e-3, 1e-4};
  for (int k = 0; k < 2; ++k) {
    const std::vector<double> times = switches(kSecondOrder, steps[k]);
    ASSERT_EQ(times.size(), kSwitches.size());
    worst[k] = 0;
    for (std::size_t i = 0; i < kSwitches.size(); ++i)
      worst[k] = std::max(worst[k], std::fabs(times[i] - kSwitches[i]));
  }
  EXPECT_LT(worst[0], 1e-5);  // all nineteen; the requirement is on the first eight
  EXPECT_LT(worst[1], 1e-7);
}

}  // namespace
}  // namespace stickslip::testing
