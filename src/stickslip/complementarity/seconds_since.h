// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#pragma once

#include <chrono>

namespace stickslip::complementarity {

// Wall time.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace stickslip::complementarity
