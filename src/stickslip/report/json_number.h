// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Numbers for programs.
#pragma once

#include "stickslip/math/types.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace stickslip::report {

// null for what is not finite: JSON has no such numbers.
template <class Json = nlohmann::json>
[[nodiscard]] Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

template <class Json = nlohmann::json>
[[nodiscard]] Json vector_json(const Vec3& v) {
  return Json::array({v.x(), v.y(), v.z()});
}

}  // namespace stickslip::report
