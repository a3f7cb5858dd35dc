// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The laws between bodies: the list [[contact]] -> Model::surfaces and Model::laws.
#pragma once

#include "stickslip/expression/expression.h"
#include "stickslip/model/model.h"
#include "stickslip/scene/document.h"

namespace stickslip::scene {

// `contacts` may be null. The bodies of the model are read already.
void read_contacts(const Value* contacts, const expression::Scope& constants, model::Model& model);

}  // namespace stickslip::scene
