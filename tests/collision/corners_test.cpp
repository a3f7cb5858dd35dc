// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Corners, notches and seams: where a wrong choice of features makes bumps, phantom walls or tunnels.
#include "tests/collision/scenes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stickslip::collision::testing {
namespace {

const model::PointSet kParticle{{Vec3::Zero()}};

std::vector<Contact> touch(const model::Shape& ground, const model::Shape& other, bool planar, const Vec3& position,
                           const Vec3& velocity = Vec3::Zero(), double horizon = 0, double margin = 0.01) {
  const model::Model model = pair_of(ground, other, planar);
  model::State state = state_of(model);
  state.bodies[1].pose.position = position;
  state.bodies[1].velocity.linear = velocity;
  return find(model, state, margin, horizon);
}

// A floor whose top has a seam (collinear vertex) at x = 0, a valley at x = 1 and a hill at x = 2.
model::Polygon bumpy_floor() {
  return {{{Vec2(-1, -1), Vec2(3, -1), Vec2(3, 0), Vec2(2, 0.1), Vec2(1, 0), Vec2(0, 0), Vec2(-1, 0)}}};
}

TEST(Corners, ParticleCrossesASeamWithoutNotice) {
  for (double x : {-1e-3, -1e-12, 0.0, 1e-12, 1e-3}) {
    for (double y : {-1e-9, 0.0, 1e-9}) {
      for (double speed : {-1.0, 0.0, 1.0}) {
        const auto c = touch(bumpy_floor(), kParticle, true, Vec3(x, y, 0), Vec3(speed, 0, 0), 0.01);
        ASSERT_EQ(c.size(), 1u) << x << " " << y;
        EXPECT_NEAR(c[0].gap, y, 1e-15);
        EXPECT_LE((c[0].normal + Vec3::UnitY()).norm(), 1e-15) << "normal of the flat floor, from the particle into it";
      }
    }
  }
}

TEST(Corners, ParticleInAValleyTouchesBothSides) {
  const Vec3 slope = Vec3(-0.1, 1, 0).normalized();
  for (const Vec3& p : {Vec3(1, 0, 0), Vec3(1.001, 0.0005, 0), Vec3(0.999, 0.0001, 0), Vec3(1, -1e-6, 0)}) {
    const auto c = touch(bumpy_floor(), kParticle, true, p);
    ASSERT_EQ(c.size(), 2u) << p.transpose();
    for (const Contact& k : c) {
      const bool flat = (k.normal + Vec3::UnitY()).norm() < 1e-12;
      EXPECT_NEAR(k.gap, flat ? p.y() : slope.dot(p - Vec3(1, 0, 0)), 1e-12);
      EXPECT_LE((k.normal + (flat ? Vec3(Vec3::UnitY()) : slope)).norm(), 1e-12);
    }
  }
}

TEST(Corners, ParticleOnAHillTouchesOneSideOrTheTop) {
  for (double x = 1.99; x <= 2.01; x += 0.001) {
    const double top = 0.1 - 0.1 * std::abs(x - 2);
    for (double above : {1e-9, 1e-4}) {
      const auto c = touch(bumpy_floor(), kParticle, true, Vec3(x, top + above, 0));
      ASSERT_EQ(c.size(), 1u) << x;
      EXPECT_LE(c[0].gap, above);
      EXPECT_GT(-c[0].normal.y(), 0.99);
    }
  }
}

// Falling past the corner of a table, 1 mm beside it: no face of the table may stop it.
TEST(Corners, FallingPastACornerIsNotBlocked) {
  const model::Polygon table = model::make_rectangle(2, 1);  // corner at (1, 0.5)
  const double h = 0.01;
  const Vec3 velocity(0, -5, 0);
  for (double x : {1.001, 1.01}) {
    for (double y : {0.501, 0.51, 0.54}) {
      for (const Contact& c : touch(table, kParticle, true, Vec3(x, y, 0), velocity, h)) {
        EXPECT_GE(c.gap + h * -c.normal.dot(velocity), 0) << "the stepper would hold it back";
      }
    }
  }
  // The same in space.
  const model::Polyhedron block = model::make_box(Vec3(2, 2, 1));
  for (const Contact& c : touch(block, kParticle, false, Vec3(1.001, 0.2, 0.51), Vec3(0, 0, -5), h)) {
    EXPECT_GE(c.gap + h * c.normal.z() * 5, 0);
  }
}

// Present velocities just miss the corner, gravity within the step would reach it: still nothing may stop it.
TEST(Corners, FallingPastACornerFasterThanPresentVelocitiesSayIsNotBlocked) {
  const double h = 0.01, faster = 9.81 * h, margin = 2 * h * faster;
  const model::Polygon table = model::make_rectangle(2, 1);
  for (const Contact& c : touch(table, kParticle, true, Vec3(1.005, 0.5107, 0), Vec3(0, -1.275, 0), h, margin))
    EXPECT_GE(c.gap + h * c.normal.y() * (1.275 + faster), 0);
  const model::Polyhedron block = model::make_box(Vec3(2, 2, 1));
  for (const Contact& c : touch(block, kParticle, false, Vec3(1.005, 0.2, 0.5107), Vec3(0, 0, -1.275), h, margin))
    EXPECT_GE(c.gap + h * c.normal.z() * (1.275 + faster), 0);
}

// A block slides over the edge of a table: its overhanging corner must not catch on the table's corner.
TEST(Corners, OverhangingBlockIsHeldByTheTablesCornerOnly) {
  const model::Polygon table = model::make_rectangle(4, 1), block = model::make_rectangle(1, 1);
  for (double tilt_gap : {-1e-12, 0.0, 1e-12}) {
    const auto c = touch(table, block, true, Vec3(1.505, 1 + tilt_gap, 0), Vec3(-1, 0, 0), 0.02);
    ASSERT_EQ(c.size(), 2u);
    for (const Contact& k : c) EXPECT_LE((k.normal + Vec3::UnitY()).norm(), 1e-12);
    EXPECT_NEAR(std::max(c[0].point_a.x(), c[1].point_a.x()), 2, 1e-12) << "the table's corner";
    EXPECT_NEAR(std::min(c[0].point_a.x(), c[1].point_a.x()), 1.005, 1e-12) << "the block's other corner";
  }
}

TEST(Corners, ReflexCornerOfABodyIsNoFeature) {
  // An arch standing on its two feet over a bump: its inner corners cannot touch anything.
  const model::Polygon arch{{{Vec2(-1, 0), Vec2(-0.5, 0), Vec2(-0.5, 1), Vec2(0.5, 1), Vec2(0.5, 0), Vec2(1, 0),
                              Vec2(1, 1.5), Vec2(-1, 1.5)}}};
  const auto c = touch(model::HalfSpace{Vec3::UnitY(), 0}, arch, true, Vec3(0, 0.001, 0), Vec3::Zero(), 0, 5);
  EXPECT_EQ(c.size(), 4u) << "the corners of the feet";
  const auto peg = touch(arch, model::make_rectangle(0.9, 0.5), true, Vec3(0, 0.745, 0), Vec3::Zero(), 0, 0.06);
  EXPECT_EQ(peg.size(), 6u) << "two corners against the roof, and two against the wall on each side";
}

// A triangulated, subdivided plate is one facet: no contact at inner vertices or diagonals, no change across them.
TEST(Corners, SeamsOfATriangulatedPlateAreInvisible) {
  model::Polyhedron plate;
  const int n = 3;
  for (double z : {-0.2, 0.0}) {
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j) plate.vertices.emplace_back(i - 1.5, j - 1.5, z);
    }
  }
  const auto at = [&](int i, int j, int k) { return k * (n + 1) * (n + 1) + i * (n + 1) + j; };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      plate.faces.push_back({at(i, j, 1), at(i + 1, j, 1), at(i + 1, j + 1, 1)});
      plate.faces.push_back({at(i, j, 1), at(i + 1, j + 1, 1), at(i, j + 1, 1)});
      plate.faces.push_back({at(i, j, 0), at(i + 1, j + 1, 0), at(i + 1, j, 0)});
      plate.faces.push_back({at(i, j, 0), at(i, j + 1, 0), at(i + 1, j + 1, 0)});
    }
    plate.faces.push_back({at(i, 0, 0), at(i + 1, 0, 0), at(i + 1, 0, 1), at(i, 0, 1)});
    plate.faces.push_back({at(i + 1, n, 0), at(i, n, 0), at(i, n, 1), at(i + 1, n, 1)});
    plate.faces.push_back({at(0, i + 1, 0), at(0, i, 0), at(0, i, 1), at(0, i + 1, 1)});
    plate.faces.push_back({at(n, i, 0), at(n, i + 1, 0), at(n, i + 1, 1), at(n, i, 1)});
  }
  for (double s = -1.4; s < 1.4; s += 0.05) {
    const auto ball = touch(plate, model::Sphere{0.1}, false, Vec3(s, s, 0.1));
    ASSERT_EQ(ball.size(), 1u) << s;
    EXPECT_LE((ball[0].normal + Vec3::UnitZ()).norm(), 1e-15);
    const auto box = touch(plate, model::make_box(Vec3(0.2, 0.2, 0.2)), false, Vec3(s, 0.3 * s, 0.1));
    EXPECT_EQ(box.size(), 4u) << s;
  }
}

