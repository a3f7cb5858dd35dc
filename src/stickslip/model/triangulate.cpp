// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/triangulate.h"

#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>

namespace stickslip::model {
namespace {

constexpr double kMostTests = 3e8;  // of a point in a triangle, for one face: a few seconds

const Vec3& at(const std::vector<Vec3>& vertices, int i) {
  return vertices[static_cast<std::size_t>(i)];
}

// Twice the signed area of the triangle, seen against the normal.
double turn(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& normal) {
  return (b - a).cross(c - b).dot(normal);
}

bool contains(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p, const Vec3& normal) {
  return turn(a, b, p, normal) >= 0 && turn(b, c, p, normal) >= 0 && turn(c, a, p, normal) >= 0;
}

}  // namespace

Vec3 area_vector(const std::vector<Vec3>& vertices, const std::vector<int>& face) {
  Vec3 sum = Vec3::Zero();
  const Vec3& origin = at(vertices, face[0]);  // relative to a corner: no loss of digits far from the origin
  for (std::size_t i = 1; i + 1 < face.size(); ++i) {
    sum += (at(vertices, face[i]) - origin).cross(at(vertices, face[i + 1]) - origin);
  }
  return sum;
}

bool is_convex_face(const std::vector<Vec3>& vertices, const std::vector<int>& face, const Vec3& normal) {
  const std::size_t n = face.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 &a = at(vertices, face[i]), &b = at(vertices, face[(i + 1) % n]), &c = at(vertices, face[(i + 2) % n]);
    // A straight corner counts as convex; the tolerance is its sine.
    if (turn(a, b, c, normal) < -1e-9 * (b - a).norm() * (c - b).norm()) return false;
  }
  return true;
}

std::vector<std::array<int, 3>> triangulate_face(const std::vector<Vec3>& vertices, const std::vector<int>& face) {
  const Vec3 normal = area_vector(vertices, face);
  std::vector<int> rest = face;
  std::vector<std::array<int, 3>> triangles;
  double tests = 0;
  while (rest.size() > 3) {
    const std::size_t n = rest.size();
    std::size_t ear = n;
    for (std::size_t i = 0; i < n && ear == n; ++i) {
      const int a = rest[(i + n - 1) % n], b = rest[i], c = rest[(i + 1) % n];
      if (turn(at(vertices, a), at(vertices, b), at(vertices, c), normal) <= 0) continue;
      tests += static_cast<double>(n);
      const bool clear = std::none_of(rest.begin(), rest.end(), [&](int p) {
        return p != a && p != b && p != c &&
               contains(at(vertices, a), at(vertices, b), at(vertices, c), at(vertices, p), normal);
      });
      if (clear) ear = i;
    }
    if (tests > kMostTests)
      throw std::runtime_error(fmt::format("a face of {} corners is too ragged to be cut into triangles", face.size()));
    if (ear == n) ear = 0;  // straight or touching corners only: any cut will do
    triangles.push_back({rest[(ear + n - 1) % n], rest[ear], rest[(ear + 1) % n]});
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  triangles.push_back({rest[0], rest[1], rest[2]});
  return triangles;
}

}  // namespace stickslip::model
