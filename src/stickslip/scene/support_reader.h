// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The key support of a body (dimension 2.5): where it stands, and how its weight is shared.
//
// Loads that are not given follow from equilibrium about the centre of mass: with three points they are determined;
// with more, those nearest to equal ones are taken (least squares), points that would have to pull carry nothing.
#pragma once

#include "stickslip/model/model.h"
#include "stickslip/scene/table_reader.h"

namespace stickslip::scene {

struct SupportContext {
  bool allowed = false;  // the scene has dimension 2.5
  double gravity = 0;    // acceleration that presses on the plane, >= 0
};

// `body` has its shapes (about the centre of mass), mass and kind; centre: of mass, in the frame of the shapes.
void read_support(const TableReader& table, const SupportContext& context, const Vec3& centre,
                  const std::vector<model::Body>& earlier, model::Body& body);

}  // namespace stickslip::scene
