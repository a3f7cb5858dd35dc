// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Separation of bodies against closed forms, separating axes by brute force (every facet normal and every product of
// edges, in long double), every pair of triangles, and dense sampling of directions. None of them shares code with it.
#include "stickslip/collision/separation.h"

#include "stickslip/collision/overlaps.h"
#include "stickslip/model/primitives.h"
#include "tests/collision/brute_force.h"
#include "tests/collision/scenes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace stickslip::collision {
namespace {

using model::Pose;
using testing::random_orientation;
using testing::random_vector;
using LongVec = Eigen::Matrix<long double, 3, 1>;

Solid solid_of(model::Shape shape, bool planar = false, Pose in_body = {}) {
  const model::PlacedShape placed{std::move(shape), in_body};
  return make_solid({&placed, 1}, planar);
}

Separation between(const Solid& a, const Pose& pose_a, const Solid& b, const Pose& pose_b) {
  return separation({a, pose_a}, {b, pose_b});
}

Pose planar_pose(double x, double y, double angle) {
  return {{x, y, 0}, Quat(std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle))};
}

// --- separating axes

struct Hull {
  std::vector<LongVec> vertex, normal, edge;
};

Hull hull_of(const model::Polyhedron& solid, const Pose& pose) {
  Hull hull;
  const Eigen::Quaternion<long double> turn = pose.orientation.cast<long double>().normalized();
  for (const Vec3& v : solid.vertices)
    hull.vertex.push_back(turn * v.cast<long double>() + pose.position.cast<long double>());
  for (const auto& face : solid.faces) {
    LongVec normal = LongVec::Zero();
    for (std::size_t i = 0; i < face.size(); ++i) {
      const LongVec& p = hull.vertex[static_cast<std::size_t>(face[i])];
      const LongVec& q = hull.vertex[static_cast<std::size_t>(face[(i + 1) % face.size()])];
      const LongVec& o = hull.vertex[static_cast<std::size_t>(face[0])];
      normal += (p - o).cross(q - o);
      hull.edge.push_back((q - p).normalized());
    }
    hull.normal.push_back(normal.normalized());
  }
  return hull;
}

// The largest separation over all axes: -depth when the hulls overlap.
double axes_separation(const Hull& a, const Hull& b) {
  long double best = -std::numeric_limits<long double>::infinity();
  const auto along = [&](const LongVec& n) {
    long double low_a = 1e300L, high_a = -1e300L, low_b = 1e300L, high_b = -1e300L;
    for (const LongVec& v : a.vertex) low_a = std::min(low_a, n.dot(v)), high_a = std::max(high_a, n.dot(v));
    for (const LongVec& v : b.vertex) low_b = std::min(low_b, n.dot(v)), high_b = std::max(high_b, n.dot(v));
    best = std::max({best, low_a - high_b, low_b - high_a});
  };
  for (const LongVec& n : a.normal) along(n);
  for (const LongVec& n : b.normal) along(n);
  for (const LongVec& e : a.edge) {
    for (const LongVec& f : b.edge) {
      const LongVec n = e.cross(f);
      if (n.norm() > 1e-12L) along(n.normalized());
    }
  }
  return static_cast<double>(best);
}

model::Polyhedron random_hull(std::mt19937& random, double size) {
  std::vector<Vec3> points;
  const int n = std::uniform_int_distribution<int>(4, 12)(random);
  for (int i = 0; i < n; ++i) points.push_back(random_vector(random, size));
  return model::convex_hull(points);
}

// Placements that make trouble: turned by nothing or nearly nothing, flush, stacked, shifted along one axis.
Pose adversarial_pose(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> unit(0, 1);
  Pose pose;
  const int kind = std::uniform_int_distribution<int>(0, 5)(random);
  if (kind == 0 || kind == 1) pose.orientation = random_orientation(random);
  if (kind == 2 || kind == 3) {
    const double angle = std::pow(10.0, -12 + 11 * unit(random));
    const Vec3 half = 0.5 * angle * Vec3(unit(random), unit(random), unit(random));
    pose.orientation = Quat(1, half.x(), half.y(), half.z()).normalized();
  }
  if (kind == 4)
    pose.orientation = Quat(Eigen::AngleAxisd(std::numbers::pi / 2 * std::floor(4 * unit(random)), Vec3::UnitZ()));
  for (int k = 0; k < 3; ++k) {
    const double r = unit(random);
    pose.position[k] = r < 0.3   ? 0.0
                       : r < 0.5 ? size
                       : r < 0.6 ? -size
                       : r < 0.7 ? size * (1 - 1e-6)
                                 : 2 * size * (r - 0.85) / 0.15;
  }
  return pose;
}

