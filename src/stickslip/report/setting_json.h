// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#pragma once

#include "stickslip/recording/run_description.h"

#include <nlohmann/json.hpp>

namespace stickslip::report {

// Everything that does not change during a run: bodies with shapes, units, texts.
[[nodiscard]] nlohmann::json setting_json(const recording::RunDescription& description);

}  // namespace stickslip::report
