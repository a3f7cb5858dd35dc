// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Pairs of shapes whose contacts can be written down.
#include "tests/collision/scenes.h"

#include <gtest/gtest.h>
#include <numbers>

namespace stickslip::collision::testing {
namespace {

const model::HalfSpace kFloor{Vec3::UnitZ(), 0};
const model::HalfSpace kGround{Vec3::UnitY(), 0};  // planar

// a is body 0, b body 1 at `position`; normals point from body 1 into body 0.
std::vector<Contact> contacts_of(model::Shape a, model::Shape b, bool planar, const model::Pose& pose,
                                 double margin = 0.1) {
  const model::Model model = pair_of(std::move(a), std::move(b), planar);
  model::State state = state_of(model);
  state.bodies[1].pose = pose;
  return find(model, state, margin);
}

Quat about(const Vec3& axis, double angle) {
  return Quat(Eigen::AngleAxisd(angle, axis.normalized()));
}

void expect_contact(const Contact& c, double gap, const Vec3& normal, const Vec3& point_b) {
  EXPECT_NEAR(c.gap, gap, 1e-14);
  EXPECT_LE((c.normal - normal).norm(), 1e-14);
  EXPECT_LE((c.point_b - point_b).norm(), 1e-13);
  EXPECT_NEAR(c.normal.dot(c.point_a - c.point_b), c.gap, 1e-14);
}

TEST(ClosedForms, SphereOverATiltedPlane) {
  const Vec3 n = Vec3(1, 2, 3).normalized();
  const auto c =
      contacts_of(model::HalfSpace{n, 0.5}, model::Sphere{1}, false, {(0.5 + 1 + 0.02) * n, Quat::Identity()});
  ASSERT_EQ(c.size(), 1u);
  expect_contact(c[0], 0.02, -n, 0.52 * n);
  EXPECT_LE((c[0].point_a - 0.5 * n).norm(), 1e-14);
}

TEST(ClosedForms, ReachDecidesWhatIsFound) {
  EXPECT_EQ(contacts_of(kFloor, model::Sphere{1}, false, {Vec3(0, 0, 1.0999), Quat::Identity()}).size(), 1u);
  EXPECT_EQ(contacts_of(kFloor, model::Sphere{1}, false, {Vec3(0, 0, 1.1001), Quat::Identity()}).size(), 0u);
  // Falling at 2 m/s for 0.05 s adds 0.1 m.
  const model::Model model = pair_of(kFloor, model::Sphere{1}, false);
  model::State state = state_of(model);
  state.bodies[1].pose.position = Vec3(0, 0, 1.1999);
  EXPECT_EQ(find(model, state, 0.1, 0.05).size(), 0u);
  state.bodies[1].velocity.linear = Vec3(0, 0, -2);
  EXPECT_EQ(find(model, state, 0.1, 0.05).size(), 1u);
}

TEST(ClosedForms, SpheresAndDiscs) {
  const Vec3 d = Vec3(1, -1, 2).normalized();
  const auto spheres = contacts_of(model::Sphere{1}, model::Sphere{0.5}, false, {1.48 * d, Quat::Identity()});
  ASSERT_EQ(spheres.size(), 1u);
  expect_contact(spheres[0], -0.02, -d, 0.98 * d);
  const auto discs =
      contacts_of(model::Disc{1}, model::Disc{0.5}, true, {Vec3(0.9, 1.2, 0) * (1.55 / 1.5), Quat::Identity()});
  ASSERT_EQ(discs.size(), 1u);
  expect_contact(discs[0], 0.05, -Vec3(0.6, 0.8, 0), Vec3(0.6, 0.8, 0) * 1.05);
}

TEST(ClosedForms, TripodStandsOnThreePoints) {
  const model::PointSet tripod{{Vec3(1, 0, 0), Vec3(-1, 1, 0), Vec3(-1, -1, 0)}};
  const auto c = contacts_of(kFloor, tripod, false, {Vec3(0, 0, 0.01), Quat::Identity()});
  ASSERT_EQ(c.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) expect_contact(c[i], 0.01, -Vec3::UnitZ(), tripod.points[i] + Vec3(0, 0, 0.01));
}

TEST(ClosedForms, PointsDoNotTouchPoints) {
  const model::PointSet point{{Vec3::Zero()}};
  EXPECT_TRUE(contacts_of(point, point, false, {}).empty());
}

TEST(ClosedForms, BoxOnPlaneStandsOnItsFourCorners) {
  const auto c = contacts_of(kFloor, model::make_box(Vec3(1, 2, 3)), false, {Vec3(5, 0, 1.5), Quat::Identity()}, 10);
  ASSERT_EQ(c.size(), 4u) << "the upper corners hang behind, whatever the reach";
  for (const Contact& k : c) {
    EXPECT_NEAR(k.gap, 0, 1e-15);
    EXPECT_NEAR(std::abs(k.point_b.x() - 5), 0.5, 1e-15);
    EXPECT_NEAR(std::abs(k.point_b.y()), 1, 1e-15);
  }
}

TEST(ClosedForms, PegOnItsCorner) {
  const double turn = 0.3;
  model::Pose pose{Vec3(0, 0, 0), about(Vec3::UnitZ(), turn)};
  const double lowest = 0.5 * (0.1 * std::sin(turn) + 0.04 * std::cos(turn));
  pose.position.y() = lowest + 0.001;
  const auto c = contacts_of(kGround, model::make_rectangle(0.1, 0.04), true, pose, 0.01);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].gap, 0.001, 1e-15);
}

