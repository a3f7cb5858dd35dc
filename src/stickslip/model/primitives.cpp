// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/primitives.h"

namespace stickslip::model {

Polygon make_rectangle(double width, double height) {
  const double x = 0.5 * width, y = 0.5 * height;
  return {{{Vec2(-x, -y), Vec2(x, -y), Vec2(x, y), Vec2(-x, y)}}};
}

Polyhedron make_box(const Vec3& size) {
  Polyhedron box;
  for (int i = 0; i < 8; ++i) {
    const Vec3 sign((i & 1) != 0 ? 0.5 : -0.5, (i & 2) != 0 ? 0.5 : -0.5, (i & 4) != 0 ? 0.5 : -0.5);
    box.vertices.emplace_back(sign.cwiseProduct(size));
  }
  box.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  box.convex = true;
  return box;
}

}  // namespace stickslip::model
