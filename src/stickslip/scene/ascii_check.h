// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Finds characters other than ASCII outside strings and comments, before the TOML parser sees them (its own treatment
// of them runs into undefined behaviour, and they are always a slip of the keyboard in a scene).
#pragma once

#include <optional>
#include <string_view>

namespace stickslip::scene {

struct TextPosition {
  int line = 1, column = 1;
};

[[nodiscard]] std::optional<TextPosition> find_non_ascii(std::string_view toml);

}  // namespace stickslip::scene