struct Worst {
  double error = 0, width = 0;
};

void compare_with_axes(const model::Polyhedron& a, const Pose& pose_a, const model::Polyhedron& b, const Pose& pose_b,
                       double size, Worst& worst) {
  const Separation s = between(solid_of(a), pose_a, solid_of(b), pose_b);
  const double axes = axes_separation(hull_of(a, pose_a), hull_of(b, pose_b));
  if (axes <= 0) {
    worst.error = std::max({worst.error, std::abs(s.low - axes) / size, std::abs(s.high - axes) / size});
  } else {
    // Axes are a lower bound of the distance; the distance itself is that of the closest triangles.
    const double distance =
        testing::surface_distance(testing::triangles_of(a, pose_a), testing::triangles_of(b, pose_b));
    worst.error = std::max({worst.error, std::abs(s.low - distance) / size, std::abs(s.high - distance) / size});
    EXPECT_NEAR((s.point_a - s.point_b).norm(), distance, 1e-9 * size);
  }
  worst.width = std::max(worst.width, (s.high - s.low) / size);
}

TEST(Separation, BoxesByEverySeparatingAxis) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0.2, 1);
  Worst worst;
  for (int trial = 0; trial < 1500; ++trial) {
    const bool equal = trial % 2 == 0;
    const double size = std::pow(10.0, 6 * unit(random) - 3);
    const model::Polyhedron a =
        model::make_box(equal ? Vec3(size, size, size) : size * Vec3(unit(random), unit(random), unit(random)));
    const model::Polyhedron b =
        model::make_box(equal ? Vec3(size, size, size) : size * Vec3(unit(random), unit(random), unit(random)));
    compare_with_axes(a,
                      Pose{random_vector(random, size), trial % 4 < 2 ? Quat::Identity() : random_orientation(random)},
                      b, adversarial_pose(random, size), size, worst);
  }
  // 1e-12 of the size of the difference of the two, which is up to five times as large.
  EXPECT_LE(worst.error, 5e-12);
  EXPECT_LE(worst.width, 5e-12);
}

TEST(Separation, ConvexPolyhedraByEverySeparatingAxis) {
  std::mt19937 random(8);
  Worst worst;
  for (int trial = 0; trial < 800; ++trial) {
    const model::Polyhedron a = random_hull(random, 1), b = random_hull(random, 1);
    compare_with_axes(a, Pose{random_vector(random, 1), random_orientation(random)}, b, adversarial_pose(random, 1), 1,
                      worst);
  }
  EXPECT_LE(worst.error, 1e-11);  // triangles of a random hull may be needles, whose brute distances lose digits
  EXPECT_LE(worst.width, 1e-11);
}

TEST(Separation, BallsDiscsAndCapsules) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> unit(0.1, 1);
  for (int trial = 0; trial < 2000; ++trial) {
    const double ra = unit(random), rb = unit(random), la = unit(random), lb = unit(random);
    const Vec3 pa = random_vector(random, 1.5), pb = random_vector(random, 1.5);
    const Quat qa = random_orientation(random), qb = random_orientation(random);
    const Separation balls = between(solid_of(model::Sphere{ra}), {pa, qa}, solid_of(model::Sphere{rb}), {pb, qb});
    EXPECT_NEAR(balls.low, (pa - pb).norm() - ra - rb, 1e-14 * 10);
    EXPECT_NEAR(balls.high, balls.low, 1e-13);
    EXPECT_NEAR((balls.normal - (pa - pb).normalized()).norm(), 0, 1e-12);
    const Vec3 za = qa * Vec3(0, 0, la), zb = qb * Vec3(0, 0, lb);
    const double axes = testing::segment_segment(pa - za, pa + za, pb - zb, pb + zb);
    const Separation capsules =
        between(solid_of(model::Capsule{ra, la}), {pa, qa}, solid_of(model::Capsule{rb, lb}), {pb, qb});
    EXPECT_NEAR(capsules.low, axes - ra - rb, 1e-12);
    EXPECT_NEAR(capsules.high, axes - ra - rb, 1e-12);
  }
}

