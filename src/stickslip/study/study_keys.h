// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The one declaration of every key of a study file, for the reader and for docs/studies.md.
#pragma once

#include "stickslip/scene/keys.h"

#include <string>
#include <string_view>

namespace stickslip::study {

[[nodiscard]] const scene::TableKeys& study_keys_of(std::string_view table);  // the table must exist

// All tables of keys in Markdown: the part of docs/studies.md that is written from the code.
[[nodiscard]] std::string study_reference();

}  // namespace stickslip::study
