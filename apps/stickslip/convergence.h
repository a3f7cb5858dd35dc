// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a sequence of results of ever finer runs allows to say: an order, an error bar, a limit. Or that it does not.
//
//     v_i at resolution r_0 2^i,   d_i = v_(i+1) - v_i,   p_i = log2 |d_i / d_(i+1)|
//
// An order is stated only if the last two p_i agree (kAgree), the last three d_i have one sign, and all of them stand
// above rounding: then the error falls as C 2^(-i p), the limit is v_L + d_(L-1) / (2^p - 1), and that last term is the
// error bar of v_L (Richardson). Otherwise the bar is the largest of the last two differences and there is no limit.
#pragma once

#include <string>
#include <vector>

namespace stickslip::app {

struct Convergence {
  bool has_order = false;
  double order = 0;
  double error_bar = 0;  // of the finest value
  double limit = 0;      // extrapolated; the finest value when there is no order
  bool exact = false;    // all values agree to rounding
  std::string why_not;   // why no order is stated
};

// grain: how coarsely the finest value is known anyhow (a time read off the grid of steps); there is no order then.
[[nodiscard]] Convergence analyse(const std::vector<double>& values, double grain = 0);

}  // namespace stickslip::app
