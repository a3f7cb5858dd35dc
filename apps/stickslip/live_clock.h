// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The pace of a live run: which simulated time the clock on the wall asks for, and how fast the run really goes.
//
//     target = t_a + speed (w - w_a)         from the last anchor: simulated time t_a at wall time w_a
//     rate   = simulated time per second of wall time over the last half second
#pragma once

#include <chrono>

namespace stickslip::app {

class LiveClock {
 public:
  void set_speed(double speed) { speed_ = speed; }  // simulated time per second of wall time
  [[nodiscard]] double speed() const { return speed_; }
  [[nodiscard]] double rate() const { return rate_; }

  // The run goes on from `time` now.
  void anchor(double time) {
    anchor_wall_ = rate_wall_ = Clock::now();
    anchor_time_ = rate_time_ = time;
    rate_ = 0;
  }
  [[nodiscard]] double target() const { return anchor_time_ + speed_ * since(anchor_wall_); }

  // After steps towards `target` that have come to `time`. Where that is far behind, the clock goes on from there rather
  // than let the run race after it.
  void follow(double time, double target) {
    constexpr double kBehind = 0.1, kRateInterval = 0.5;  // seconds of wall time
    if (target - time > kBehind * speed_) {
      anchor_wall_ = Clock::now();
      anchor_time_ = time;
    }
    if (const double elapsed = since(rate_wall_); elapsed > kRateInterval) {
      rate_ = (time - rate_time_) / elapsed;
      rate_wall_ = Clock::now();
      rate_time_ = time;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double since(Clock::time_point from) { return std::chrono::duration<double>(Clock::now() - from).count(); }

  double speed_ = 1, anchor_time_ = 0, rate_ = 0, rate_time_ = 0;
  Clock::time_point anchor_wall_, rate_wall_;
};

}  // namespace stickslip::app