TEST(ClosedForms, MeterStickOnTwoFingers) {
  std::vector<model::Body> bodies{free_body(model::make_rectangle(1, 0.005), true), free_body(model::Disc{0.005}, true),
                                  free_body(model::Disc{0.005}, true)};
  const model::Model model = make_model(std::move(bodies), 2);
  model::State state = state_of(model);
  state.bodies[0].pose.position = Vec3(0, 0.0025, 0);
  state.bodies[1].pose.position = Vec3(-0.4, -0.005, 0);
  state.bodies[2].pose.position = Vec3(0.3, -0.005, 0);
  const auto c = find(model, state, 0.01);
  ASSERT_EQ(c.size(), 2u);
  expect_contact(c[0], 0, Vec3::UnitY(), Vec3(-0.4, 0, 0));
  expect_contact(c[1], 0, Vec3::UnitY(), Vec3(0.3, 0, 0));
}

TEST(ClosedForms, DiscAroundACornerFollowsIt) {
  for (double angle : {0.1, 0.7, 1.5}) {
    const Vec3 d(std::cos(angle), std::sin(angle), 0);
    const auto c =
        contacts_of(model::make_rectangle(2, 2), model::Disc{0.5}, true, {Vec3(1, 1, 0) + 0.52 * d, Quat::Identity()});
    ASSERT_EQ(c.size(), 1u);
    expect_contact(c[0], 0.02, -d, Vec3(1, 1, 0) + 0.02 * d);
  }
}

TEST(ClosedForms, CapsuleLiesOnTwoEndsAndOverARim) {
  const Quat lying = about(Vec3::UnitY(), std::numbers::pi / 2);
  const auto on_plane = contacts_of(kFloor, model::Capsule{0.2, 1}, false, {Vec3(0, 0, 0.2), lying});
  ASSERT_EQ(on_plane.size(), 2u);
  EXPECT_NEAR(std::abs(on_plane[0].point_b.x()), 1, 1e-14);
  const auto on_box =
      contacts_of(model::make_box(Vec3(4, 4, 1)), model::Capsule{0.2, 1}, false, {Vec3(1.9, 0, 0.7), lying});
  ASSERT_EQ(on_box.size(), 2u) << "one end on the face, the other end beyond the rim";
  EXPECT_NEAR(std::max(on_box[0].point_b.x(), on_box[1].point_b.x()), 2, 1e-14);
}

