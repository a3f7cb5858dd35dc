// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/common/stopwatch.h"

#include <gtest/gtest.h>

namespace stickslip::bench {
namespace {

TEST(Stopwatch, ShortSolvesAreTimedInBatches) {
  const RepeatPolicy policy;
  EXPECT_GT(plan_repeats(1e-7, policy).batch, 10);
  EXPECT_EQ(plan_repeats(1e-4, policy).batch, 1);
}

TEST(Stopwatch, LongSolvesAreRepeatedOnlyWithinPatience) {
  const RepeatPolicy policy;
  EXPECT_EQ(plan_repeats(0.1, policy).measurements, policy.min_measurements);
  EXPECT_EQ(plan_repeats(10, policy).measurements, 1);
}

TEST(Stopwatch, TimePerSolveNotPerBatch) {
  // One solve spins for 20 us of the same clock: no measurement can be shorter, and the best of many is not much
  // longer.
  const double spin = 20e-6;
  const double measured = best_seconds([&] {
    for (const Stopwatch watch; watch.seconds() < spin;) {
    }
  });
  EXPECT_GE(measured, spin);
  EXPECT_LT(measured, 3 * spin);
}

}  // namespace
}  // namespace stickslip::bench
