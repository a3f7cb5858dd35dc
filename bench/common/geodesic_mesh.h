// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// An ellipsoid of 20 k^2 triangles as OBJ text: an icosahedron's faces in k^2 triangles each, pushed out onto the sphere and
// stretched. Corners come three to a triangle, as scanners write them; readers join them to 10 k^2 + 2.
#pragma once

#include "stickslip/math/types.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <string>

namespace stickslip::bench {

inline std::string geodesic_obj(int k, const Vec3& semi_axes) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  const std::array<Vec3, 12> corner{{{-1, g, 0},
                                     {1, g, 0},
                                     {-1, -g, 0},
                                     {1, -g, 0},
                                     {0, -1, g},
                                     {0, 1, g},
                                     {0, -1, -g},
                                     {0, 1, -g},
                                     {g, 0, -1},
                                     {g, 0, 1},
                                     {-g, 0, -1},
                                     {-g, 0, 1}}};
  constexpr std::size_t kFaces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                         {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                         {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                         {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  std::string text;
  for (const auto& face : kFaces) {
    const auto add = [&](int i, int j) {
      const Vec3 on = ((k - i - j) * corner[face[0]] + i * corner[face[1]] + j * corner[face[2]]).normalized();
      const Vec3 x = semi_axes.cwiseProduct(on);
      fmt::format_to(std::back_inserter(text), "v {:.17g} {:.17g} {:.17g}\n", x.x(), x.y(), x.z());
    };
    for (int i = 0; i < k; ++i)
      for (int j = 0; i + j < k; ++j) {
        add(i, j), add(i + 1, j), add(i, j + 1);
        text += "f -3 -2 -1\n";
        if (i + j + 1 == k) continue;
        add(i + 1, j), add(i + 1, j + 1), add(i, j + 1);
        text += "f -3 -2 -1\n";
      }
  }
  return text;
}

}  // namespace stickslip::bench
