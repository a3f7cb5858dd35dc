// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Names in texts: whether one is used, and which known one a mistyped one was probably meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stickslip::expression {

// The nearest of `known` by edit distance (insertions, deletions, substitutions, swaps of neighbours; case costs
// nothing), or empty when none is near enough to be a plausible slip of the finger. Ties go to the first.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> known);

// "did you mean 'x'?", or empty.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string> known);

// Does an expression use this name? Names are runs of letters, digits and underscores that follow no dot.
[[nodiscard]] bool mentions(std::string_view text, std::string_view name);

}  // namespace stickslip::expression
