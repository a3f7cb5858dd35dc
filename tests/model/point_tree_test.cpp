// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/point_tree.h"

#include "stickslip/model/mesh_io.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace stickslip::model {
namespace {

// Points in a cube, on a sphere, on few planes and far from the origin; some of them twice.
std::vector<Vec3> random_points(std::mt19937& random, int kind, int count) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    Vec3 x(uniform(random), uniform(random), uniform(random));
    if (kind == 1) x.normalize();
    if (kind == 2) x = (4 * x).array().round() / 4;
    if (kind == 3) x += Vec3(1e6, -2e6, 3e5);
    points.push_back(x);
    if (i % 7 == 0) points.push_back(x);
  }
  return points;
}

// The tree leaves points out; it must never be a point that the loop over all of them would have counted.
TEST(PointTree, AnswersAreThoseOfALoopToTheBit) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int beyond = 0, within = 0;
  for (int kind = 0; kind < 4; ++kind)
    for (const int count : {1, 5, 9, 200, 3000}) {
      const std::vector<Vec3> points = random_points(random, kind, count);
      const PointTree tree(points);
      for (int k = 0; k < 200; ++k) {
        Vec3 n(uniform(random), uniform(random), uniform(random));
        if (k % 3 == 0) n = Vec3::Unit(k / 3 % 3);
        n.normalize();
        const Vec3& from = points[static_cast<std::size_t>(k) % points.size()];
        double farthest = -std::numeric_limits<double>::infinity();
        for (const Vec3& x : points) farthest = std::max(farthest, n.dot(x - from));
        EXPECT_EQ(tree.reach(n, from), farthest);
        // Planes through points, and through the farthest one: there a bit decides.
        for (const Vec3& on : {from, *std::ranges::max_element(points, {}, [&](const Vec3& x) { return n.dot(x); })}) {
          const double offset = n.dot(on);
          const bool any = std::ranges::any_of(points, [&](const Vec3& x) { return n.dot(x) - offset > 0.0; });
          EXPECT_EQ(tree.any_beyond(n, offset, 0.0), any);
          ++(any ? beyond : within);
        }
      }
    }
  EXPECT_GT(beyond, 1000);
  EXPECT_GT(within, 1000);
}

// A sphere of 20 k^2 triangles, from an icosahedron.
Polyhedron geodesic_sphere(int k) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  const std::vector<Vec3> corner{{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                                 {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  const std::vector<std::array<std::size_t, 3>> face{{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  Polyhedron soup;
  for (const auto& [a, b, c] : face) {
    const auto at = [&](int i, int j) -> Vec3 {
      return ((k - i - j) * corner[a] + i * corner[b] + j * corner[c]).normalized();
    };
    const auto triangle = [&](const Vec3& x, const Vec3& y, const Vec3& z) {
      const int first = static_cast<int>(soup.vertices.size());
      soup.vertices.insert(soup.vertices.end(), {x, y, z});
      soup.faces.push_back({first, first + 1, first + 2});
    };
    for (int i = 0; i < k; ++i)
      for (int j = 0; i + j < k; ++j) {
        triangle(at(i, j), at(i + 1, j), at(i, j + 1));
        if (i + j < k - 1) triangle(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
      }
  }
  return soup;
}

// Corners come three to a triangle, as in STL files, and are joined: 10 k^2 + 2 are left (Euler's formula).
TEST(MeshOfAHundredThousandTriangles, IsWeldedAndConvexUnlessDented) {
  constexpr int kFrequency = 71;
  Polyhedron soup = geodesic_sphere(kFrequency);
  const Polyhedron sphere = close_surface(soup.vertices, soup.faces);
  EXPECT_EQ(sphere.faces.size(), 20u * kFrequency * kFrequency);
  EXPECT_EQ(sphere.vertices.size(), 10u * kFrequency * kFrequency + 2u);
  EXPECT_TRUE(sphere.convex);
  // One corner pushed in by a thousandth: its triangles have its neighbours above them.
  const Vec3 dented = soup.vertices[1000];
  for (Vec3& x : soup.vertices)
    if ((x - dented).norm() < 1e-9) x *= 0.999;
  EXPECT_FALSE(close_surface(soup.vertices, soup.faces).convex);
}

}  // namespace
}  // namespace stickslip::model
