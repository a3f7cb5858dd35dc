// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The laws between bodies: the list [[contact]] -> Model::surfaces and Model::laws.
#pragma once

#include "stickslip/model/model.h"
#include "stickslip/scene/document.h"
#include "stickslip/scene/expression.h"

namespace stickslip::scene {

// `contacts` may be null. The bodies of the model are read already.
void read_contacts(const Value* contacts, const Scope& constants, model::Model& model);

}  // namespace stickslip::scene
