// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Shapes of a scene file.
#pragma once

#include "stickslip/expression/expression.h"
#include "stickslip/model/shape.h"
#include "stickslip/scene/document.h"

#include <filesystem>
#include <string>

namespace stickslip::scene {

struct ShapeContext {
  int dimension = 3;
  std::filesystem::path folder;  // file names are relative to it
};

// One shape and where it sits in the frame in which the body is written. `what` names it in messages.
[[nodiscard]] model::PlacedShape read_shape(const Value& value, const expression::Scope& scope, const std::string& what,
                                            const ShapeContext& context);

// orientation = { quaternion | axis, angle | euler }
[[nodiscard]] Quat read_orientation(const Value& value, const expression::Scope& scope, const std::string& what);

}  // namespace stickslip::scene
