// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Patterns that select bodies by name: * stands for any text, everything else for itself.
#pragma once

#include <string_view>

namespace stickslip::model {

[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

}  // namespace stickslip::model
