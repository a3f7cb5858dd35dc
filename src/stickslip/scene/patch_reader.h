// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// patch = { ... } of a [[contact]]: matrices that are written out, or those of an elastic foundation,
//
//     K = k / N (I + c L)        N elements, L: Laplacian of the neighbours in the row or square, c: coupling
//
// whose sum over all entries is k: pressed evenly, the patch is as stiff as the lumped contact. Damping likewise.
#pragma once

#include "stickslip/model/model.h"
#include "stickslip/scene/table_reader.h"

namespace stickslip::scene {

// lumped: stiffness and damping of the contact as a whole.
[[nodiscard]] std::shared_ptr<const model::Patch> read_patch(const TableReader& table, const model::Compliance& lumped,
                                                             int dimension);

}  // namespace stickslip::scene
