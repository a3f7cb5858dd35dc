// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The table [parameters], with overrides.
#pragma once

#include "stickslip/scene/document.h"
#include "stickslip/scene/scene.h"

#include <map>
#include <string>
#include <vector>

namespace stickslip::scene {

// `table` may be null. Values may be expressions of other parameters, in any order. `overrides` replace values; every
// one of them must be a parameter.
[[nodiscard]] std::vector<Parameter> read_parameters(const Value* table, const std::map<std::string, Value>& overrides);

}  // namespace stickslip::scene