TEST(Separation, CrossedAndConcentricCoresHaveTheDepthOfTheirRounding) {
  const Solid capsule = solid_of(model::Capsule{0.25, 1}), ball = solid_of(model::Sphere{0.5});
  const Quat across(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
  EXPECT_NEAR(between(capsule, {}, capsule, {Vec3::Zero(), across}).low, -0.5, 1e-14);
  EXPECT_NEAR(between(ball, {}, ball, {}).low, -1, 1e-14);
  EXPECT_NEAR(between(ball, {}, capsule, {}).high, -0.75, 1e-14);
}

// Every direction n bounds the answer from one side; the best of many is near it.
double sampled_separation(const PlacedPiece& a, const PlacedPiece& b, std::mt19937& random, const Vec3& near) {
  double best = -std::numeric_limits<double>::infinity();
  std::normal_distribution<double> normal;
  const auto along = [&](const Vec3& n) {
    const Vec3 low_a = a.position + a.rotation * support(*a.solid, *a.piece, -(a.rotation.transpose() * n));
    const Vec3 high_b = b.position + b.rotation * support(*b.solid, *b.piece, b.rotation.transpose() * n);
    const double gap = n.dot(low_a - high_b) - a.piece->rounding - b.piece->rounding;
    best = std::max(best, gap);
    return gap;
  };
  Vec3 at = near;
  double found = along(near);
  for (int i = 0; i < 400; ++i) along(Vec3(normal(random), normal(random), normal(random)).normalized());
  for (double spread = 0.1; spread > 1e-6; spread *= 0.7) {  // climb from the answer
    for (int i = 0; i < 12; ++i) {
      const Vec3 n = (at + spread * Vec3(normal(random), normal(random), normal(random))).normalized();
      if (const double gap = along(n); gap > found) found = gap, at = n;
    }
  }
  return best;
}

model::Shape random_curved(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0.2, 1);
  switch (std::uniform_int_distribution<int>(0, 4)(random)) {
    case 0: return model::Cylinder{unit(random), unit(random)};
    case 1: return model::Capsule{unit(random), unit(random)};
    case 2: return model::make_box(Vec3(unit(random), unit(random), unit(random)));
    case 3: return model::Sphere{unit(random)};
    default:
      return model::Superellipsoid{unit(random), unit(random), unit(random), 1 + 5 * unit(random),
                                   1 + 5 * unit(random)};
  }
}

TEST(Separation, CurvedShapesHaveNoDirectionThatSaysOtherwise) {
  std::mt19937 random(10);
  int overlapping = 0, undecided = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const Solid a = solid_of(random_curved(random)), b = solid_of(random_curved(random));
    const Pose pose_a{random_vector(random, 1), random_orientation(random)},
        pose_b{random_vector(random, 1), random_orientation(random)};
    const Separation s = between(a, pose_a, b, pose_b);
    const PlacedPiece pa{&a, &a.piece[0], pose_a.orientation.toRotationMatrix(), pose_a.position};
    const PlacedPiece pb{&b, &b.piece[0], pose_b.orientation.toRotationMatrix(), pose_b.position};
    const double sampled = sampled_separation(pa, pb, random, s.normal);
    EXPECT_LE(s.low, s.high);
    EXPECT_LE(sampled, s.high + 1e-9) << "trial " << trial;  // no direction shows a larger separation
    EXPECT_GE(sampled, s.low - 1e-12) << "trial " << trial;  // the answer's own direction shows the lower bound
    overlapping += s.high < 0 ? 1 : 0;
    undecided += s.high - s.low > 1e-6 ? 1 : 0;
  }
  EXPECT_GT(overlapping, 100);
  EXPECT_LT(undecided, 30);  // deep on the axis: many directions are equal
}

// --- plane

std::vector<Vec2> random_convex_polygon(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  const int n = std::uniform_int_distribution<int>(3, 9)(random);
  std::vector<double> angle;
  for (int i = 0; i < n; ++i) angle.push_back(2 * std::numbers::pi * (i + 0.8 * unit(random)) / n);
  std::vector<Vec2> loop;
  for (const double t : angle) loop.emplace_back(std::cos(t), 0.3 * std::sin(t));
  return loop;
}

TEST(Separation, PolygonsInThePlaneByTheirSides) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  double worst = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const std::vector<Vec2> a = random_convex_polygon(random), b = trial % 3 == 0 ? a : random_convex_polygon(random);
    const Pose pose_a = planar_pose(unit(random), unit(random), 3 * unit(random));
    Pose pose_b = planar_pose(unit(random), unit(random), 3 * unit(random));
    if (trial % 5 == 0) pose_b = pose_a;
    if (trial % 7 == 0) pose_b.position += 0.6 * Vec3::UnitY();
    const model::Polygon pa{{a}}, pb{{b}};
    const testing::Segments sa = testing::segments_of(pa, pose_a), sb = testing::segments_of(pb, pose_b);
    double axes = -1e300;
    for (const auto* sides : {&sa, &sb}) {
      for (const auto& side : *sides) {
        const Vec3 u = (side[1] - side[0]).normalized(), n(u.y(), -u.x(), 0);
        double low = 1e300;
        for (const auto& other : sides == &sa ? sb : sa) low = std::min(low, n.dot(other[0] - side[0]));
        axes = std::max(axes, low);
      }
    }
    const double truth = axes <= 0 ? axes : testing::outline_distance(sa, sb);
    const Separation s = between(solid_of(pa, true), pose_a, solid_of(pb, true), pose_b);
    worst = std::max({worst, std::abs(s.low - truth), std::abs(s.high - truth)});
  }
  EXPECT_LE(worst, 5e-12);  // as above
}