TEST(Corners, ChainIsTouchedFromBothSidesAndNotPassed) {
  const model::Chain chain{{Vec2(-1, 0), Vec2(0, 0), Vec2(1, 0.2)}};
  const model::Model model = pair_of(chain, kParticle, true);
  for (double side : {1.0, -1.0}) {
    FeatureCollider collider;
    std::vector<Contact> contacts;
    model::State state = state_of(model);
    state.bodies[1].pose.position = Vec3(-0.5, side * 1e-3, 0);
    collider.find(model, state, 0.01, 0, contacts);
    ASSERT_EQ(contacts.size(), 1u);
    EXPECT_NEAR(contacts[0].gap, 1e-3, 1e-15);
    EXPECT_NEAR(contacts[0].normal.y(), -side, 1e-15);
    // Slightly through: still the same side, now with a negative gap; along the chain too.
    for (double x : {-0.5, -0.3}) {
      state.bodies[1].pose.position = Vec3(x, side * -1e-6, 0);
      collider.find(model, state, 0.01, 0, contacts);
      ASSERT_EQ(contacts.size(), 1u);
      EXPECT_NEAR(contacts[0].gap, -1e-6, 1e-15);
      EXPECT_NEAR(contacts[0].normal.y(), -side, 1e-15);
    }
  }
}

