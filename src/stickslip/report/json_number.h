// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace stickslip::report {

// null for what is not finite: JSON has no such numbers.
[[nodiscard]] inline nlohmann::json number(double x) {
  return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr);
}

}  // namespace stickslip::report
