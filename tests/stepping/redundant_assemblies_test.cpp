// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Assemblies whose contacts share the load in more ways than one stand still as long as there is one way that friction
// can bear, and only then. Nothing moves, to the last bit, or by no more than rounding where blocks are not exact.
#include "stickslip/model/primitives.h"
#include "stickslip/simulation/simulation.h"
#include "tests/support/mechanics.h"

#include <gtest/gtest.h>

#include <random>

namespace stickslip::testing {
namespace {

const std::vector<std::string> kRigid = {"second-order", "stewart-trinkle", "implicit", "anitescu-potra"};

stepping::Method with(const std::string& stepper, double step) {
  stepping::Method method;
  method.stepper = stepper;
  method.step = step;
  return method;
}

double farthest_move(const model::Model& model, const model::State& state) {
  double farthest = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    farthest = std::max(farthest, (state.bodies[i].pose.position - model.bodies[i].initial.pose.position).norm());
  return farthest;
}

// Discs that push each other around a corner, each against a wall of its own with friction, none between them. Between
// one disc and the next the force turns by theta and may fall by (1 + k) / (1 - k), k = mu tan(theta / 2).
model::Model capstan(int count, double theta, double mu, double push, double hold) {
  const double r = 0.05;
  model::Model model;
  model.dimension = 2;
  Vec2 place = Vec2::Zero();
  std::vector<model::Body> walls;
  for (int i = 0; i < count; ++i) {
    const double in = i * theta, out = (i + 1) * theta, middle = 0.5 * (in + out);
    model::Body disc;
    disc.name = "disc" + std::to_string(i);
    disc.kind = model::BodyKind::Particle2;
    disc.mass = 0.1;
    disc.shapes = {placed(model::Disc{r})};
    disc.initial.pose.position = Vec3(place.x(), place.y(), 0);
    Vec3 force = Vec3::Zero();
    if (i == 0) force += push * Vec3(std::cos(in), std::sin(in), 0);
    if (i == count - 1) force -= hold * Vec3(std::cos(out), std::sin(out), 0);
    if (force.norm() > 0)
      disc.forces = {[force](const model::State&, model::Wrench& wrench) { wrench.force += force; }};
    model.bodies.push_back(disc);
    const Vec3 normal(-std::sin(middle), std::cos(middle), 0);
    model::Body wall = floor(normal, model::BodyKind::Planar);
    wall.shapes = {placed(model::HalfSpace{normal, normal.dot(disc.initial.pose.position) - r})};
    walls.push_back(wall);
    place += 2 * r * Vec2(std::cos(out), std::sin(out));
  }
  model.bodies.insert(model.bodies.end(), walls.begin(), walls.end());
  model.surfaces = {friction(0), friction(mu)};
  std::vector<model::PairLaws::Rule> rules;
  for (int i = 0; i < count; ++i) {
    rules.push_back({{i}, {i + count}, 1});
    if (i + 1 < count) rules.push_back({{i}, {i + 1}, 0});
  }
  model.laws = model::PairLaws(model.bodies.size(), model::PairLaws::kNever, rules);
  return model;
}

TEST(RedundantAssemblies, CapstansOfDiscsHoldUpToTheirLimitAndSlideBeyond) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 60; ++k) {
    const int count = 1 + k % 7;
    const double theta = std::min(0.9, (0.3 + 2.8 * uniform(random)) / count), mu = 0.1 + 0.7 * uniform(random);
    const double per_disc = (1 + mu * std::tan(theta / 2)) / (1 - mu * std::tan(theta / 2));
    const double hold = std::pow(10.0, 2 * uniform(random) - 1), most = std::pow(per_disc, count);
    // Not so much less that it is pushed back.
    const double below = std::min(std::pow(10.0, -1 - 5 * uniform(random)), 1 - std::pow(most, -1.5));
    for (const std::string& stepper : {kRigid[static_cast<std::size_t>(k) % kRigid.size()], kRigid[0]})
      for (const double share : {1 - below, 1 + below}) {
        const model::Model model = capstan(count, theta, mu, hold * most * share, hold);
        const stepping::Method method = with(stepper, k % 2 == 0 ? 1e-2 : 1e-3);
        simulation::Simulation run(model, method);
        ASSERT_TRUE(run.run_until(0.3));
        const double moved = farthest_move(model, run.state());
        if (share < 1)
          EXPECT_EQ(moved, 0) << stepper << ", " << count << " discs, " << below << " below the limit";
        else
          EXPECT_GT(moved, 0) << stepper << ", " << count << " discs, " << below << " above the limit";
      }
  }
}

