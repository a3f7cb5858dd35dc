// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Mass, centre of mass and inertia of a body: the keys mass, density, inertia and centre_of_mass.
#pragma once

#include "stickslip/model/model.h"
#include "stickslip/scene/drive_reader.h"
#include "stickslip/scene/table_reader.h"

namespace stickslip::scene {

// Sets mass and inertia of the body (its shapes are read already) and returns the centre of mass in the frame in which
// the shapes are written (zero for a body that needs neither mass nor inertia). Throws SceneError when what is needed
// is missing or not positive.
[[nodiscard]] Vec3 read_mass(const TableReader& table, const DriveFreedom& freedom, model::Body& body);

}  // namespace stickslip::scene