TEST(ClosedForms, ParallelCapsulesTouchAtBothEndsOfTheirOverlap) {
  const auto c =
      contacts_of(model::Capsule{0.2, 1}, model::Capsule{0.2, 1}, false, {Vec3(0.4, 0, 0.5), Quat::Identity()});
  ASSERT_EQ(c.size(), 2u);
  EXPECT_NEAR(std::min(c[0].point_a.z(), c[1].point_a.z()), -0.5, 1e-14);
  EXPECT_NEAR(std::max(c[0].point_a.z(), c[1].point_a.z()), 1, 1e-14);
  const auto crossed =
      contacts_of(model::Capsule{0.2, 1}, model::Capsule{0.2, 1}, false, {Vec3(0.45, 0, 0), about(Vec3::UnitX(), 1.0)});
  ASSERT_EQ(crossed.size(), 1u);
  expect_contact(crossed[0], 0.05, -Vec3::UnitX(), Vec3(0.25, 0, 0));
}

// Two unit boxes face on face: the corners of the overlap, each once.
TEST(ClosedForms, BoxOnBoxHasTheCornersOfTheOverlap) {
  const model::Polyhedron box = model::make_box(Vec3(1, 1, 1));
  const struct {
    Vec3 shift;
    double turn;
    std::size_t corners;
    double extent;  // largest |x| of the overlap
  } cases[] = {{Vec3(0, 0, 1), 0, 4, 0.5},
               {Vec3(0.3, 0.2, 1), 0, 4, 0.5},
               {Vec3(0, 0.5, 1), 0, 4, 0.5},
               {Vec3(0, 0, 1), std::numbers::pi / 4, 8, 0.5},
               {Vec3(0.1, 0, 1), 0.2, 6, 0.5}};
  for (const auto& k : cases) {
    const auto c = contacts_of(box, box, false, {k.shift, about(Vec3::UnitZ(), k.turn)}, 0.01);
    EXPECT_EQ(c.size(), k.corners);
    double extent = 0;
    for (const Contact& contact : c) {
      EXPECT_NEAR(contact.gap, 0, 1e-14);
      EXPECT_LE((contact.normal + Vec3::UnitZ()).norm(), 1e-14);
      extent = std::max(extent, std::abs(contact.point_a.x()));
    }
    EXPECT_NEAR(extent, k.extent, 1e-12);
  }
}

TEST(ClosedForms, CrossedBarsTouchAtFourEdgeCrossings) {
  const auto c = contacts_of(model::make_box(Vec3(4, 1, 1)), model::make_box(Vec3(1, 4, 1)), false,
                             {Vec3(0, 0, 0.9), Quat::Identity()}, 0.01);
  ASSERT_EQ(c.size(), 4u);
  for (const Contact& k : c) {
    EXPECT_NEAR(k.gap, -0.1, 1e-14);
    EXPECT_LE((k.normal + Vec3::UnitZ()).norm(), 1e-14);
  }
}

TEST(ClosedForms, CrossedPlanarBarsReportTheShallowWayOut) {
  const auto c = contacts_of(model::make_rectangle(4, 1), model::make_rectangle(1, 4), true,
                             {Vec3(0.1, 2.3, 0), Quat::Identity()}, 0.01);
  double deepest = 0;
  for (const Contact& k : c) deepest = std::min(deepest, k.gap);
  EXPECT_NEAR(deepest, -0.2, 1e-14);
  const auto cross = contacts_of(model::make_rectangle(4, 1), model::make_rectangle(1, 4), true, {}, 0.01);
  ASSERT_EQ(cross.size(), 1u) << "no corner inside the other bar";
  EXPECT_NEAR(cross[0].gap, -2.5, 1e-14);
}

TEST(ClosedForms, CylinderStandsLiesAndTips) {
  const model::Cylinder can{0.5, 1};
  const auto standing = contacts_of(kFloor, can, false, {Vec3(0, 0, 1.001), Quat::Identity()}, 0.01);
  EXPECT_EQ(standing.size(), static_cast<std::size_t>(kRimPoints));
  for (const Contact& c : standing) EXPECT_NEAR(c.gap, 0.001, 1e-14);
  const auto lying =
      contacts_of(kFloor, can, false, {Vec3(0, 0, 0.5), about(Vec3::UnitX(), std::numbers::pi / 2)}, 0.01);
  ASSERT_EQ(lying.size(), 2u);
  for (const Contact& c : lying) {
    EXPECT_NEAR(c.gap, 0, 1e-14);
    EXPECT_NEAR(std::abs(c.point_b.y()), 1, 1e-14);
  }
  const double tip = 0.4;
  const auto tipped = contacts_of(kFloor, can, false,
                                  {Vec3(0, 0, std::cos(tip) + 0.5 * std::sin(tip)), about(Vec3(1, 2, 0), tip)}, 0.01);
  ASSERT_EQ(tipped.size(), 1u);
  EXPECT_NEAR(tipped[0].gap, 0, 1e-14);
}