TEST(Separation, HalfPlaneAndHalfSpace) {
  const Solid floor = solid_of(model::HalfSpace{Vec3::UnitZ(), 0.5});
  const Solid cylinder = solid_of(model::Cylinder{0.3, 1});
  const double tilt = 0.4;
  const Pose leaning{{7, -3, 1.2}, Quat(Eigen::AngleAxisd(tilt, Vec3::UnitX()))};
  const double lowest = 1.2 - std::cos(tilt) - 0.3 * std::sin(tilt) - 0.5;
  EXPECT_NEAR(between(cylinder, leaning, floor, {}).low, lowest, 1e-15);
  EXPECT_NEAR(between(floor, {}, cylinder, leaning).high, lowest, 1e-15);
  EXPECT_NEAR(between(floor, {}, cylinder, leaning).normal.z(), -1, 1e-15);
  EXPECT_TRUE(std::isinf(between(floor, {}, floor, {}).low));
}

// --- concave

const std::vector<Vec2> kL{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};

TEST(Separation, ConcaveOutlineOverlapsExactlyWhenItsPartsDo) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> unit(-1, 1);
  const Solid outline = solid_of(model::Polygon{{kL}}, true);
  ASSERT_EQ(outline.surface.size(), 1U);
  const model::PlacedShape parts[2] = {{model::make_rectangle(2, 1), planar_pose(1, 0.5, 0)},
                                       {model::make_rectangle(1, 2), planar_pose(0.5, 1, 0)}};
  const Solid pieces = make_solid(parts, true);
  for (int trial = 0; trial < 3000; ++trial) {
    const Solid other = trial % 2 == 0 ? solid_of(model::Disc{0.05 + 0.3 * std::abs(unit(random))}, true)
                                       : solid_of(model::make_rectangle(0.4, 0.2), true);
    const Pose pose = planar_pose(1 + 2 * unit(random), 1 + 2 * unit(random), 3 * unit(random));
    const Separation a = between(outline, {}, other, pose), b = between(pieces, {}, other, pose);
    EXPECT_EQ(a.low < -1e-12, b.low < -1e-12) << pose.position.transpose();
    if (a.low > 0) {
      EXPECT_NEAR(a.low, b.low, 1e-12);
    }
  }
}

TEST(Separation, HoleIsOutside) {
  const std::vector<Vec2> outer{{-2, -2}, {2, -2}, {2, 2}, {-2, 2}}, hole{{-1, -1}, {-1, 1}, {1, 1}, {1, -1}};
  const Solid frame = solid_of(model::Polygon{{outer, hole}}, true), disc = solid_of(model::Disc{0.4}, true);
  EXPECT_NEAR(between(frame, {}, disc, planar_pose(0.5, 0, 0)).low, 0.1, 1e-14);
  EXPECT_NEAR(between(frame, {}, disc, planar_pose(0.7, 0, 0)).low, -0.1, 1e-14);
  // The centre is in the material, halfway: out by 0.5 and the radius.
  EXPECT_NEAR(between(frame, {}, disc, planar_pose(1.5, 0, 0)).low, -0.9, 1e-14);
}

// A box with the corner cut out, as one mesh with concave faces.
model::Polyhedron notched_box() {
  model::Polyhedron mesh;
  for (const double z : {0.0, 1.0})
    for (const Vec2& p : kL) mesh.vertices.emplace_back(p.x(), p.y(), z);
  mesh.faces = {{5, 4, 3, 2, 1, 0}, {6, 7, 8, 9, 10, 11}};
  for (int i = 0; i < 6; ++i) mesh.faces.push_back({i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6});
  return mesh;
}

