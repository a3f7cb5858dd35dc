// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The tables [method] and [record].
#pragma once

#include "stickslip/scene/document.h"
#include "stickslip/scene/scene.h"

namespace stickslip::scene {

// The tables may be null.
[[nodiscard]] stepping::Method read_method(const Value* table, const expression::Scope& constants);
[[nodiscard]] RecordingOptions read_recording(const Value* table, const expression::Scope& constants);

}  // namespace stickslip::scene
