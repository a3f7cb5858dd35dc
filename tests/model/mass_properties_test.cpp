// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/mass_properties.h"

#include "stickslip/model/primitives.h"

#include <gtest/gtest.h>
#include <cmath>
#include <functional>
#include <numbers>

namespace stickslip::model {
namespace {

constexpr double kPi = std::numbers::pi;

// Means over a box of a function of the shape's indicator, by a grid of midpoints: independent of every formula.
MassProperties by_grid(const Vec3& half, int n, double density, const std::function<bool(const Vec3&)>& inside,
                       bool planar) {
  MassProperties p;
  Mat3 second = Mat3::Zero();
  const int nz = planar ? 1 : n;
  double cell = 4 * half.x() * half.y() / n / n;
  if (!planar) cell *= 2 * half.z() / n;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < nz; ++k) {
        const Vec3 x((2 * i + 1.0) / n - 1, (2 * j + 1.0) / n - 1, planar ? 0 : (2 * k + 1.0) / n - 1);
        const Vec3 y = x.cwiseProduct(half);
        if (!inside(y)) continue;
        p.mass += density * cell;
        p.centre += density * cell * y;
        second += density * cell * y * y.transpose();
      }
    }
  }
  p.centre /= p.mass;
  second -= p.mass * p.centre * p.centre.transpose();
  p.inertia = second.trace() * Mat3::Identity() - second;
  return p;
}

void expect_close(const MassProperties& got, const MassProperties& want, double relative, bool planar) {
  const double size = std::sqrt(want.inertia.norm() / want.mass);
  EXPECT_NEAR(got.mass, want.mass, relative * want.mass);
  EXPECT_LE((got.centre - want.centre).norm(), relative * size);
  if (planar) {
    EXPECT_NEAR(got.inertia(2, 2), want.inertia(2, 2), relative * want.inertia(2, 2));
  } else {
    EXPECT_LE((got.inertia - want.inertia).norm(), relative * want.inertia.norm());
  }
}

TEST(MassProperties, BoxHasTheTextbookInertia) {
  const MassProperties p = mass_properties(make_box(Vec3(1, 2, 3)), 2);
  EXPECT_NEAR(p.mass, 12, 1e-13);
  EXPECT_LE(p.centre.norm(), 1e-14);
  EXPECT_LE((p.inertia - Mat3(Vec3(13, 10, 5).asDiagonal())).norm(), 1e-13);  // m (b^2 + c^2) / 12
}

TEST(MassProperties, RectangleFarFromTheOriginKeepsItsDigits) {
  Polygon far = make_rectangle(2, 1);
  for (Vec2& v : far.loops[0]) v += Vec2(1e6, -2e6);
  const MassProperties p = mass_properties(far, 3);
  EXPECT_NEAR(p.mass, 6, 1e-9);  // vertices themselves are rounded to 1e-10
  EXPECT_NEAR(p.centre.x(), 1e6, 1e-8);
  EXPECT_NEAR(p.centre.y(), -2e6, 1e-8);
  EXPECT_NEAR(p.inertia(2, 2), 6 * 5 / 12.0, 1e-8);
}

TEST(MassProperties, PolygonWithAHole) {
  Polygon frame = make_rectangle(4, 4);
  frame.loops.push_back({Vec2(-1, -1), Vec2(-1, 1), Vec2(1, 1), Vec2(1, -1)});  // clockwise
  const MassProperties p = mass_properties(frame, 1);
  EXPECT_NEAR(p.mass, 12, 1e-13);
  EXPECT_NEAR(p.inertia(2, 2), 16 * 32 / 12.0 - 4 * 8 / 12.0, 1e-12);
}

TEST(MassProperties, RoundShapesAgainstTheirFormulas) {
  const MassProperties ball = mass_properties(Sphere{2}, 3);
  EXPECT_NEAR(ball.mass, 3 * 32 * kPi / 3, 1e-12);
  EXPECT_NEAR(ball.inertia(0, 0), 0.4 * ball.mass * 4, 1e-11);
  const MassProperties disc = mass_properties(Disc{2}, 3);
  EXPECT_NEAR(disc.mass, 12 * kPi, 1e-12);
  EXPECT_NEAR(disc.inertia(2, 2), 0.5 * disc.mass * 4, 1e-11);
  // A capsule without a tube is a ball.
  const MassProperties capsule = mass_properties(Capsule{2, 0}, 3);
  EXPECT_NEAR(capsule.mass, ball.mass, 1e-12);
  EXPECT_LE((capsule.inertia - ball.inertia).norm(), 1e-11);
}

