// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Random poses: the smallest gap of all contacts is the distance of the two solids, found by trying everything.
#include "tests/collision/brute_force.h"
#include "tests/collision/scenes.h"

#include <gtest/gtest.h>

namespace stickslip::collision::testing {
namespace {

// Rounding of a few products of numbers of size 1.
constexpr double kRounding = 1e-12;

double smallest_gap(const std::vector<Contact>& contacts) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Contact& c : contacts) smallest = std::min(smallest, c.gap);
  return smallest;
}

model::Polyhedron random_hull(std::mt19937& random, int points) {
  std::vector<Vec3> cloud;
  for (int i = 0; i < points; ++i) cloud.push_back(random_vector(random, 1));
  return model::convex_hull(cloud);
}

// An L-shaped prism: one reflex edge, two concave faces.
model::Polyhedron l_prism() {
  model::Polyhedron l;
  const Vec2 outline[] = {{-1, -1}, {1, -1}, {1, 0}, {0, 0}, {0, 1}, {-1, 1}};
  for (double z : {-0.4, 0.4}) {
    for (const Vec2& p : outline) l.vertices.emplace_back(p.x(), p.y(), z);
  }
  l.faces = {{5, 4, 3, 2, 1, 0}, {6, 7, 8, 9, 10, 11}};
  for (int i = 0; i < 6; ++i) l.faces.push_back({i, (i + 1) % 6, (i + 1) % 6 + 6, i + 6});
  return l;
}

// Moves body 1 along a random direction until the solids are a chosen distance apart (bisection on brute force).
template <class Distance>
bool place_at(const Distance& distance, model::State& state, const Vec3& direction, double wanted) {
  double near = 0, far = 6;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (near + far);
    state.bodies[1].pose.position = middle * direction;
    (distance(state) > wanted ? far : near) = middle;
  }
  state.bodies[1].pose.position = far * direction;
  return std::abs(distance(state) - wanted) < 1e-9;
}

void check_polyhedra(const model::Polyhedron& a, const model::Polyhedron& b, int trials, unsigned seed) {
  std::mt19937 random(seed);
  const model::Model model = pair_of(a, b, false);
  FeatureCollider collider;
  std::vector<Contact> contacts;
  const auto distance = [&](const model::State& s) {
    const Triangles ta = triangles_of(a, s.bodies[0].pose), tb = triangles_of(b, s.bodies[1].pose);
    if (inside(ta[0][0], tb) || inside(tb[0][0], ta)) return 0.0;
    return surface_distance(ta, tb);
  };
  for (int trial = 0; trial < trials; ++trial) {
    model::State state = state_of(model);
    state.bodies[0].pose.orientation = random_orientation(random);
    state.bodies[1].pose.orientation = random_orientation(random);
    const double wanted = std::pow(10.0, -1.0 - trial % 6);
    if (!place_at(distance, state, random_vector(random, 1).normalized(), wanted)) continue;
    collider.find(model, state, 2 * wanted, 0, contacts);
    EXPECT_NEAR(smallest_gap(contacts), distance(state), kRounding) << "trial " << trial << ", distance " << wanted;
    for (const Contact& c : contacts) {
      EXPECT_NEAR(c.normal.norm(), 1, 1e-14);
      EXPECT_LE(((c.point_a - c.point_b) - c.gap * c.normal).norm(), kRounding);
    }
  }
}

TEST(BruteForce, BoxesAndHulls) {
  check_polyhedra(model::make_box(Vec3(1, 1, 1)), model::make_box(Vec3(0.5, 1, 2)), 60, 1);
  std::mt19937 random(2);
  check_polyhedra(random_hull(random, 8), random_hull(random, 20), 40, 3);
}

TEST(BruteForce, ConcavePrisms) {
  check_polyhedra(l_prism(), model::make_box(Vec3(0.5, 0.4, 0.3)), 60, 4);
  check_polyhedra(l_prism(), l_prism(), 40, 5);
}

TEST(BruteForce, PointsAndSpheresAgainstAConcavePrism) {
  std::mt19937 random(6);
  for (double radius : {0.0, 0.3}) {
    const model::Model model = radius > 0 ? pair_of(l_prism(), model::Sphere{radius}, false)
                                          : pair_of(l_prism(), model::PointSet{{Vec3::Zero()}}, false);
    for (int trial = 0; trial < 2000; ++trial) {
      model::State state = state_of(model);
      state.bodies[0].pose.orientation = random_orientation(random);
      state.bodies[1].pose.position = random_vector(random, 1.5);
      const Triangles surface = triangles_of(l_prism(), state.bodies[0].pose);
      const Vec3& x = state.bodies[1].pose.position;
      const bool within = inside(x, surface);
      const double distance = (within ? -1 : 1) * distance_to(x, surface) - radius;
      const auto contacts = find(model, state, 0.2);
      if (distance >= 0.2) {
        EXPECT_TRUE(contacts.empty());
      } else if (within) {
        // Inside, the closest boundary may be a reflex edge, which stands for both its faces.
        ASSERT_FALSE(contacts.empty());
        EXPECT_GE(smallest_gap(contacts), distance - kRounding);
        EXPECT_LT(smallest_gap(contacts), 0 - radius + kRounding);
      } else {
        EXPECT_NEAR(smallest_gap(contacts), distance, kRounding);
      }
    }
  }
}