// A semicircular arch of equal blocks stands from a thickness of 0.1075 of its radius on (Milankovitch 1907), if its
// joints do not slide; the fewer blocks, the thinner.
model::Model arch(int count, double thickness, double mu) {
  model::Model model;
  model.dimension = 2;
  model.gravity = Vec3(0, -9.81, 0);
  for (int i = 0; i < count; ++i) {
    const auto corner = [&](double radius, int end) {
      const double angle = std::numbers::pi * end / count;
      return Vec2(radius * std::cos(angle), radius * std::sin(angle));
    };
    std::vector<Vec2> points = {corner(1 - thickness / 2, i), corner(1 + thickness / 2, i),
                                corner(1 + thickness / 2, i + 1), corner(1 - thickness / 2, i + 1)};
    double area = 0, second = 0;
    Vec2 centre = Vec2::Zero();
    for (int k = 0; k < 4; ++k) {
      const Vec2 &p = points[static_cast<std::size_t>(k)], &q = points[static_cast<std::size_t>((k + 1) % 4)];
      const double cross = p.x() * q.y() - p.y() * q.x();
      area += cross / 2;
      centre += cross / 6 * (p + q);
      second += cross / 12 * (p.squaredNorm() + p.dot(q) + q.squaredNorm());
    }
    centre /= area;
    for (Vec2& p : points) p -= centre;
    model::Body block;
    block.name = "block" + std::to_string(i);
    block.kind = model::BodyKind::Planar;
    block.mass = area;
    block.inertia(2, 2) = second - area * centre.squaredNorm();
    block.shapes = {placed(model::Polygon{{points}})};
    block.initial.pose.position = Vec3(centre.x(), centre.y(), 0);
    model.bodies.push_back(block);
  }
  model.bodies.push_back(floor(Vec3::UnitY(), model::BodyKind::Planar));
  same_surface_everywhere(model, friction(mu));
  return model;
}

TEST(RedundantAssemblies, ArchesThickEnoughStandAndThinOnesFall) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 40; ++k) {
    const int count = 5 + k % 4;
    const bool stands = k % 4 != 3;
    const double thickness = stands ? 0.14 + 0.2 * uniform(random) : 0.02 + 0.04 * uniform(random);
    const double mu = 0.6 + 0.4 * uniform(random);
    const std::string& stepper = kRigid[static_cast<std::size_t>(k) % 3];
    const model::Model model = arch(count, thickness, mu);
    const stepping::Method method = with(stepper, k % 2 == 0 ? 1e-2 : 2e-3);
    simulation::Simulation run(model, method);
    ASSERT_TRUE(run.run_until(0.4));
    const double moved = farthest_move(model, run.state());
    // Joints meet up to rounding, 1e-16, which what holds them together may take out.
    if (stands)
      EXPECT_LE(moved, 1e-12) << stepper << ", " << count << " blocks, thickness " << thickness << ", mu " << mu;
    else
      EXPECT_GT(moved, 1e-3) << stepper << ", " << count << " blocks, thickness " << thickness << ", mu " << mu;
  }
}

