// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Planar faces in space: area, convexity, division into triangles.
#pragma once

#include "stickslip/math/types.h"

#include <array>
#include <vector>

namespace stickslip::model {

// Normal to the face (counter-clockwise from its tip), as long as twice the area (Newell's sum).
[[nodiscard]] Vec3 area_vector(const std::vector<Vec3>& vertices, const std::vector<int>& face);

[[nodiscard]] bool is_convex_face(const std::vector<Vec3>& vertices, const std::vector<int>& face, const Vec3& normal);

// Ear clipping: n - 2 triangles with the orientation of the face. The face must not cross itself. Cost O(n^2) to
// O(n^3).
[[nodiscard]] std::vector<std::array<int, 3>> triangulate_face(const std::vector<Vec3>& vertices,
                                                               const std::vector<int>& face);

}  // namespace stickslip::model
