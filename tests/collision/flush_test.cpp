// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Nine flush tiles and something on them, anywhere, any way, at the joints to within 1e-14: every normal is that of one
// plane. A step of the floor within reach is still there.
#include "bench/overlap_oracle.h"
#include "tests/collision/scenes.h"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

namespace stickslip::collision::testing {
namespace {

constexpr double kWidth = 0.37;

struct Mover {
  const char* name;
  model::Shape shape;
  double height;
  bool lies;
};

std::vector<Mover> movers() {
  return {{"cube", model::make_box(Vec3::Constant(0.1)), 0.05, false},
          {"standing cylinder", model::Cylinder{0.05, 0.05}, 0.05, false},
          {"lying cylinder", model::Cylinder{0.05, 0.05}, 0.05, true},
          {"ball", model::Sphere{0.05}, 0.05, false},
          {"lying capsule", model::Capsule{0.03, 0.05}, 0.03, true},
          {"ellipsoid", model::Superellipsoid{0.05, 0.03, 0.05, 2, 2}, 0.05, false}};
}

class FlushTiles {
 public:
  explicit FlushTiles(const model::Shape& mover, bool compound) {
    std::vector<model::Body> bodies;
    model::Body floor = free_body(model::make_box(Vec3(kWidth, kWidth, 0.1)), false);
    floor.mass = 0;
    if (compound) floor.shapes.clear();
    for (int i = 0; i < 9; ++i) {
      const Vec3 place(kWidth * (i / 3 - 1), kWidth * (i % 3 - 1), -0.05);
      if (compound)
        floor.shapes.push_back({model::make_box(Vec3(kWidth, kWidth, 0.1)), {place, Quat::Identity()}});
      else
        bodies.push_back(floor), places_.push_back(place);
    }
    if (compound) bodies.push_back(floor), places_.push_back(Vec3::Zero());
    bodies.push_back(free_body(mover, false));
    model_ = make_model(std::move(bodies), 3);
  }

  std::vector<Contact> touch(const model::BodyState& mover) {
    model::State state = state_of(model_);
    for (std::size_t i = 0; i < places_.size(); ++i) state.bodies[i].pose.position = places_[i];
    state.bodies.back() = mover;
    std::vector<Contact> contacts;
    collider_.find(model_, state, 1e-3, 2.5e-3, contacts);
    return contacts;
  }

 private:
  model::Model model_;
  std::vector<Vec3> places_;
  FeatureCollider collider_;
};

class PlaceMaker {
 public:
  explicit PlaceMaker(unsigned seed) : random_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  bool maybe() { return random_() % 2 == 0; }

  model::BodyState place(const Mover& mover) {
    model::BodyState body;
    const double off = (maybe() ? 1 : -1) * std::pow(10.0, in(-14, -1));
    double x = in(-.3, .3), y = in(-.3, .3);
    switch (random_() % 4) {
      case 0: x = kWidth / 2 + off; break;
      case 1: x = kWidth / 2 - 0.05 + off; break;
      case 2: x = kWidth / 2 - 0.05, y = x + off; break;
      default: break;
    }
    rise = maybe() ? 0 : (maybe() ? 1 : -1) * std::pow(10.0, in(-16, -9));
    const double lean = maybe() ? 0 : std::pow(10.0, in(-15, -9)), yaw = maybe() ? 0 : in(0, 7);
    const Vec3 about = Vec3(in(-1, 1), in(-1, 1), 0).normalized();
    body.pose.position = Vec3(x, y, mover.height + rise);
    body.pose.orientation = Quat(Eigen::AngleAxisd(lean, about)) * Quat(Eigen::AngleAxisd(yaw, Vec3::UnitZ()));
    if (mover.lies)
      body.pose.orientation = body.pose.orientation * Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX()));
    const double speed = in(0, 5), heading = in(0, 7), fall = maybe() ? 0 : in(0, 0.1);
    body.velocity.linear = Vec3(speed * std::cos(heading), speed * std::sin(heading), -fall);
    return body;
  }

  double rise = 0;

 private:
  std::mt19937 random_;
};

TEST(Flush, TilesAreOnePlaneForEveryShape) {
  for (const bool compound : {false, true}) {
    for (const Mover& mover : movers()) {
      FlushTiles tiles(mover.shape, compound);
      PlaceMaker make(5);
      for (int trial = 0; trial < 500; ++trial) {
        const std::vector<Contact> contacts = tiles.touch(make.place(mover));
        double smallest = 1;
        for (const Contact& c : contacts) {
          smallest = std::min(smallest, c.gap);
          // What the rule allows: two etas of 2e-7 of the radius over the width of a tile.
          EXPECT_LT(c.normal.head<2>().norm(), 1e-6) << mover.name << ", trial " << trial;
        }
        // A lean of 1e-9 over 0.1 m.
        EXPECT_NEAR(smallest, make.rise, 1e-9) << mover.name << ", trial " << trial;
      }
    }
  }
}

