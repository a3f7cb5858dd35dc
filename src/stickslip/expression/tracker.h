// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Functions over the run. Each update sees one moment more; between two moments quantities are taken as linear.
//
// memory[]:            0            1             2            3            4            5
//   first_time         started      last time     last x
//   max, min, initial  started
//   mean               started      last time     last x       integral     start time
//   unwrap             started      last x
//   ..._over_period    started      last time     last x       start time   periods      x at the start of the period,
//                                                              of the run   done         or integral within it
//   sum_every          started      last time     last x       start time   values
#pragma once

#include "stickslip/expression/expression.h"

#include <cstddef>
#include <cstdint>

namespace stickslip::expression {

struct Tracker {
  enum class Kind : std::uint8_t {
    FirstTime,
    Max,
    Min,
    Mean,
    Unwrap,
    Initial,
    RateOverPeriod,
    MeanOverPeriod,
    SumEvery
  };
  static constexpr std::size_t kMemory = 6;

  Kind kind = Kind::Initial;
  Expression argument;
  double period = 0;      // ...OverPeriod, SumEvery
  bool crossing = false;  // FirstTime: the argument is (a - b) of a comparison a > b, true when > 0 (or >= 0)
  bool inclusive = false;
  double memory[kMemory] = {};  // all that is remembered, with the value: checkpoints save exactly this
  double value = 0;

  // Takes the next moment of the run into account; returns the argument's value.
  double update(const EvaluationContext& context);
};

}  // namespace stickslip::expression