model::Polygon star(std::mt19937& random, int corners) {
  std::uniform_real_distribution<double> radius(0.3, 1);
  model::Polygon polygon{{{}}};
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * 3.141592653589793 * i / corners, r = radius(random);
    polygon.loops[0].emplace_back(r * std::cos(angle), r * std::sin(angle));
  }
  return polygon;
}

void check_polygons(const model::Polygon& a, const model::Polygon& b, int trials, unsigned seed) {
  std::mt19937 random(seed);
  const model::Model model = pair_of(a, b, true);
  const auto distance = [&](const model::State& s) {
    const Segments sa = segments_of(a, s.bodies[0].pose), sb = segments_of(b, s.bodies[1].pose);
    return outlines_cross(sa, sb) || inside(sa[0][0], sb) || inside(sb[0][0], sa) ? 0.0 : outline_distance(sa, sb);
  };
  std::uniform_real_distribution<double> angle(-4, 4);
  for (int trial = 0; trial < trials; ++trial) {
    model::State state = state_of(model);
    turn_planar(state.bodies[0], angle(random));
    turn_planar(state.bodies[1], angle(random));
    Vec3 direction = random_vector(random, 1);
    direction.z() = 0;
    const double wanted = std::pow(10.0, -1.0 - trial % 6);
    if (!place_at(distance, state, direction.normalized(), wanted)) continue;
    const auto contacts = find(model, state, 2 * wanted);
    EXPECT_NEAR(smallest_gap(contacts), distance(state), kRounding) << "trial " << trial << ", distance " << wanted;
    for (const Contact& c : contacts) EXPECT_EQ(c.normal.z(), 0);
  }
}

TEST(BruteForce, ConvexAndConcavePolygons) {
  std::mt19937 random(7);
  check_polygons(model::make_rectangle(1, 2), model::make_rectangle(0.3, 1), 300, 8);
  check_polygons(star(random, 5), model::make_rectangle(0.3, 0.4), 300, 9);
  check_polygons(star(random, 9), star(random, 14), 300, 10);
}

TEST(BruteForce, DiscsAgainstPolygonWithAHole) {
  model::Polygon frame = model::make_rectangle(4, 4);
  frame.loops.push_back({Vec2(-1, -1), Vec2(-1, 1), Vec2(0, 0), Vec2(1, 1), Vec2(1, -1)});
  const model::Model model = pair_of(frame, model::Disc{0.1}, true);
  const Segments outline = segments_of(frame, {});
  std::mt19937 random(11);
  const auto in_solid = [](const Vec3& x) {
    const double ax = std::abs(x.x()), y = x.y();
    return ax < 2 && std::abs(y) < 2 && !(ax < 1 && y > -1 && y < ax);
  };
  for (int trial = 0; trial < 4000; ++trial) {
    model::State state = state_of(model);
    Vec3 x = random_vector(random, 2.2);
    x.z() = 0;
    if (in_solid(x)) continue;
    state.bodies[1].pose.position = x;
    double distance = std::numeric_limits<double>::infinity();
    for (const auto& s : outline) distance = std::min(distance, point_segment(x, s[0], s[1]));
    const auto contacts = find(model, state, 0.3);
    if (distance - 0.1 >= 0.3) {
      EXPECT_TRUE(contacts.empty());
    } else {
      EXPECT_NEAR(smallest_gap(contacts), distance - 0.1, kRounding);
    }
  }
}

TEST(BruteForce, CapsulesAgainstBoxesAndEachOther) {
  std::mt19937 random(12);
  const model::Capsule capsule{0.2, 0.7};
  const model::Polyhedron box = model::make_box(Vec3(1, 0.8, 0.6));
  const model::Model with_box = pair_of(box, capsule, false), with_capsule = pair_of(capsule, capsule, false);
  int found = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    model::State state = state_of(with_box);
    state.bodies[1].pose = {random_vector(random, 1.5), random_orientation(random)};
    const Vec3 u = state.bodies[1].pose.orientation * Vec3(0, 0, 0.7), x = state.bodies[1].pose.position;
    const Triangles surface = triangles_of(box, {});
    double distance = std::min(distance_to(x - u, surface), distance_to(x + u, surface));
    for (const auto& t : surface) {
      for (std::size_t i = 0; i < 3; ++i)
        distance = std::min(distance, segment_segment(x - u, x + u, t[i], t[(i + 1) % 3]));
      if (pierces(x - u, x + u, t)) distance = 0;
    }
    if (distance <= 0.05 || distance >= 0.3 || inside(x, surface)) continue;
    ++found;
    EXPECT_NEAR(smallest_gap(find(with_box, state, 0.3)), distance - 0.2, kRounding);

    state.bodies[0].pose = {Vec3::Zero(), random_orientation(random)};
    const Vec3 v = state.bodies[0].pose.orientation * Vec3(0, 0, 0.7);
    const double axes = segment_segment(x - u, x + u, -v, v);
    if (axes > 0.05 && axes < 0.6) {
      EXPECT_NEAR(smallest_gap(find(with_capsule, state, 0.3)), axes - 0.4, kRounding);
    }
  }
  EXPECT_GT(found, 50);
}

}  // namespace
}  // namespace stickslip::collision::testing