// The tile ahead stands out by a millionth of the cube's size or more: a cube that comes within reach of it meets its
// side.
TEST(Flush, StepsAreReal) {
  const model::Shape cube = model::make_box(Vec3::Constant(0.1));
  for (const double step : {1e-7, 1e-6, 1e-4, 1e-2, 0.2}) {
    model::Body tile = free_body(model::make_box(Vec3::Ones()), false);
    tile.mass = 0;
    const model::Model model = make_model({tile, tile, free_body(cube, false)}, 3);
    for (const double turn : {0.0, 0.2, 0.785}) {
      model::State state = state_of(model);
      state.bodies[0].pose.position = Vec3(-0.5, 0, -0.5);
      state.bodies[1].pose.position = Vec3(0.5, 0, -0.5 + step);
      const double half = 0.05 * (std::cos(turn) + std::sin(turn));
      state.bodies[2].pose = {Vec3(-half - 1e-3, 0.02, 0.05), Quat(Eigen::AngleAxisd(turn, Vec3::UnitZ()))};
      state.bodies[2].velocity.linear = Vec3(3, 0, 0);
      const auto contacts = find(model, state, 1e-4, 1e-3);
      const bool met = std::ranges::any_of(contacts, [](const Contact& c) { return std::abs(c.normal.x()) > 0.6; });
      EXPECT_TRUE(met) << "step " << step << ", turn " << turn;
    }
  }
}

// A corner near the foot of a ramp, a half-space over a wide floor: the floor's top is hidden there, and its sides,
// 20 m away, are no way out. No contact is deeper than the corner, and what it is in holds it.
TEST(Flush, HiddenFloorPushesNobodyToItsSides) {
  const model::Shape cube = model::make_box(Vec3(0.1, 0.2, 0.15));
  const Vec3 ramp = Vec3(0.4, 0, std::sqrt(1 - 0.16));
  const auto fixed = [](const model::Shape& shape) {
    model::Body body = free_body(shape, false);
    body.mass = 0;
    return body;
  };
  const model::Model model = make_model(
      {fixed(model::make_box(Vec3(40, 40, 1))), fixed(model::HalfSpace{ramp, -0.025}), free_body(cube, false)}, 3);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-0.3, 0.1), any(-1, 1);
  constexpr double kSunk = 2e-3;
  for (int trial = 0; trial < 500; ++trial) {
    model::State state = state_of(model);
    state.bodies[0].pose.position = Vec3(0, 0, -0.5);
    model::Pose& pose = state.bodies[2].pose;
    pose.orientation = Quat(any(random), any(random), any(random), any(random)).normalized();
    pose.position = Vec3(place(random), any(random), 0);
    double over_floor = 1e300, over_ramp = 1e300;
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 half(corner & 1 ? 0.05 : -0.05, corner & 2 ? 0.1 : -0.1, corner & 4 ? 0.075 : -0.075);
      const Vec3 x = pose.position + pose.orientation * half;
      over_floor = std::min(over_floor, x.z());
      over_ramp = std::min(over_ramp, ramp.dot(x) + 0.025);
    }
    pose.position.z() += std::max(-kSunk - over_floor, (-kSunk - over_ramp) / ramp.z());
    double deepest = 0;
    for (const Contact& c : find(model, state, 1e-4, 1e-6)) deepest = std::min(deepest, c.gap);
    EXPECT_NEAR(deepest, -kSunk, 1e-9) << "trial " << trial;
  }
}

// An L of three flush cubes, deep in a box of any size and place: the cubes hide each other's facets, but what overlaps is
// told.
TEST(Flush, DeepInACompoundIsTold) {
  const model::Polyhedron cube = model::make_box(Vec3::Ones());
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any(-1, 1), size(0.3, 2.5);
  int overlaps = 0;
  for (int trial = 0; trial < 300; ++trial) {
    model::Body angle = free_body(cube, false);
    for (const Vec3& place : {Vec3(1, 0, 0), Vec3(0, 0, 1)}) {
      angle.shapes.push_back(angle.shapes.front());
      angle.shapes.back().pose.position = place;
    }
    const model::Model model =
        make_model({angle, free_body(model::make_box(Vec3(size(random), size(random), size(random))), false)}, 3);
    model::State state = state_of(model);
    for (model::BodyState& body : state.bodies)
      body.pose.orientation = Quat(any(random), any(random), any(random), any(random)).normalized();
    state.bodies[1].pose.position = Vec3(any(random), any(random), any(random));
    const bench::OverlapOracle a(model.bodies[0], state.bodies[0].pose), b(model.bodies[1], state.bodies[1].pose);
    if (a.depth(b) < 1e-9) continue;
    ++overlaps;
    double deepest = 0;
    for (const Contact& c : find(model, state, 0.01)) deepest = std::min(deepest, c.gap);
    EXPECT_LT(deepest, 0) << "trial " << trial;
  }
  EXPECT_GE(overlaps, 200);
}

