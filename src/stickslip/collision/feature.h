// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Codes of features, as they stand in ContactId::feature_a and feature_b: the kind in the top bits, the index below.
//
//     vertex i   corner i of a polygon or polyhedron, point i of a point set, end i of a capsule, centre of a ball
//     edge i     edge of a polyhedron, axis of a capsule
//     face i     facet of a polyhedron, side of a polygon or chain, boundary of a half-space
//     smooth i   a place that the surface itself finds (closest point of a superellipsoid, lowest point of a rim, ...)
#pragma once

#include <cstdint>

namespace stickslip::collision {

enum class FeatureKind : std::uint8_t { Vertex = 0, Edge = 1, Face = 2, Smooth = 3 };

using FeatureCode = std::int32_t;

constexpr int kFeatureShift = 28;

[[nodiscard]] constexpr FeatureCode vertex_code(int i) {
  return i;
}
[[nodiscard]] constexpr FeatureCode edge_code(int i) {
  return (1 << kFeatureShift) | i;
}
[[nodiscard]] constexpr FeatureCode face_code(int i) {
  return (2 << kFeatureShift) | i;
}
[[nodiscard]] constexpr FeatureCode smooth_code(int i) {
  return (3 << kFeatureShift) | i;
}

[[nodiscard]] constexpr FeatureKind feature_kind(FeatureCode code) {
  return static_cast<FeatureKind>(code >> kFeatureShift);
}
[[nodiscard]] constexpr int feature_index(FeatureCode code) {
  return code & ((1 << kFeatureShift) - 1);
}

}  // namespace stickslip::collision