TEST(Separation, ConcaveMeshOverlapsExactlyWhenItsPartsDo) {
  std::mt19937 random(13);
  const model::Polyhedron mesh = notched_box();
  const Solid whole = solid_of(mesh);
  ASSERT_EQ(whole.surface.size(), 1U);
  const model::PlacedShape parts[2] = {{model::make_box(Vec3(2, 1, 1)), Pose{Vec3(1, 0.5, 0.5), Quat::Identity()}},
                                       {model::make_box(Vec3(1, 2, 1)), Pose{Vec3(0.5, 1, 0.5), Quat::Identity()}}};
  const Solid pieces = make_solid(parts, false);
  int overlapping = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const model::Shape shape = trial % 3 == 0 ? model::Shape(mesh) : random_curved(random);
    const Solid other = solid_of(shape);
    const Pose pose{Vec3(1, 1, 0.5) + random_vector(random, 2.5), random_orientation(random)};
    const Separation a = between(whole, {}, other, pose), b = between(pieces, {}, other, pose);
    EXPECT_EQ(a.low < -1e-9, b.low < -1e-9) << trial << " " << a.low << " " << b.low;
    if (a.low > 0) {
      EXPECT_NEAR(a.low, b.low, 1e-9);
    }
    overlapping += a.low < 0 ? 1 : 0;
  }
  EXPECT_GT(overlapping, 300);
}

TEST(Separation, BodyWithinAConcaveMeshIsFound) {
  const Solid whole = solid_of(notched_box()), ball = solid_of(model::Sphere{0.05});
  EXPECT_NEAR(between(whole, {}, ball, {Vec3(0.5, 0.5, 0.5), Quat::Identity()}).low, -0.55, 1e-14);
  EXPECT_GT(between(whole, {}, ball, {Vec3(1.5, 1.5, 0.5), Quat::Identity()}).low, 0.4);
}

// One cube stands on its edge on another of the same width, turned a little: its corners lie on the border of a face.
TEST(Overlaps, CornersOnTheBorderOfAnEquallyWideFace) {
  model::Model pair = testing::pair_of(model::make_box(Vec3::Ones()), model::make_box(Vec3::Ones()), false);
  model::State state = testing::state_of(pair);
  const Quat on_edge(Eigen::AngleAxisd(std::numbers::pi / 6, Vec3::UnitY()));
  for (const double side : {0.0, 1e-3, 0.01}) {
    for (const double roll : {0.005, 0.01, 0.02, -0.05}) {
      state.bodies[0].pose.position = Vec3(0, 0, -0.5);
      state.bodies[1].pose = {Vec3(0.2, side, 0.68), Quat(Eigen::AngleAxisd(roll, Vec3::UnitX())) * on_edge};
      const double axes = axes_separation(hull_of(model::make_box(Vec3::Ones()), state.bodies[0].pose),
                                          hull_of(model::make_box(Vec3::Ones()), state.bodies[1].pose));
      Overlaps overlaps(pair);
      const auto& found = overlaps.find(state);
      ASSERT_EQ(found.size(), 1U) << "roll " << roll << ", side " << side << ": depth " << -axes;
      EXPECT_NEAR(found[0].depth, -axes, 1e-12);
    }
  }
}

TEST(Overlaps, PairsThatNeverTouchOrNeverMoveAreNotLooked) {
  model::Model balls = testing::pair_of(model::Sphere{1}, model::Sphere{1}, false);
  const model::State state = testing::state_of(balls);
  EXPECT_EQ(Overlaps(balls).find(state).size(), 1U);
  balls.bodies[0].mass = 0;
  EXPECT_EQ(Overlaps(balls).find(state).size(), 1U);
  balls.bodies[1].mass = 0;
  EXPECT_TRUE(Overlaps(balls).find(state).empty());
  balls.bodies[1].mass = 1;
  balls.laws = model::PairLaws(balls.bodies.size(), model::PairLaws::kNever);
  EXPECT_TRUE(Overlaps(balls).find(state).empty());
}

TEST(Separation, BeyondTheReachNothingIsMeasured) {
  const Solid ball = solid_of(model::Sphere{1});
  const PlacedSolid a(ball, {}), b(ball, {Vec3(5, 0, 0), Quat::Identity()});
  EXPECT_EQ(separation(a, b, 1.0).low, 1.0);
  EXPECT_NEAR(separation(a, b, 4.0).low, 3.0, 1e-14);
}

TEST(Separation, ChainIsCrossedNotEntered) {
  const Solid chain = solid_of(model::Chain{{{-1, 0}, {1, 0}, {2, 1}}}, true), disc = solid_of(model::Disc{0.1}, true);
  EXPECT_NEAR(between(chain, {}, disc, planar_pose(0, 0.3, 0)).low, 0.2, 1e-15);
  EXPECT_NEAR(between(chain, {}, disc, planar_pose(0, -0.04, 0)).low, -0.06, 1e-15);
}

}  // namespace
}  // namespace stickslip::collision