// A cube in the corner of a floor and two walls, separate bodies: each holds it by the whole of its face.
TEST(Flush, NotchesAreReal) {
  const model::Shape cube = model::make_box(Vec3::Constant(0.1));
  const auto fixed = [](const Vec3& size) {
    model::Body body = free_body(model::make_box(size), false);
    body.mass = 0;
    return body;
  };
  const model::Model model =
      make_model({fixed(Vec3(1, 1, 0.1)), fixed(Vec3(0.1, 1, 1)), fixed(Vec3(1, 0.1, 1)), free_body(cube, false)}, 3);
  model::State state = state_of(model);
  state.bodies[0].pose.position = Vec3(0, 0, -0.05);
  state.bodies[1].pose.position = Vec3(0.25, 0, 0.5);
  state.bodies[2].pose.position = Vec3(0, 0.35, 0.5);
  for (const double sunk : {0.0, 1e-12, 1e-8, 1e-6, 1e-5}) {
    state.bodies[3].pose.position = Vec3(0.15, 0.25, 0.05 - sunk);
    std::array<int, 3> held{};
    for (const Contact& c : find(model, state, 1e-4, 1e-3)) {
      if (c.id.body_b == 3 && std::abs(c.gap) < 2e-5) ++held[static_cast<std::size_t>(c.id.body_a)];
    }
    EXPECT_EQ(held, (std::array<int, 3>{4, 4, 4})) << sunk;
  }
}

// Two wedges that lie on a floor, each on any of its faces, turned any way: the floor under them hides nothing that they
// would meet without it. A toe is an edge that leans over its facets; with the floor it was lost.
TEST(Flush, WhatLiesOnAFloorIsMetAsWithoutIt) {
  const std::vector<Vec3> corners = {{-0.04, -0.03, -0.02}, {0.04, -0.03, -0.02}, {-0.04, 0.03, -0.02},
                                     {0.04, 0.03, -0.02},   {-0.04, -0.03, 0.03}, {-0.04, 0.03, 0.03}};
  const model::Polyhedron wedge = model::convex_hull(corners);
  model::Body floor = free_body(model::HalfSpace{Vec3::UnitZ(), 0}, false);
  floor.mass = 0;
  const model::Model alone = pair_of(wedge, wedge, false),
                     lying = make_model({free_body(wedge, false), free_body(wedge, false), floor}, 3);
  const std::array<Vec3, 5> outward = {-Vec3::UnitZ(), -Vec3::UnitX(), Vec3(0.05, 0, 0.08).normalized(), -Vec3::UnitY(),
                                       Vec3::UnitY()};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> angle(0, 2 * std::numbers::pi), away(0.03, 0.1);
  int met = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    model::State two = state_of(alone), three = state_of(lying);
    for (std::size_t i = 0; i < 2; ++i) {
      model::Pose& pose = two.bodies[i].pose;
      pose.orientation = Quat(Eigen::AngleAxisd(angle(random), Vec3::UnitZ())) *
                         Quat::FromTwoVectors(outward[random() % outward.size()], -Vec3::UnitZ());
      double low = 1;
      for (const Vec3& x : wedge.vertices) low = std::min(low, (pose.orientation * x).z());
      pose.position = Vec3(static_cast<double>(i) * away(random), 0, -low);
      three.bodies[i].pose = pose;
    }
    const auto least = [](const std::vector<Contact>& contacts) {
      double gap = 1;
      for (const Contact& c : contacts)
        if (c.id.body_a == 0 && c.id.body_b == 1) gap = std::min(gap, c.gap);
      return gap;
    };
    constexpr double kReach = 2e-3, kSunk = 1e-3;
    const double expected = least(find(alone, two, kReach));
    if (expected == 1 || expected < -kSunk) continue;
    ++met;
    EXPECT_NEAR(least(find(lying, three, kReach)), expected, 1e-12) << "trial " << trial;
  }
  EXPECT_GT(met, 100);
}

}  // namespace
}  // namespace stickslip::collision::testing
