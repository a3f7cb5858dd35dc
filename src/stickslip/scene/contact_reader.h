// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The laws between bodies: the list [[contact]] -> Model::surfaces and Model::pair_surface.
#pragma once

#include "stickslip/model/model.h"
#include "stickslip/scene/document.h"
#include "stickslip/scene/expression.h"

#include <string_view>

namespace stickslip::scene {

// `contacts` may be null. The bodies of the model are read already.
void read_contacts(const Value* contacts, const Scope& constants, model::Model& model);

// Whether a name matches a pattern in which * stands for any text.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);

}  // namespace stickslip::scene
