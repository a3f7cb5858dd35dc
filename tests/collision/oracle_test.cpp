// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The collider against separating axes by brute force, on pairs that are aligned, flush, thin, equal or degenerate.
// `script/bench collision_oracle` does the same with 200,000 pairs and more kinds. Curved shapes against a search over
// directions (bench/overlap_oracle.h), concave outlines against their signed separation.
#include "bench/overlap_oracle.h"
#include "bench/overlap_width.h"
#include "stickslip/collision/separation.h"
#include "tests/collision/adversarial_pairs.h"
#include "tests/collision/scenes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace stickslip::collision::testing {
namespace {

// Relative to the larger solid. Positions are rounded to 1e-16 of the world's coordinates, normals of the collider's
// facets to 1e-16 of a turn: some dozens of roundings.
constexpr double kRounding = 1e-12;

double smallest_gap(const std::vector<Contact>& contacts) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Contact& c : contacts) smallest = std::min(smallest, c.gap);
  return smallest;
}

class AdversarialPairs : public ::testing::TestWithParam<std::size_t> {};

TEST_P(AdversarialPairs, EveryOverlapIsFoundWithItsDepthAndEveryGapWithinReach) {
  PairMaker make(17 + GetParam());
  for (int trial = 0; trial < 150; ++trial) {
    const SolidPair pair = make.make(GetParam());
    const model::Model model = pair_of(pair.a, pair.b, false);
    model::State state = state_of(model);
    state.bodies[0].pose = pair.pose_a;
    state.bodies[1].pose = pair.pose_b;
    const SolidPoints a = solid_points(pair.a, pair.pose_a), b = solid_points(pair.b, pair.pose_b);
    const auto separation = static_cast<double>(separate_by_axes(a, b).separation);
    const double reach = pair.smaller * std::pow(10.0, make.in(-3, -1)), rounding = kRounding * pair.size;
    const double found = smallest_gap(find(model, state, reach));
    if (separation < -rounding) {
      EXPECT_NEAR(found, separation, rounding) << "trial " << trial;
    } else {
      const auto distance = static_cast<double>(distance_by_features(a, b));
      if (distance < reach - rounding) {
        EXPECT_LE(found, std::max(distance, separation) + rounding) << "trial " << trial;
      }
      EXPECT_GE(found, separation - rounding) << "trial " << trial;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Oracle, AdversarialPairs, ::testing::Range<std::size_t>(0, kPairKinds.size()));

// --- curved shapes, deep in each other

model::Shape spatial_shape(PairMaker& make, int kind) {
  const double a = make.in(0.2, 0.6), b = make.in(0.2, 0.8), c = make.in(0.2, 0.8);
  switch (kind) {
    case 0: return model::make_box(Vec3(2 * a, 2 * b, 2 * c));
    case 1: return model::Capsule{a, b};
    case 2: return model::Cylinder{a, b};
    default: return model::Superellipsoid{a, b, c, make.in(1.5, 4), make.in(1.5, 4)};
  }
}

model::Shape planar_shape(PairMaker& make, int kind) {
  const double a = make.in(0.2, 0.6), b = make.in(0.2, 0.8);
  if (kind == 0) return model::make_rectangle(2 * a, 2 * b);
  return model::Superellipse{a, b, make.in(1.5, 4)};
}

// The deepest contact tells the width of the overlap along its normal, and no direction has a smaller one.
void expect_shortest_way_out(const model::Shape& a, const model::Shape& b, bool planar, PairMaker& make, int trial) {
  const model::Model model = pair_of(a, b, planar);
  model::State state = state_of(model);
  for (model::BodyState& body : state.bodies) {
    if (planar)
      turn_planar(body, make.in(-3, 3));
    else
      body.pose.orientation = trial % 3 == 0 ? make.small_turn() : make.any_turn();
  }
  state.bodies[1].pose.position = make.in(0.05, 0.6) * make.direction();
  if (planar) state.bodies[1].pose.position.z() = 0;
  const bench::OverlapOracle oracle_a(model.bodies[0], state.bodies[0].pose),
      oracle_b(model.bodies[1], state.bodies[1].pose);
  const double depth = oracle_a.depth(oracle_b);
  if (depth < 2e-3) return;  // what overlaps by less is told by features
  const std::vector<Contact> contacts = find(model, state, 0.01);
  ASSERT_FALSE(contacts.empty()) << "trial " << trial;
  const Contact& deepest = *std::ranges::min_element(contacts, {}, &Contact::gap);
  // Features of capsules deep in superellipsoids tell their width to 1e-6 only.
  EXPECT_LE(-deepest.gap, depth + 1e-9) << "trial " << trial;
  EXPECT_NEAR(-deepest.gap, oracle_a.width(oracle_b, deepest.normal), 1e-6) << "trial " << trial;
}

// The oracle itself, by the distance of a point from a box: long boxes, whose edges make the width a valley with a kink in
// which a descent alone stays. Apart by 1e-6 is told; so is an overlap that is less deep than the ball's centre is away.
TEST(OverlapOracle, BallsNearEdgesOfLongBoxes) {
  PairMaker make(91);
  for (int trial = 0; trial < 2000; ++trial) {
    const Vec3 half(make.in(0.01, 0.1), make.in(0.05, 0.3), make.in(0.3, 1.0));
    const Vec3 centre = make.in(0.2, 1.4) * make.direction();
    const double distance = (centre - centre.cwiseMax(-half).cwiseMin(half)).norm();
    if (distance < 0.02) continue;
    const double sunk = (trial % 2 == 0 ? 1 : -1) * std::pow(10.0, make.in(-6, -2));
    const model::Model model = pair_of(model::make_box(2 * half), model::Sphere{distance + sunk}, false);
    model::Pose box, ball;
    box.orientation = Quat(Eigen::AngleAxisd(make.in(0, 3), make.direction()));
    ball.position = box.orientation * centre;
    const bench::OverlapOracle a(model.bodies[0], box), b(model.bodies[1], ball);
    EXPECT_NEAR(a.depth(b), std::max(0.0, sunk), 1e-9) << "trial " << trial;
    EXPECT_NEAR(b.depth(a), std::max(0.0, sunk), 1e-9) << "trial " << trial;
  }
}

TEST(DeepPairs, CurvedShapesInSpaceTellTheirShortestWayOut) {
  for (int kind_a = 0; kind_a < 4; ++kind_a)
    for (int kind_b = std::max(kind_a, 2); kind_b < 4; ++kind_b) {
      PairMaker make(static_cast<std::uint64_t>(31 + 4 * kind_a + kind_b));
      SCOPED_TRACE(std::to_string(kind_a) + " " + std::to_string(kind_b));
      for (int trial = 0; trial < 60; ++trial)
        expect_shortest_way_out(spatial_shape(make, kind_a), spatial_shape(make, kind_b), false, make, trial);
    }
}

model::Shape beside_a_cylinder(PairMaker& make, int kind) {
  if (kind < 3) return spatial_shape(make, kind);
  if (kind == 3) return model::Superellipsoid{make.in(0.2, 0.6), make.in(0.2, 0.6), make.in(0.2, 0.6), 2, 2};
  if (kind == 4) return model::Sphere{make.in(0.2, 0.6)};
  model::Polyhedron hull = make.make(10).a;
  double extent = 0;
  for (const Vec3& v : hull.vertices) extent = std::max(extent, v.norm());
  for (Vec3& v : hull.vertices) v /= extent;
  return hull;
}

// Nearly aligned with a cylinder and 1e-5 to 1e-2 deep: a rim that leans over an edge or a cap by 1e-12 to 0.1, sides
// along edges. To 1e-9 of the size; what the search itself leaves is 1e-11.
TEST(ShallowPairs, CylindersTellTheirDepth) {
  int overlaps = 0;
  for (int kind = 0; kind < 6; ++kind) {
    PairMaker make(static_cast<std::uint64_t>(211 + kind));
    for (int trial = 0; trial < 150; ++trial) {
      SCOPED_TRACE("kind " + std::to_string(kind) + " trial " + std::to_string(trial));
      const model::Shape a = beside_a_cylinder(make, kind), b = spatial_shape(make, 2);
      const model::Model model = pair_of(a, b, false);
      model::State state = state_of(model);
      model::Pose &pose_a = state.bodies[0].pose, &pose_b = state.bodies[1].pose;
      pose_a.orientation = make.any_turn();
      const Quat quarter = PairMaker::about(Vec3::UnitX(), make.whole(4) * std::numbers::pi / 2);
      pose_b.orientation = (pose_a.orientation * make.small_turn() * quarter).normalized();
      const Vec3 way = pose_a.orientation * (make.whole(2) > 0 ? Vec3(Vec3::Unit(make.whole(3))) : make.direction());
      const Solid solid_a = make_solid(model.bodies[0].shapes, false),
                  solid_b = make_solid(model.bodies[1].shapes, false);
      double in = 0, out = 4;
      for (int i = 0; i < 50; ++i) {
        pose_b.position = 0.5 * (in + out) * way;
        const bool apart = separation(PlacedSolid(solid_a, pose_a), PlacedSolid(solid_b, pose_b)).high > 0;
        (apart ? out : in) = 0.5 * (in + out);
      }
      pose_b.position = (in - std::pow(10.0, make.in(-5, -2))) * way;
      const bench::OverlapWidth width(a, pose_a, b, pose_b);
      const std::vector<Contact> contacts = find(model, state, 0.01);
      ASSERT_FALSE(contacts.empty());
      const Contact& deepest = *std::ranges::min_element(contacts, {}, &Contact::gap);
      EXPECT_NEAR(-deepest.gap, width.smallest_on_kinks(deepest.normal), 1e-9);
      ++overlaps;
    }
  }
  EXPECT_EQ(overlaps, 900);
}

TEST(DeepPairs, CurvedShapesInThePlaneTellTheirShortestWayOut) {
  for (int kind = 0; kind < 2; ++kind) {
    PairMaker make(static_cast<std::uint64_t>(57 + kind));
    for (int trial = 0; trial < 300; ++trial)
      expect_shortest_way_out(planar_shape(make, kind), planar_shape(make, 1), true, make, trial);
  }
}

// --- concave outlines

TEST(ConcaveOutlines, EveryOverlapIsFound) {
  const std::vector<std::vector<Vec2>> outlines{
      {{0, 0}, {2, 0}, {2, 0.5}, {0.5, 0.5}, {0.5, 2}, {0, 2}},                              // L
      {{0, 0}, {2, 0}, {2, 1.5}, {1.6, 1.5}, {1.6, 0.4}, {0.4, 0.4}, {0.4, 1.5}, {0, 1.5}},  // U
      {{0.2, -1},
       {0.2, -0.2},
       {1, -0.2},
       {1, 0.2},
       {0.2, 0.2},
       {0.2, 1},
       {-0.2, 1},
       {-0.2, 0.2},
       {-1, 0.2},
       {-1, -0.2},
       {-0.2, -0.2},
       {-0.2, -1}},                                   // a cross
      {{-1, -0.1}, {1, -0.1}, {1, 0.1}, {-1, 0.1}}};  // a bar
  PairMaker make(71);
  int crossings = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const auto a = static_cast<std::size_t>(make.whole(3)), b = static_cast<std::size_t>(make.whole(4));
    const model::Model model = pair_of(model::Polygon{{outlines[a]}}, model::Polygon{{outlines[b]}}, true);
    model::State state = state_of(model);
    turn_planar(state.bodies[0], make.in(-3, 3));
    turn_planar(state.bodies[1], make.whole(2) > 0 ? state.bodies[0].angle + 0.5 * make.whole(4) : make.in(-3, 3));
    state.bodies[1].pose.position = Vec3(make.in(-2, 2), make.in(-2, 2), 0);
    const Solid solid_a = make_solid(model.bodies[0].shapes, true), solid_b = make_solid(model.bodies[1].shapes, true);
    const Separation truth =
        separation(PlacedSolid(solid_a, state.bodies[0].pose), PlacedSolid(solid_b, state.bodies[1].pose));
    const double found = smallest_gap(find(model, state, 0.01));
    if (truth.high < -1e-6) {
      EXPECT_LT(found, 0) << "trial " << trial;
    } else if (truth.low > 1e-6) {
      EXPECT_GT(found, 0) << "trial " << trial;
    }
    crossings += truth.high < -1e-6 ? 1 : 0;
  }
  EXPECT_GT(crossings, 1000);
}

// Past a notch the line of a side goes on, in front of its neighbour only: a disc under the leg of an L, a ball beside one in
// space, are apart from what is on its other side, however far the step reaches. (They were told to overlap it.)
TEST(ConcaveOutlines, NothingOverlapsWhatIsApart) {
  const std::vector<Vec2> outline{{0, 0}, {2, 0}, {2, 0.3}, {0.5, 0.3}, {0.5, 2}, {0, 2}};
  model::Polyhedron solid;
  const int n = static_cast<int>(outline.size());
  std::vector<int> bottom, top;
  for (int i = 0; i < n; ++i) {
    const Vec2& p = outline[static_cast<std::size_t>(i)];
    solid.vertices.emplace_back(p.x(), p.y(), -0.4);
    solid.vertices.emplace_back(p.x(), p.y(), 0.4);
    const int j = (i + 1) % n;
    solid.faces.push_back({2 * i, 2 * j, 2 * j + 1, 2 * i + 1});
    top.push_back(2 * i + 1);
    bottom.insert(bottom.begin(), 2 * i);
  }
  solid.faces.push_back(top);
  solid.faces.push_back(bottom);
  PairMaker make(73);
  int apart = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const bool plane = trial % 2 == 0;
    const double r = make.in(0.05, 0.8);
    const model::Model model =
        plane ? pair_of(model::Polygon{{outline}}, model::Disc{r}, true) : pair_of(solid, model::Sphere{r}, false);
    model::State state = state_of(model);
    if (plane)
      turn_planar(state.bodies[0], make.in(-3, 3));
    else
      state.bodies[0].pose.orientation = make.any_turn();
    const Vec3 place(make.in(-1.5, 3.5), make.in(-1.5, 3.5), plane ? 0 : make.in(-0.5, 0.5));
    state.bodies[1].pose.position = state.bodies[0].pose.orientation * place;
    const Solid a = make_solid(model.bodies[0].shapes, plane), b = make_solid(model.bodies[1].shapes, plane);
    const Separation truth = separation(PlacedSolid(a, state.bodies[0].pose), PlacedSolid(b, state.bodies[1].pose));
    const double found = smallest_gap(find(model, state, make.in(0.01, 0.6), 0.01));
    if (truth.low > 1e-9) {
      EXPECT_GT(found, 0) << "trial " << trial;
      ++apart;
    } else if (truth.high < -1e-6) {
      EXPECT_LT(found, 0) << "trial " << trial;
    }
  }
  EXPECT_GT(apart, 1000);
}

// Two crosses, turned by 45 degrees: every side of one runs through the other, and no corner is inside.
TEST(ConcaveOutlines, SidesThatCrossWithoutACornerInside) {
  const std::vector<Vec2> cross{{0.2, -1}, {0.2, -0.2}, {1, -0.2}, {1, 0.2},   {0.2, 0.2},   {0.2, 1},
                                {-0.2, 1}, {-0.2, 0.2}, {-1, 0.2}, {-1, -0.2}, {-0.2, -0.2}, {-0.2, -1}};
  const model::Model model = pair_of(model::Polygon{{cross}}, model::Polygon{{cross}}, true);
  model::State state = state_of(model);
  state.bodies[1].pose.position = Vec3(0.6, 0.6, 0);  // arms cross arms at two places
  const std::vector<Contact> contacts = find(model, state, 0.01);
  const double found = smallest_gap(contacts);
  EXPECT_LT(found, -0.1);
  EXPECT_GT(found, -1.5);
}

}  // namespace
}  // namespace stickslip::collision::testing
