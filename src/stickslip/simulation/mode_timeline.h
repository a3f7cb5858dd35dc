// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Who stuck, rolled, slid and parted, when: for each pair of bodies that ever touched, a list of intervals.
//
// A pair with several contacts slides if any of them slides, else rolls if any rolls, else sticks if any touches.
// Times are those of located events where the stepper reports them, otherwise the ends of steps.
#pragma once

#include "stickslip/stepping/stepper.h"

#include <span>
#include <vector>

namespace stickslip::simulation {

struct ModeInterval {
  int body_a = -1, body_b = -1;
  contact::Mode mode = contact::Mode::Open;
  double begin = 0, end = 0;
};

class ModeTimeline {
 public:
  // After a step from `begin` to world.state.time.
  void record(const stepping::World& world, double begin, std::span<const stepping::Event> events);

  // Finished intervals in the order in which they ended, then open() ones up to now.
  [[nodiscard]] std::span<const ModeInterval> finished() const { return finished_; }
  [[nodiscard]] std::span<const ModeInterval> current() const { return current_; }

  void save(ByteWriter& out) const;
  void restore(ByteReader& in);

 private:
  void change(int body_a, int body_b, contact::Mode mode, double time, double now);

  std::vector<ModeInterval> finished_, current_;  // current_: one per pair, sorted by pair
  std::vector<ModeInterval> scratch_;
  bool started_ = false;
};

}  // namespace stickslip::simulation
