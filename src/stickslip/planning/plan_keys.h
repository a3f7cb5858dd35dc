// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The one declaration of every key of a plan file, for the reader and for docs/planning.md.
#pragma once

#include "stickslip/scene/keys.h"

#include <span>
#include <string>
#include <string_view>

namespace stickslip::planning {

[[nodiscard]] const scene::TableKeys& plan_keys_of(std::string_view table);  // the table must exist

// All tables of keys in Markdown: the part of docs/planning.md that is written from the code.
[[nodiscard]] std::string plan_reference();

}  // namespace stickslip::planning
