// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The table [start]: where bodies are at t = 0, by name, at rest, in place of what [[body]] says. `stickslip settle`
// writes it.
//
//     [start]
//     ball_0 = { position = [0.1, 0, 0.05], quaternion = [1, 0, 0, 0] }
#pragma once

#include "stickslip/model/model.h"
#include "stickslip/scene/table_reader.h"

#include <string>

namespace stickslip::scene {

// Null: nothing is changed. Throws SceneError: names that no body has, bodies that do not move freely.
void read_start(const Value* start, const expression::Scope& constants, model::Model& model);

// The table for the bodies of a state that move freely.
[[nodiscard]] std::string start_text(const model::Model& model, const model::State& state);

}  // namespace stickslip::scene
