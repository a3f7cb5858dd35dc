// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Mass, centre of mass and inertia of solids of constant density.
#pragma once

#include "stickslip/model/shape.h"

#include <optional>
#include <span>

namespace stickslip::model {

struct MassProperties {
  double mass = 0;
  Vec3 centre = Vec3::Zero();   // of mass, in the shape's frame
  Mat3 inertia = Mat3::Zero();  // about the centre of mass, axes of the shape's frame
};

// Planar shapes: density is mass per area and only inertia(2,2), the polar moment, is set. Shapes that enclose nothing
// (points, half-spaces, chains) have no mass.
[[nodiscard]] MassProperties mass_properties(const Shape& shape, double density);

// The same body seen from another frame.
[[nodiscard]] MassProperties moved(const MassProperties& properties, const Pose& pose);

// One body made of several (parallel axes).
[[nodiscard]] MassProperties combined(std::span<const MassProperties> parts);

// Of all solid shapes together, with density 1; empty when there are none. Shapes that overlap count twice.
[[nodiscard]] std::optional<MassProperties> uniform_body(std::span<const PlacedShape> shapes);

}  // namespace stickslip::model
