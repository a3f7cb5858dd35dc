// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/common/sandbox.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <vector>

namespace stickslip::bench {
namespace {

constexpr ChildLimits kShort{.seconds_per_message = 0.05, .preparation = 5};

TEST(Sandbox, MessagesArriveInOrderAndWhole) {
  const Message large(100'000, 0.25);  // larger than a pipe's buffer
  const ChildReport report = run_in_child(
      [&](const Send& send) {
        send({1, 2, 3});
        send(large);
      },
      kShort);
  EXPECT_EQ(report.end, ChildEnd::Done);
  ASSERT_EQ(report.messages.size(), 2u);
  EXPECT_EQ(report.messages[0], (Message{1, 2, 3}));
  EXPECT_EQ(report.messages[1], large);
}

TEST(Sandbox, WhatArrivedBeforeACrashCounts) {
  const ChildReport report = run_in_child(
      [](const Send& send) {
        send({7});
        std::raise(SIGKILL);
      },
      kShort);
  EXPECT_EQ(report.end, ChildEnd::Crashed);
  ASSERT_EQ(report.messages.size(), 1u);
  EXPECT_EQ(report.messages[0][0], 7);
}

TEST(Sandbox, CodeThatExitsIsNotDone) {
  const ChildReport report = run_in_child([](const Send&) { std::_Exit(0); }, kShort);
  EXPECT_EQ(report.end, ChildEnd::Crashed);
  EXPECT_TRUE(report.messages.empty());
}

TEST(Sandbox, EndlessLoopEndsAtTheLimit) {
  const ChildReport report = run_in_child(
      [](const Send& send) {
        send({1});
        for (volatile bool busy = true; busy;) {
        }
      },
      kShort);
  EXPECT_EQ(report.end, ChildEnd::OutOfTime);
  EXPECT_EQ(report.messages.size(), 1u);
}

}  // namespace
}  // namespace stickslip::bench
