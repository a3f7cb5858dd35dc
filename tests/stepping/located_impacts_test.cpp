// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Impacts with every first-order stepper: one law, the same instants, no energy gained.
#include "stickslip/contact/body_dynamics.h"
#include "stickslip/simulation/simulation.h"
#include "tests/support/mechanics.h"

#include <gtest/gtest.h>

#include <random>

namespace stickslip::testing {
namespace {

const std::vector<std::string> kFirstOrder = {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar"};

// Two boxes and a disc in a square room without gravity; each pair has its own coefficients and law.
model::Model bodies_in_a_room(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto between = [&](double a, double b) { return a + (b - a) * uniform(random); };
  model::Model model;
  model.dimension = 2;
  for (int k = 0; k < 3; ++k) {
    model::Body body;
    body.name = "body" + std::to_string(k);
    body.kind = model::BodyKind::Planar;
    body.mass = between(0.2, 3);
    const double a = between(0.1, 0.3), b = between(0.1, 0.3);
    if (k == 2) {
      body.shapes = {placed(model::Disc{a})};
      body.inertia(2, 2) = 0.5 * body.mass * a * a;
    } else {
      body.shapes = {placed(model::Polygon{{{Vec2(-a, -b), Vec2(a, -b), Vec2(a, b), Vec2(-a, b)}}})};
      body.inertia(2, 2) = body.mass / 3 * (a * a + b * b);
    }
    body.initial.pose.position = Vec3(k == 0 ? -0.6 : 0.6, k == 2 ? -0.6 : 0.4, 0);
    body.initial.velocity.linear = Vec3(between(-2, 2), between(-2, 2), 0);
    body.initial.velocity.angular = Vec3(0, 0, between(-4, 4));
    model.bodies.push_back(body);
  }
  for (const Vec3& n : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)}) {
    model::Body wall = floor(n, model::BodyKind::Planar);
    wall.initial.pose.position = -1.1 * n;
    model.bodies.push_back(wall);
  }
  const int n = static_cast<int>(model.bodies.size());
  std::vector<model::PairLaws::Rule> rules;
  for (int a = 0; a < 3; ++a)
    for (int b = a + 1; b < n; ++b) {
      const double mu = between(0, 1);
      rules.push_back({{a}, {b}, static_cast<int>(model.surfaces.size())});
      model.surfaces.push_back({mu, mu, between(0.7, 1), static_cast<model::ImpactLaw>(model.surfaces.size() % 3), {}});
    }
  model.laws = model::PairLaws(model.bodies.size(), model::PairLaws::kNever, rules);
  return model;
}

// How much kinetic energy any step gained at most, relative to the start, over 10,000 impacts; and how many runs ended
// with an impact that was refused.
void expect_no_gain(const std::string& stepper, stepping::ImpactSearch impacts) {
  std::mt19937 random(11);
  std::size_t hits = 0;
  int runs = 0, refused = 0;
  double gain = 0;
  for (; hits < 10000 && runs < 2000; ++runs) {
    const model::Model model = bodies_in_a_room(random);
    stepping::Method method;
    method.stepper = stepper;
    method.impacts = impacts;
    method.step = 1e-2;
    simulation::Simulation run(model, method);
    const double start = contact::kinetic_energy(model, run.state());
    double before = start;
    for (int k = 0; k < 400 && before > 0.05 * start; ++k) {
      const stepping::StepReport report = run.step();
      if (!report.certified) {
        ++refused;
        break;
      }
      hits += report.events.empty() ? 0 : 1;
      const double energy = contact::kinetic_energy(model, run.state());
      gain = std::max(gain, (energy - before) / start);
      before = energy;
    }
  }
  EXPECT_GE(hits, 10000U) << stepper << ", " << runs << " runs";
  EXPECT_LE(refused, runs / 50) << stepper;
  EXPECT_LE(gain, 1e-9) << stepper << ": what turning lets in by O(h^2) comes out again";
}

TEST(LocatedImpacts, EnergyNeverGrowsInTenThousandImpactsWithStewartTrinkle) {
  expect_no_gain("stewart-trinkle", stepping::ImpactSearch::Auto);
}
TEST(LocatedImpacts, EnergyNeverGrowsInTenThousandImpactsWithAnitescuPotra) {
  expect_no_gain("anitescu-potra", stepping::ImpactSearch::Auto);
}
TEST(LocatedImpacts, EnergyNeverGrowsInTenThousandImpactsWithImplicit) {
  expect_no_gain("implicit", stepping::ImpactSearch::Auto);
}
TEST(LocatedImpacts, EnergyNeverGrowsInTenThousandImpactsWithSongPangKumar) {
  expect_no_gain("song-pang-kumar", stepping::ImpactSearch::Auto);
}
TEST(LocatedImpacts, EnergyNeverGrowsWhenImpactsAreApproached) {
  expect_no_gain("stewart-trinkle", stepping::ImpactSearch::Approach);
}

model::Model falling_ball(double e, double height) {
  model::Model model = ball(0.3, Vec3::Zero(), Vec3::Zero());
  model.bodies[0].initial.pose.position.z() += height;
  model.surfaces[0].restitution = e;
  return model;
}

// Falls from H, rises to e^2 H, ..., and rests after sqrt(2 H / g) (1 + e) / (1 - e): nothing moves any more, and no
// impact is counted.
TEST(LocatedImpacts, BallBouncesToRestAndStaysThere) {
  const double e = 0.6, H = 0.5, g = 9.8, rest = std::sqrt(2 * H / g) * (1 + e) / (1 - e);
  const model::Model model = falling_ball(e, H);
  for (const std::string& stepper : kFirstOrder)
    for (const auto impacts : {stepping::ImpactSearch::Auto, stepping::ImpactSearch::Approach}) {
      stepping::Method method;
      method.stepper = stepper;
      method.impacts = impacts;
      method.step = 1e-3;
      simulation::Simulation run(model, method);
      double first = 0, highest = 0;
      run.run_until(rest + 0.05, [&](const simulation::Simulation& now) {
        if (!now.last_report().events.empty() && first == 0) first = now.last_report().events[0].time;
        if (first > 0) highest = std::max(highest, now.state().bodies[0].pose.position.z() - 0.05);
        return true;
      });
      EXPECT_NEAR(first, std::sqrt(2 * H / g), method.step) << stepper;
      EXPECT_NEAR(highest, e * e * H, 2e-3) << stepper;  // first order
      const auto events = run.counters().events;
      const Vec3 at = run.state().bodies[0].pose.position;
      run.run_until(rest + 1.05);
      EXPECT_EQ(run.counters().events, events) << stepper;
      EXPECT_EQ(run.state().bodies[0].pose.position, at) << stepper;
      EXPECT_TRUE(run.state().bodies[0].velocity.linear.isZero(0)) << stepper;
    }
}

// Both ways find the same instant, from the side from which each comes.
TEST(LocatedImpacts, ApproachingNeverPenetratesAndAgreesWithBackingUp) {
  const model::Model model = falling_ball(0.9, 0.3);
  for (const std::string& stepper : kFirstOrder) {
    double times[2];
    for (int way = 0; way < 2; ++way) {
      stepping::Method method;
      method.stepper = stepper;
      method.impacts = way == 0 ? stepping::ImpactSearch::BackUp : stepping::ImpactSearch::Approach;
      method.step = 1e-2;
      simulation::Simulation run(model, method);
      double deepest = 0;
      while (run.counters().events == 0 && run.time() < 1) {
        run.step();
        deepest = std::min(deepest, run.state().bodies[0].pose.position.z() - 0.05);
      }
      ASSERT_FALSE(run.last_report().events.empty()) << stepper;
      times[way] = run.last_report().events[0].time;
      EXPECT_GE(deepest, -1e-10) << stepper;
    }
    EXPECT_NEAR(times[0], times[1], 2e-3) << stepper;  // the shorter steps make a smaller error
  }
}

}  // namespace
}  // namespace stickslip::testing
