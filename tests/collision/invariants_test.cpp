// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What holds for every pair of shapes: the gap's rate, refresh, symmetry, order, no repetition, no allocation.
#define STICKSLIP_COUNT_ALLOCATIONS
#include "tests/support/allocation_counter.h"

#include "tests/collision/scenes.h"

#include <gtest/gtest.h>
#include <string>

namespace stickslip::collision::testing {
namespace {

struct NamedShape {
  std::string name;
  model::Shape shape;
};

std::vector<NamedShape> spatial_shapes() {
  std::mt19937 random(1);
  std::vector<Vec3> cloud;
  for (int i = 0; i < 12; ++i) cloud.push_back(random_vector(random, 0.6));
  return {{"points", model::PointSet{{Vec3(0.5, 0, 0), Vec3(-0.3, 0.4, 0.1), Vec3(0, 0, -0.5)}}},
          {"sphere", model::Sphere{0.5}},
          {"capsule", model::Capsule{0.2, 0.4}},
          {"cylinder", model::Cylinder{0.4, 0.3}},
          {"box", model::make_box(Vec3(0.9, 0.7, 0.5))},
          {"hull", model::convex_hull(cloud)},
          {"ellipsoid", model::Superellipsoid{0.6, 0.4, 0.3, 2, 2}},
          {"superellipsoid", model::Superellipsoid{0.5, 0.4, 0.3, 4, 3}},
          {"pinched", model::Superellipsoid{0.5, 0.4, 0.5, 1.6, 1.8}},
          {"half-space", model::HalfSpace{Vec3(0.3, 0.2, 1), -0.2}}};
}

std::vector<NamedShape> planar_shapes() {
  return {{"points", model::PointSet{{Vec3(0.5, 0, 0), Vec3(-0.3, 0.4, 0)}}},
          {"disc", model::Disc{0.5}},
          {"rectangle", model::make_rectangle(0.9, 0.5)},
          {"arrow", model::Polygon{{{Vec2(-0.5, -0.5), Vec2(0, -0.1), Vec2(0.5, -0.5), Vec2(0, 0.6)}}}},
          {"chain", model::Chain{{Vec2(-0.6, 0), Vec2(-0.1, 0.2), Vec2(0.2, 0), Vec2(0.6, 0.3)}}},
          {"ellipse", model::Superellipse{0.6, 0.3, 2}},
          {"superellipse", model::Superellipse{0.6, 0.3, 5}},
          {"half-plane", model::HalfSpace{Vec3(0.2, 1, 0), -0.2}}};
}

struct PairCase {
  std::string name;
  model::Model model, swapped;
};

std::vector<PairCase> all_pairs() {
  std::vector<PairCase> cases;
  for (bool planar : {false, true}) {
    const auto shapes = planar ? planar_shapes() : spatial_shapes();
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      for (std::size_t j = i; j < shapes.size(); ++j) {
        cases.push_back({shapes[i].name + "-" + shapes[j].name, pair_of(shapes[i].shape, shapes[j].shape, planar),
                         pair_of(shapes[j].shape, shapes[i].shape, planar)});
      }
    }
  }
  return cases;
}

model::State random_state(const model::Model& model, std::mt19937& random) {
  model::State state = state_of(model);
  std::uniform_real_distribution<double> angle(-3, 3);
  for (model::BodyState& body : state.bodies) {
    if (model.dimension == 2) {
      turn_planar(body, angle(random));
      body.velocity.angular = Vec3(0, 0, angle(random));
    } else {
      body.pose.orientation = random_orientation(random);
      body.velocity.angular = random_vector(random, 1);
    }
    body.velocity.linear = random_vector(random, 1);
  }
  state.bodies[1].pose.position = random_vector(random, 0.9);
  if (model.dimension == 2) {
    for (model::BodyState& body : state.bodies) body.velocity.linear.z() = body.pose.position.z() = 0;
  }
  return state;
}

model::State advanced(const model::Model& model, const model::State& state, double h) {
  model::State next = state;
  for (model::BodyState& body : next.bodies) model::advance(body, body.velocity, h, model.dimension == 2);
  return next;
}

// Central differences of the gap of a refreshed contact against the normal velocity of its two points.
// Truncation h^2 times third derivatives, rounding 1e-15 / h: at h = 1e-5 both are near 1e-9. Where the closest point
// runs fast over a flat spot third derivatives are large: such pairs get the wider bound and must converge.
TEST(Invariants, GapChangesWithTheRelativeVelocityOfItsPoints) {
  std::mt19937 random(2);
  for (const PairCase& k : all_pairs()) {
    FeatureCollider collider;
    std::vector<Contact> contacts, before, after;
    int checked = 0;
    for (int trial = 0; trial < 200 && checked < 60; ++trial) {
      const model::State state = random_state(k.model, random);
      collider.find(k.model, state, 0.05, 0, contacts);
      const double h = 1e-5;
      before = after = contacts;
      collider.refresh(k.model, advanced(k.model, state, -h), before);
      collider.refresh(k.model, advanced(k.model, state, h), after);
      for (std::size_t i = 0; i < contacts.size(); ++i) {
        const Contact& c = contacts[i];
        if (std::abs(c.gap) > 0.05) continue;
        const auto velocity = [&](int body, const Vec3& x) -> Vec3 {
          const model::BodyState& b = state.bodies[static_cast<std::size_t>(body)];
          return b.velocity.linear + b.velocity.angular.cross(x - b.pose.position);
        };
        const double rate = c.normal.dot(velocity(0, c.point_a) - velocity(1, c.point_b));
        const double measured = (after[i].gap - before[i].gap) / (2 * h);
        // Shapes that overlap where no features face each other: the normal is the best of an iteration on functions
        // with kinks, and the points only close to where it applies.
        const bool wholes = c.id.feature_a == smooth_code(0) && c.id.feature_b == smooth_code(0) && c.gap < 0 &&
                            k.name.find("box") + k.name.find("hull") + k.name.find("cylinder") != 3 * std::string::npos;
        EXPECT_NEAR(measured, rate, (wholes ? 0.2 : 2e-5) * (1 + std::abs(rate)))
            << k.name << ", features " << std::hex << c.id.feature_a << " " << c.id.feature_b << std::dec << ", gap "
            << c.gap;
        ++checked;
      }
    }
    const bool touch_never =
        k.name == "points-points" || k.name == "half-space-half-space" || k.name == "half-plane-half-plane";
    EXPECT_EQ(checked == 0, touch_never) << k.name;
  }
}

TEST(Invariants, RefreshInPlaceChangesNoBit) {
  std::mt19937 random(3);
  for (const PairCase& k : all_pairs()) {
    FeatureCollider collider;
    std::vector<Contact> contacts, again;
    for (int trial = 0; trial < 20; ++trial) {
      const model::State state = random_state(k.model, random);
      collider.find(k.model, state, 0.1, 0, contacts);
      again = contacts;
      collider.refresh(k.model, state, again);
      for (std::size_t i = 0; i < contacts.size(); ++i) {
        EXPECT_EQ(again[i].gap, contacts[i].gap) << k.name;
        EXPECT_EQ(again[i].point_a, contacts[i].point_a) << k.name;
        EXPECT_EQ(again[i].point_b, contacts[i].point_b) << k.name;
        EXPECT_EQ(again[i].normal, contacts[i].normal) << k.name;
      }
    }
  }
}

// Exchanging the bodies exchanges the points and turns the normals. Gaps agree to rounding (normals of two smooth
// surfaces to the root of it: the gap has a maximum there).
TEST(Invariants, SwappedBodiesGiveTheSameContacts) {
  std::mt19937 random(4);
  for (const PairCase& k : all_pairs()) {
    for (int trial = 0; trial < 20; ++trial) {
      const model::State state = random_state(k.model, random);
      model::State other = state;
      std::swap(other.bodies[0], other.bodies[1]);
      auto a = find(k.model, state, 0.1), b = find(k.swapped, other, 0.1);
      ASSERT_EQ(a.size(), b.size()) << k.name;
      const auto by_gap = [](const Contact& x, const Contact& y) { return x.gap < y.gap; };
      std::sort(a.begin(), a.end(), by_gap);
      std::sort(b.begin(), b.end(), by_gap);
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i].gap, b[i].gap, 1e-10) << k.name;
      if (!a.empty() && (a.size() == 1 || a[1].gap - a[0].gap > 1e-6)) {
        EXPECT_LE((a[0].normal + b[0].normal).norm(), 1e-5) << k.name;
      }
    }
  }
}

