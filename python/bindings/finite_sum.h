// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Whether numbers that pass by are finite: products with 0 are 0 for finite numbers alone, so the sum of them becomes NaN
// with the first that is not. For functions that are compiled for wide registers too.
#pragma once

#include "stickslip/complementarity/wide_clone.h"

#ifndef __clang__
#pragma GCC diagnostic ignored "-Wpsabi"  // lanes are passed between inlined functions only
#endif

namespace stickslip::python {

using complementarity::kLanes;
using complementarity::Lanes;
using complementarity::load;
using complementarity::store;

class FiniteSum {
 public:
  STICKSLIP_ALWAYS_INLINE void add(const Lanes& a, const Lanes& b) {
    first_ += zero_ * a;
    second_ += zero_ * b;
  }
  STICKSLIP_ALWAYS_INLINE void add(double x) { rest_ += 0 * x; }
  [[nodiscard]] STICKSLIP_ALWAYS_INLINE bool finite() const {
    const Lanes sum = first_ + second_;
    return sum[0] + sum[1] + sum[2] + sum[3] + rest_ == 0;
  }

 private:
  Lanes zero_{}, first_{}, second_{};
  double rest_ = 0;
};

}  // namespace stickslip::python