TEST(Corners, RefreshKeepsTheSideThroughDeepPenetration) {
  const model::Polyhedron box = model::make_box(Vec3(1, 1, 1));
  const model::Model model = pair_of(box, box, false);
  FeatureCollider collider;
  std::vector<Contact> contacts;
  model::State state = state_of(model);
  state.bodies[1].pose.position = Vec3(0.2, 0.1, 1.001);
  collider.find(model, state, 0.01, 0, contacts);
  ASSERT_EQ(contacts.size(), 4u);
  state.bodies[1].pose.position.z() = 0.2;  // most of the way through
  collider.refresh(model, state, contacts);
  for (const Contact& c : contacts) {
    EXPECT_NEAR(c.gap, -0.8, 1e-14);
    EXPECT_LE((c.normal + Vec3::UnitZ()).norm(), 1e-14);
  }
}

TEST(Corners, PrescribedBodiesDoNotTouchEachOther) {
  model::Model model = pair_of(model::Sphere{1}, model::Sphere{1}, false);
  model::State state = state_of(model);
  state.bodies[1].pose.position = Vec3(1.9, 0, 0);
  EXPECT_EQ(find(model, state, 0.1).size(), 1u);
  model.bodies[0].mass = model.bodies[1].mass = 0;
  EXPECT_TRUE(find(model, state, 0.1).empty());
  model.bodies[0].mass = 1;
  model.laws = model::PairLaws(2, model::PairLaws::kNever);
  EXPECT_TRUE(find(model, state, 0.1).empty()) << "a pair without a surface never touches";
}

// Blocks of one width on each other, slightly turned and shifted: whatever is aligned, the deepest contact is as deep as
// the shallowest way out, over the normals of both blocks (the plane's separating axes).
TEST(Corners, BlocksOfOneWidthReportTheirWholeOverlap) {
  const Vec2 half(0.21, 0.126);
  const auto corners = [&](double x, double y, double angle) {
    std::vector<Vec2> list;
    for (const Vec2& c : {Vec2(-1, -1), Vec2(1, -1), Vec2(1, 1), Vec2(-1, 1)})
      list.push_back(Vec2(x, y) + Eigen::Rotation2Dd(angle) * Vec2(c.cwiseProduct(half)));
    return list;
  };
  std::mt19937_64 random(5);
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  const auto small = [&] { return (between(0, 1) < 0.5 ? -1 : 1) * std::pow(10.0, between(-12, -3)); };
  int overlaps = 0;
  for (int k = 0; k < 20000; ++k) {
    const double x = between(0, 1) < 0.2 ? 0 : small(), angle = between(0, 1) < 0.2 ? 0 : small();
    const double y = 2 * half.y() + small();
    const model::Model model = pair_of(model::make_rectangle(2 * half.x(), 2 * half.y()),
                                       model::make_rectangle(2 * half.x(), 2 * half.y()), true);
    model::State state = state_of(model);
    state.bodies[1].pose.position = Vec3(x, y, 0);
    state.bodies[1].pose.orientation = Quat(std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle));
    state.bodies[1].angle = angle;
    const std::vector<Vec2> lower = corners(0, 0, 0), upper = corners(x, y, angle);
    double depth = 1;
    for (const double turned : {0.0, angle})
      for (const Vec2& axis : {Vec2(1, 0), Vec2(0, 1), Vec2(-1, 0), Vec2(0, -1)}) {
        const Vec2 n = Eigen::Rotation2Dd(turned) * axis;
        double high = -10, low = 10;
        for (const Vec2& p : lower) high = std::max(high, n.dot(p));
        for (const Vec2& p : upper) low = std::min(low, n.dot(p));
        depth = std::min(depth, high - low);
      }
    if (depth <= 1e-9) continue;
    ++overlaps;
    double deepest = 0;
    for (const Contact& contact : find(model, state, 0.01, 0)) deepest = std::max(deepest, -contact.gap);
    ASSERT_GE(deepest, depth - 1e-9) << "shifted by " << x << ", turned by " << angle << ", at " << y;
  }
  EXPECT_GT(overlaps, 5000);
}

}  // namespace
}  // namespace stickslip::collision::testing