TEST(MassProperties, SuperellipsoidOfExponentTwoIsAnEllipsoid) {
  const MassProperties p = mass_properties(Superellipsoid{1, 2, 3, 2, 2}, 5);
  EXPECT_NEAR(p.mass, 5 * 4.0 / 3 * kPi * 6, 1e-11);
  EXPECT_NEAR(p.inertia(0, 0), p.mass / 5 * (4 + 9), 1e-10);
  EXPECT_NEAR(p.inertia(1, 1), p.mass / 5 * (1 + 9), 1e-10);
  EXPECT_NEAR(p.inertia(2, 2), p.mass / 5 * (1 + 4), 1e-10);
}

// The grid's own error is about one cell of surface: 1 % at n = 120 in space, 0.1 % at n = 2000 in the plane.
TEST(MassProperties, CurvedShapesAgainstAGrid) {
  const Superellipsoid s{1, 0.7, 1.3, 3.5, 2.5};
  expect_close(
      mass_properties(s, 2),
      by_grid(
          Vec3(s.a, s.b, s.c), 120, 2,
          [&](const Vec3& x) {
            const double section =
                std::pow(std::abs(x.x() / s.a), s.exponent_xy) + std::pow(std::abs(x.y() / s.b), s.exponent_xy);
            return std::pow(section, s.exponent_z / s.exponent_xy) + std::pow(std::abs(x.z() / s.c), s.exponent_z) <= 1;
          },
          false),
      3e-3, false);
  const Capsule c{0.5, 0.8};
  expect_close(mass_properties(c, 2),
               by_grid(
                   Vec3(0.5, 0.5, 1.3), 120, 2,
                   [&](const Vec3& x) {
                     const double z = std::max(0.0, std::abs(x.z()) - c.half_length);
                     return x.head<2>().squaredNorm() + z * z <= c.radius * c.radius;
                   },
                   false),
               3e-3, false);
  const Cylinder cylinder{0.5, 0.8};
  expect_close(
      mass_properties(cylinder, 2),
      by_grid(
          Vec3(0.5, 0.5, 0.8), 120, 2, [&](const Vec3& x) { return x.head<2>().norm() <= cylinder.radius; }, false),
      3e-3, false);
  const Superellipse e{1, 0.6, 4.5};
  expect_close(mass_properties(e, 2),
               by_grid(
                   Vec3(e.a, e.b, 0), 2000, 2,
                   [&](const Vec3& x) {
                     return std::pow(std::abs(x.x() / e.a), e.exponent) + std::pow(std::abs(x.y() / e.b), e.exponent) <=
                            1;
                   },
                   true),
               3e-4, true);
}

// A tetrahedron against the exact formula: moments about its corner are V (s s' + sum v v') / 20.
TEST(MassProperties, TetrahedronIsExact) {
  Polyhedron t;
  t.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  t.faces = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const MassProperties p = mass_properties(t, 6);
  EXPECT_NEAR(p.mass, 1, 1e-15);
  EXPECT_LE((p.centre - Vec3::Constant(0.25)).norm(), 1e-15);
  // integral x^2 = 1/10, integral x y = 1/20 (density 6), less the centre's 1/16 each
  EXPECT_NEAR(p.inertia(0, 0), 2 * (1 / 10.0 - 1 / 16.0), 1e-15);
  EXPECT_NEAR(p.inertia(0, 1), -(1 / 20.0 - 1 / 16.0), 1e-15);
}

TEST(MassProperties, TwoHalvesMakeTheWhole) {
  const Quat turn(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  const Vec3 offset(0.3, -0.2, 0.9);
  const MassProperties half = mass_properties(make_box(Vec3(1, 2, 1.5)), 4);
  const MassProperties parts[] = {moved(half, {offset + turn * Vec3(0, 0, 0.75), turn}),
                                  moved(half, {offset - turn * Vec3(0, 0, 0.75), turn})};
  const MassProperties whole = moved(mass_properties(make_box(Vec3(1, 2, 3)), 4), {offset, turn});
  const MassProperties sum = combined(parts);
  EXPECT_NEAR(sum.mass, whole.mass, 1e-12);
  EXPECT_LE((sum.centre - whole.centre).norm(), 1e-13);
  EXPECT_LE((sum.inertia - whole.inertia).norm(), 1e-11);
}

TEST(MassProperties, ShapesThatEncloseNothingHaveNone) {
  EXPECT_EQ(mass_properties(PointSet{{Vec3::Zero()}}, 1).mass, 0);
  EXPECT_EQ(mass_properties(HalfSpace{}, 1).mass, 0);
  EXPECT_EQ(mass_properties(Chain{{Vec2(0, 0), Vec2(1, 0)}}, 1).mass, 0);
}

}  // namespace
}  // namespace stickslip::model