TEST(Invariants, OrderIsCanonicalAndNothingIsRepeated) {
  std::mt19937 random(5);
  std::vector<model::Body> bodies;
  for (int i = 0; i < 40; ++i) {
    for (const NamedShape& s : spatial_shapes()) {
      if (s.name != "half-space" || i == 0) bodies.push_back(free_body(s.shape, false));
    }
  }
  const model::Model model = make_model(std::move(bodies), 3);
  model::State state = state_of(model);
  for (model::BodyState& body : state.bodies) body.pose = {random_vector(random, 2.5), random_orientation(random)};
  state.bodies[9].pose = {Vec3(0, 0, -2), Quat::Identity()};  // the half-space
  const auto contacts = find(model, state, 0.05);
  EXPECT_GT(contacts.size(), 500u);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    EXPECT_LT(contacts[i].id.body_a, contacts[i].id.body_b);
    if (i > 0) {
      EXPECT_LT(contacts[i - 1].id, contacts[i].id);
    }
  }
}

// The broad phase may only leave out pairs that have no contact: compare with every pair on its own.
TEST(Invariants, BroadPhaseLosesNothing) {
  std::mt19937 random(6);
  const auto shapes = spatial_shapes();
  std::vector<model::Body> bodies;
  for (int i = 0; i < 60; ++i) bodies.push_back(free_body(shapes[static_cast<std::size_t>(i) % 6].shape, false));
  const model::Model model = make_model(std::move(bodies), 3);
  model::State state = state_of(model);
  for (model::BodyState& body : state.bodies) {
    body.pose = {random_vector(random, 1.5), random_orientation(random)};
    body.velocity = {random_vector(random, 1), random_vector(random, 1)};
  }
  FeatureCollider collider;
  std::vector<Contact> contacts;
  for (int step = 0; step < 20; ++step) {  // the list of pairs is kept while bodies move
    collider.find(model, state, 0.02, 0.01, contacts);
    std::vector<ContactId> expected;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      for (std::size_t j = i + 1; j < model.bodies.size(); ++j) {
        const model::Model pair = make_model({model.bodies[i], model.bodies[j]}, 3);
        model::State of_pair = state_of(pair);
        of_pair.bodies = {state.bodies[i], state.bodies[j]};
        for (const Contact& c : find(pair, of_pair, 0.02, 0.01)) {
          ContactId id = c.id;
          id.body_a = static_cast<int>(i);
          id.body_b = static_cast<int>(j);
          expected.push_back(id);
        }
      }
    }
    ASSERT_EQ(contacts.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(contacts[i].id, expected[i]);
    state = advanced(model, state, 0.01);
  }
}

TEST(Invariants, NothingIsAllocatedOnceWarm) {
  if (!tests::kCountsAllocations) GTEST_SKIP() << "the sanitizer owns malloc";
  std::mt19937 random(7);
  for (const PairCase& k : all_pairs()) {
    FeatureCollider collider;
    std::vector<Contact> contacts;
    const model::State state = random_state(k.model, random);
    // Chains look at the contacts of the call before: their number settles in a few calls.
    for (int i = 0; i < 4; ++i) collider.find(k.model, state, 0.5, 0, contacts);
    const long before = tests::allocations();
    for (int i = 0; i < 5; ++i) {
      collider.find(k.model, state, 0.5, 0, contacts);
      collider.refresh(k.model, state, contacts);
    }
    EXPECT_EQ(tests::allocations() - before, 0) << k.name;
  }
}

}  // namespace
}  // namespace stickslip::collision::testing