// A pile of boxes, the top one pushed: friction under it is all that counts, m g mu, unless the push tips it.
TEST(RedundantAssemblies, StacksOfBoxesHoldAPushBelowTheFrictionOfTheTopOne) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 60; ++k) {
    const int count = 1 + k % 4;
    const double mu = 0.1 + 0.3 * uniform(random), below = std::pow(10.0, -1 - 5 * uniform(random));
    const bool holds = k % 3 != 2;
    model::Model model;
    model.gravity = Vec3(0, 0, -9.81);
    double height = 0, width = 1;
    for (int i = 0; i < count; ++i) {
      model::Body box;
      const Vec3 size(width, 0.5, 0.05 + 0.1 * uniform(random));
      box.name = "box" + std::to_string(i);
      box.mass = std::pow(10.0, -0.5 + uniform(random));
      box.inertia = box_inertia(box.mass, size);
      box.shapes = {placed(model::make_box(size))};
      box.initial.pose.position = Vec3(0, 0, height + 0.5 * size.z());
      height += size.z();
      width *= 0.7 + 0.25 * uniform(random);
      if (i + 1 == count) {
        const double force = mu * box.mass * 9.81 * (holds ? 1 - below : 1 + below);
        box.forces = {[force](const model::State&, model::Wrench& wrench) { wrench.force.x() += force; }};
      }
      model.bodies.push_back(box);
    }
    model.bodies.push_back(floor(Vec3::UnitZ()));
    same_surface_everywhere(model, friction(mu));
    const std::string& stepper = kRigid[static_cast<std::size_t>(k) % kRigid.size()];
    const stepping::Method method = with(stepper, k % 2 == 0 ? 1e-2 : 1e-3);
    simulation::Simulation run(model, method);
    ASSERT_TRUE(run.run_until(0.2));
    const double moved = farthest_move(model, run.state());
    if (holds)
      EXPECT_LE(moved, 1e-11) << stepper << ", " << count << " boxes, " << below << " below";
    else  // a t^2 / 2, from the first step on
      EXPECT_GT(moved, 0.5 * mu * 9.81 * below * 0.02) << stepper << ", " << count << " boxes, " << below << " above";
  }
}

// A block on a platform that spins up: carried along in a circle, it keeps up to the certificate what a rounded
// iteration leaves, and is not called sliding before friction is used up.
TEST(ModeLabels, ABlockOnASpinningPlatformSticksUntilFrictionIsUsedUp) {
  const double alpha = 1.5, mu = 0.5, g = 9.81, radius = 0.4;
  const double slips = std::sqrt(std::sqrt(mu * g / radius * mu * g / radius - alpha * alpha)) / alpha;
  for (const std::string& stepper : {"second-order", "stewart-trinkle", "implicit", "anitescu-potra"})
    for (const double step : {1e-2, 2e-3}) {
      model::Model model;
      model.gravity = Vec3(0, 0, -g);
      model::Body block;
      block.name = "block";
      block.kind = model::BodyKind::Particle3;
      block.mass = 1;
      block.shapes = {placed(model::PointSet{{Vec3::Zero()}})};
      block.initial.pose.position = Vec3(radius, 0, 0);
      model::Body plate = floor(Vec3::UnitZ());
      plate.drive.orientation = [alpha](double t) {
        const double angle = 0.5 * alpha * t * t;
        return model::OrientationJet{Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ())), alpha * t * Vec3::UnitZ()};
      };
      model.bodies = {block, plate};
      same_surface_everywhere(model, friction(mu));
      const stepping::Method method = with(stepper, step);
      simulation::Simulation run(model, method);
      double first = 0;
      while (first == 0 && run.state().time < 3) {
        ASSERT_TRUE(run.step().certified);
        for (const contact::ContactResult& contact : run.contacts())
          if (contact.mode == contact::Mode::Slide) first = run.state().time;
      }
      // First order: the circle is left by h per unit of time and turn. Second order: at the end of the step in which
      // it slips.
      const double late = stepper == "second-order" ? 2 * step : 10 * step;
      EXPECT_NEAR(first, slips, late) << stepper << ", step " << step;
    }
}

}  // namespace
}  // namespace stickslip::testing
