// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Places of the copies of a body, none nearer to another than a distance: [[body]] packing = { ... }.
//
//   grid     a lattice with that spacing, filled along x, then y, then z
//   random   Poisson-disc sampling by throwing darts: places drawn evenly from the box, those too near to an earlier one
//            drawn again. The same seed gives the same places on every machine.
#pragma once

#include "stickslip/scene/table_reader.h"

#include <vector>

namespace stickslip::scene {

// Throws SceneError when they do not fit.
[[nodiscard]] std::vector<Vec3> read_packing(const Value& packing, const expression::Scope& constants,
                                             const std::string& body, std::size_t count);

}  // namespace stickslip::scene