// A cap over the edge of a box is held where that edge crosses its rim, and over another cap where the rims cross.
TEST(ClosedForms, CapOverAnEdgeIsHeldWhereTheEdgeCrossesItsRim) {
  const model::Cylinder can{0.5, 1};
  const auto touches = [](const std::vector<Contact>& contacts, const Vec3& x) {
    return std::ranges::any_of(contacts, [&](const Contact& c) { return (c.point_b - x).norm() < 1e-6; });
  };
  for (double turn : {0.0, 0.3, 1.1}) {
    const auto c =
        contacts_of(model::make_box(Vec3(4, 4, 2)), can, false, {Vec3(1.9, 0, 2), about(Vec3::UnitZ(), turn)});
    const double y = std::sqrt(0.25 - 0.01);
    EXPECT_TRUE(touches(c, Vec3(2, y, 1)) && touches(c, Vec3(2, -y, 1))) << turn;
    for (const Contact& k : c) EXPECT_LE(k.point_b.x(), 2 + 1e-6) << turn;
    const auto on_can = contacts_of(can, can, false, {Vec3(0.6, 0, 2), about(Vec3::UnitZ(), turn)});
    EXPECT_TRUE(touches(on_can, Vec3(0.3, 0.4, 1)) && touches(on_can, Vec3(0.3, -0.4, 1))) << turn;
  }
}

// The list holds eight points of the rim; the one about which a motion tips the can is found when it is asked for.
TEST(ClosedForms, RimPointAboutWhichACanTips) {
  const model::Model model = pair_of(kFloor, model::Cylinder{0.5, 1}, false);
  model::State state = state_of(model);
  state.bodies[1].pose.position = Vec3(0.2, 0.1, 1);
  FeatureCollider collider;
  std::vector<Contact> contacts, more;
  collider.find(model, state, 0.01, 0, contacts);
  std::vector<model::Twist> motion(2);
  EXPECT_FALSE(collider.find_more(model, state, motion, 0.01, contacts, more)) << "at rest";
  motion[1].linear = Vec3(3, 0, 1e-3);
  motion[1].angular = Vec3(0, 0, 5);
  EXPECT_FALSE(collider.find_more(model, state, motion, 0.01, contacts, more)) << "slides, spins and lifts";
  for (double phi : {0.1, 1.0, 2.2, -2.0, -0.7}) {
    const Vec3 ahead(std::cos(phi), std::sin(phi), 0);
    motion[1] = {Vec3(0, 0, 0), Vec3::UnitZ().cross(ahead)};
    ASSERT_TRUE(collider.find_more(model, state, motion, 0.01, contacts, more));
    ASSERT_EQ(more.size(), 1u);
    EXPECT_LE((more[0].point_b - (Vec3(0.2, 0.1, 0) + 0.5 * ahead)).norm(), 2e-7) << "to a part of the turn";
    EXPECT_NEAR(more[0].gap, 0, 1e-15);
    auto extended = contacts;
    extended.push_back(more[0]);
    collider.refresh(model, state, extended);
    EXPECT_EQ(extended.back().point_b, more[0].point_b);
    EXPECT_FALSE(collider.find_more(model, state, motion, 0.01, extended, more)) << "it is in the list";
  }
}

