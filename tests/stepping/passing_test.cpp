// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Nothing passes through anything between the ends of a step, and what overlaps is not shot apart.
#include "bench/common/shots.h"
#include "tests/support/mechanics.h"

#include <gtest/gtest.h>

namespace stickslip::testing {
namespace {

const std::vector<std::string> kRigid = {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar",
                                         "second-order"};

model::Body small_ball(const char* name, double mass, const Vec3& position, const Vec3& velocity) {
  model::Body body;
  body.name = name;
  body.mass = mass;
  body.shapes = {placed(model::Sphere{0.005})};
  body.inertia = 0.4 * mass * 0.005 * 0.005 * Mat3::Identity();
  body.initial.pose.position = position;
  body.initial.velocity.linear = velocity;
  return body;
}

stepping::Method method_of(const std::string& stepper, double step) {
  stepping::Method method;
  method.stepper = stepper;
  method.step = step;
  return method;
}

// Equal balls that meet head on: the second one leaves with v (1 + e) / 2, whatever part of the way a step is.
TEST(Passing, BallsHandOnTheirSpeed) {
  for (const std::string& stepper : kRigid)
    for (const double v : {3.0, 100.0})
      for (const double e : {0.0, 0.4, 1.0}) {
        model::Model model;
        model.bodies = {small_ball("a", 0.01, Vec3(-3.3, 0, 0), Vec3(v, 0, 0)),
                        small_ball("b", 0.01, Vec3(3.1, 0, 0), Vec3::Zero())};
        model::Surface surface;
        surface.restitution = e;
        same_surface_everywhere(model, surface);
        const stepping::Method method = method_of(stepper, 1e-2);
        simulation::Simulation run(model, method);
        ASSERT_TRUE(run.run_until(13.2 / v)) << stepper;
        EXPECT_NEAR(run.state().bodies[1].velocity.linear.x(), 0.5 * v * (1 + e), 1e-9 * v) << stepper << " e " << e;
        EXPECT_NEAR(run.state().bodies[0].velocity.linear.x(), 0.5 * v * (1 - e), 1e-9 * v) << stepper << " e " << e;
        EXPECT_EQ(run.counters().passages, 0);
      }
}

// A ball that comes back from a wall within the step meets another one on its way: three bodies, one step. The light
// ball leaves the wall with -v and gives all of it to its equal.
TEST(Passing, ReboundWithinTheStepMeetsAThird) {
  for (const std::string& stepper : kRigid) {
    model::Model model;
    model.bodies = {small_ball("a", 0.01, Vec3(-0.2, 0, 0), Vec3(100, 0, 0)),
                    small_ball("b", 0.01, Vec3(-0.4, 0, 0), Vec3::Zero()), floor(-Vec3::UnitX())};
    model::Surface surface;
    surface.restitution = 1;
    same_surface_everywhere(model, surface);
    const stepping::Method method = method_of(stepper, 1e-2);
    simulation::Simulation run(model, method);
    ASSERT_TRUE(run.run_until(0.01)) << stepper;
    EXPECT_NEAR(run.state().bodies[1].velocity.linear.x(), -100, 1e-6) << stepper;
    EXPECT_NEAR(run.state().bodies[0].velocity.linear.norm(), 0, 1e-6) << stepper;
  }
}

// Discs that reach the floor one after the other within one step all bounce.
TEST(Passing, EveryImpactOfAStepKeepsItsRestitution) {
  for (const std::string& stepper : kRigid) {
    model::Model model;
    model.dimension = 2;
    constexpr int kDiscs = 90;
    for (int k = 0; k < kDiscs; ++k) {
      model::Body disc;
      disc.name = "disc" + std::to_string(k);
      disc.kind = model::BodyKind::Planar;
      disc.mass = 1;
      disc.inertia(2, 2) = 0.5 * 0.05 * 0.05;
      disc.shapes = {placed(model::Disc{0.05})};
      disc.initial.pose.position = Vec3(0.2 * k, 0.05 + 1e-6 * (k + 1), 0);
      disc.initial.velocity.linear = Vec3(0, -1, 0);
      model.bodies.push_back(disc);
    }
    model.bodies.push_back(floor(Vec3::UnitY(), model::BodyKind::Planar));
    model::Surface surface;
    surface.restitution = 0.6;
    same_surface_everywhere(model, surface);
    const stepping::Method method = method_of(stepper, 1e-3);
    simulation::Simulation run(model, method);
    ASSERT_TRUE(run.run_until(1e-3)) << stepper;
    for (int k = 0; k < kDiscs; ++k)
      EXPECT_NEAR(run.state().bodies[static_cast<std::size_t>(k)].velocity.linear.y(), 0.6, 1e-9) << stepper << k;
    EXPECT_EQ(run.counters().fallbacks, 0) << stepper;
  }
}

// Two cubes start half inside each other, at rest and without weight: they part slowly, not at overlap / step.
TEST(Passing, OverlapsPartGently) {
  for (const std::string& stepper : kRigid)
    for (const double step : {1e-2, 1e-4}) {
      model::Model model;
      for (const double x : {0.0, 0.05}) {
        model::Body cube;
        cube.name = x == 0 ? "a" : "b";
        cube.mass = 1;
        cube.inertia = box_inertia(1, Vec3(0.1, 0.1, 0.1));
        cube.shapes = {placed(model::make_box(Vec3(0.1, 0.1, 0.1)))};
        cube.initial.pose.position = Vec3(x, 0, 0);
        model.bodies.push_back(cube);
      }
      same_surface_everywhere(model, friction(0));
      const stepping::Method method = method_of(stepper, step);
      simulation::Simulation run(model, method);
      ASSERT_TRUE(run.run_until(20 * step)) << stepper;
      // A tenth of the arm (at most half the diagonal) per second, and a tenth of the speed that this gave.
      const double most = 0.1 * 0.5 * std::sqrt(3.0) * 0.1 * 1.2;
      for (const model::BodyState& body : run.state().bodies)
        EXPECT_LE(body.velocity.linear.norm(), most) << stepper << " step " << step;
    }
}

// How many of random shots passed, by stepper and target (bench/shots.cpp runs more of them and prints the counts).
int passed(const std::string& stepper, int count, std::uint64_t seed, std::string& which) {
  int passed = 0;
  for (const bench::Target target : bench::kTargets) {
    bench::ShotMaker maker(seed + static_cast<std::uint64_t>(target));
    for (int k = 0; k < count; ++k) {
      const bench::Shot shot = maker.make(stepper, target, target == bench::Target::Chain || k % 2 == 0 ? 2 : 3);
      const bench::ShotResult result = bench::fire(shot);
      if (!result.passed) continue;
      ++passed;
      which += std::string(" ") + shot.shape + " at " + bench::name_of(target) + ",";
    }
  }
  return passed;
}

class RandomShots : public ::testing::TestWithParam<std::string> {};

TEST_P(RandomShots, NonePasses) {
  std::string which;
  EXPECT_EQ(passed(GetParam(), GetParam() == "runge-kutta" ? 6 : 20, 1000, which), 0) << which;
}

// A soft triangle whose forces were not a number in a long trial part: its time stood still from there on, certified.
TEST(Passing, TimeGoesOnWhereATrialPartOverflows) {
  bench::ShotMaker maker(5);
  bench::Shot shot;
  for (int k = 0; k <= 18; ++k) shot = maker.make("runge-kutta", bench::Target::Ball, k % 2 == 0 ? 2 : 3);
  const bench::ShotResult result = bench::fire(shot);
  EXPECT_TRUE(result.certified) << result.failure;
  EXPECT_FALSE(result.passed) << "the ball was not hit";
}

// A few shots of the implicit steppers pose problems that take the solvers minutes, and soft contacts many parts:
// script/bench shots has more of them.
TEST_P(RandomShots, NoneOfManyPassesSlow) {
  const bool slow = GetParam() == "implicit" || GetParam() == "song-pang-kumar" || GetParam() == "runge-kutta";
  std::string which;
  EXPECT_EQ(passed(GetParam(), slow ? 60 : 300, 2000, which), 0) << which;
}

INSTANTIATE_TEST_SUITE_P(AllSteppers, RandomShots,
                         ::testing::Values("stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar",
                                           "second-order", "runge-kutta"),
                         [](const auto& which) {
                           std::string name = which.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace stickslip::testing
