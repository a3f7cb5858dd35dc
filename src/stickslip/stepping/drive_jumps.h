// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Instants at which the velocity of a prescribed body jumps (a belt that is reversed, a table that is knocked): what ends
// there moves with the velocity before the jump, what begins there with the one after it. The function itself has one value
// at the instant, whichever rounding chooses.
//
// A breakpoint t of a drive is a jump when v differs across it, and by as much over a thousandth of the distance:
// |v(t + d) - v(t - d)| > 1e-9 |v|, and > half of |v(t + 1000 d) - v(t - 1000 d)|. A corner of the velocity passes
// neither.
//
// Cost: four evaluations of the drive per breakpoint, once; then a search in a sorted list.
#pragma once

#include "stickslip/model/model.h"

#include <cstddef>
#include <vector>

namespace stickslip::stepping {

class DriveJumps {
 public:
  // step: of the run, the scale of time.
  void prepare(const model::Model& model, double step);
  [[nodiscard]] bool empty() const { return jumps_.empty(); }
  // The first jump of any body after `from` and before `to`, both with a margin of rounding; `to` if there is none.
  [[nodiscard]] double next(double from, double to) const;
  [[nodiscard]] bool is_at(double time) const;

  enum class Side { Before, After };
  // state: that of the drive at `time`; its velocity becomes that of one side where it jumps there.
  void take_side(const model::Model& model, std::size_t body, double time, Side side, model::BodyState& state) const;

 private:
  struct Jump {
    double time = 0;
    std::size_t body = 0;
  };
  std::vector<Jump> jumps_;  // by time
  double close_ = 0;         // times nearer than this are one
};

}  // namespace stickslip::stepping