TEST(ClosedForms, CylindersSideBySideStackedAndCrossed) {
  const model::Cylinder can{0.5, 1};
  const auto beside = contacts_of(can, can, false, {Vec3(1.01, 0, 0.4), Quat::Identity()}, 0.05);
  ASSERT_EQ(beside.size(), 2u) << "both ends of the overlap";
  for (const Contact& c : beside) {
    EXPECT_NEAR(c.gap, 0.01, 1e-14);
    EXPECT_LE((c.normal + Vec3::UnitX()).norm(), 1e-14);
  }
  EXPECT_NEAR(std::abs(beside[0].point_a.z() - beside[1].point_a.z()), 1.6, 1e-14);
  const auto stacked = contacts_of(can, can, false, {Vec3(0.2, 0, 2), about(Vec3::UnitZ(), 0.3)}, 0.01);
  EXPECT_GE(stacked.size(), 3u);
  for (const Contact& c : stacked) {
    EXPECT_NEAR(c.gap, 0, 1e-14);
    EXPECT_LE((c.normal + Vec3::UnitZ()).norm(), 1e-12);
  }
  const auto crossed = contacts_of(can, can, false, {Vec3(0.98, 0, 0), about(Vec3::UnitX(), 1.2)}, 0.05);
  ASSERT_EQ(crossed.size(), 1u);
  expect_contact(crossed[0], -0.02, -Vec3::UnitX(), Vec3(0.48, 0, 0));
}

// Coins on a table: their sides end together, and what overlaps by a little has not come in through a cap.
TEST(ClosedForms, CoinsOfOneHeightMeetAtTheirSides) {
  const model::Cylinder coin{0.5, 0.02};
  for (double gap : {0.01, -1e-4}) {
    const auto beside = contacts_of(coin, coin, false, {Vec3(1 + gap, 0, 0), about(Vec3::UnitZ(), 0.3)}, 0.05);
    ASSERT_EQ(beside.size(), 2u) << gap;
    for (const Contact& c : beside) {
      EXPECT_NEAR(c.gap, gap, 1e-14);
      EXPECT_LE((c.normal + Vec3::UnitX()).norm(), 1e-14);
    }
  }
}

// A can that stands on a table and hangs over its edge touches the top, not the side.
TEST(ClosedForms, CanOverAnEdgeIsNotInsideOfTheSide) {
  for (double sunk : {0.0, 1e-5}) {
    const auto c = contacts_of(model::make_box(Vec3(4, 4, 2)), model::Cylinder{0.5, 1}, false,
                               {Vec3(1.9, 0, 2 - sunk), Quat::Identity()});
    ASSERT_FALSE(c.empty());
    for (const Contact& k : c) EXPECT_NEAR(k.gap, -sunk, 1e-14);
  }
}

TEST(ClosedForms, SphereAgainstCylinder) {
  const model::Cylinder can{0.5, 1};
  const auto side = contacts_of(can, model::Sphere{0.2}, false, {Vec3(0.75, 0, 0.3), Quat::Identity()});
  ASSERT_EQ(side.size(), 1u);
  expect_contact(side[0], 0.05, -Vec3::UnitX(), Vec3(0.55, 0, 0.3));
  const auto cap = contacts_of(can, model::Sphere{0.2}, false, {Vec3(0.1, 0.2, 1.19), Quat::Identity()});
  ASSERT_EQ(cap.size(), 1u);
  expect_contact(cap[0], -0.01, -Vec3::UnitZ(), Vec3(0.1, 0.2, 0.99));
  const Vec3 d = Vec3(1, 0, 1).normalized();
  const auto rim = contacts_of(can, model::Sphere{0.2}, false, {Vec3(0.5, 0, 1) + 0.25 * d, Quat::Identity()});
  ASSERT_EQ(rim.size(), 1u);
  expect_contact(rim[0], 0.05, -d, Vec3(0.5, 0, 1) + 0.05 * d);
}

// An ellipsoid on a tilted plane: the support function is sqrt((a n_x)^2 + (b n_y)^2 + (c n_z)^2).
TEST(ClosedForms, EllipsoidOverATiltedPlane) {
  const Vec3 n = Vec3(1, 2, 3).normalized();
  const double h = Vec3(n.x() * 1, n.y() * 2, n.z() * 0.5).norm();
  const auto c = contacts_of(model::HalfSpace{n, 0}, model::Superellipsoid{1, 2, 0.5, 2, 2}, false,
                             {(h + 0.01) * n, Quat::Identity()});
  ASSERT_EQ(c.size(), 1u);
  EXPECT_NEAR(c[0].gap, 0.01, 1e-14);
}

}  // namespace
}  // namespace stickslip::collision::testing
