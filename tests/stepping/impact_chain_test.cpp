// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Chains of impacts with the second-order stepper, against an event-driven program that knows nothing of steps: discs
// without friction fly straight, the next meeting of two of them is the root of a quadratic, and Newton's law of
// restitution acts there.
#include "stickslip/contact/body_dynamics.h"
#include "stickslip/simulation/simulation.h"
#include "tests/support/mechanics.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace stickslip::testing {
namespace {

struct FlyingDisc {
  double radius, mass;
  Vec2 position, velocity;
};

struct Billiard {
  std::vector<FlyingDisc> discs;
  double restitution = 1;
  int impacts = 0;
};

// The earliest meeting of two discs that approach; infinite: never.
double meeting_time(const FlyingDisc& a, const FlyingDisc& b) {
  const Vec2 d = b.position - a.position, w = b.velocity - a.velocity;
  const double along = d.dot(w), reach = a.radius + b.radius, ww = w.squaredNorm();
  const double root = along * along - ww * (d.squaredNorm() - reach * reach);
  if (along >= 0 || root <= 0) return std::numeric_limits<double>::infinity();
  return std::max(0.0, (d.squaredNorm() - reach * reach) / (-along + std::sqrt(root)));
}

// False: the impacts accumulate, and there is no end of them.
bool fly(Billiard& table, double duration) {
  for (double left = duration; table.impacts < 300;) {
    double first = left;
    std::size_t one = 0, other = 0;
    for (std::size_t i = 0; i < table.discs.size(); ++i)
      for (std::size_t j = i + 1; j < table.discs.size(); ++j)
        if (const double t = meeting_time(table.discs[i], table.discs[j]); t < first) first = t, one = i, other = j;
    for (FlyingDisc& disc : table.discs) disc.position += first * disc.velocity;
    left -= first;
    if (one == other) return true;
    FlyingDisc &a = table.discs[one], &b = table.discs[other];
    const Vec2 n = (b.position - a.position).normalized();
    const double p = -(1 + table.restitution) * n.dot(b.velocity - a.velocity) / (1 / a.mass + 1 / b.mass);
    a.velocity -= p / a.mass * n;
    b.velocity += p / b.mass * n;
    ++table.impacts;
  }
  return false;
}

model::Model model_of(const Billiard& table) {
  model::Model model;
  model.dimension = 2;
  for (const FlyingDisc& disc : table.discs) {
    model::Body body;
    body.name = "disc" + std::to_string(model.bodies.size());
    body.kind = model::BodyKind::Planar;
    body.mass = disc.mass;
    body.inertia(2, 2) = 0.5 * disc.mass * disc.radius * disc.radius;
    body.shapes = {placed(model::Disc{disc.radius})};
    body.initial.pose.position = Vec3(disc.position.x(), disc.position.y(), 0);
    body.initial.velocity.linear = Vec3(disc.velocity.x(), disc.velocity.y(), 0);
    model.bodies.push_back(body);
  }
  same_surface_everywhere(model, {0, 0, table.restitution, {}, {}});
  return model;
}

// A shot into a loose heap: chains within a step, light discs that get faster than the one that hit them.
Billiard shot_into_a_heap(std::mt19937& random, int count) {
  std::uniform_real_distribution<double> uniform(0, 1);
  Billiard table;
  table.restitution = uniform(random) < 0.3 ? 1.0 : 0.5 + 0.5 * uniform(random);
  table.discs.push_back({0.05, 1, Vec2(-0.3, 0.04 * uniform(random)), Vec2(5, 0)});
  const double space = std::pow(10.0, -4 + 3 * uniform(random));
  for (int attempt = 0; static_cast<int>(table.discs.size()) < count && attempt < 10000; ++attempt) {
    const double radius = 0.02 + 0.03 * uniform(random);
    FlyingDisc disc{radius, std::pow(10.0, -1 + 2 * uniform(random)),
                    Vec2(0.4 * uniform(random), 0.4 * uniform(random) - 0.2), Vec2::Zero()};
    bool free = true;
    for (const FlyingDisc& other : table.discs)
      free = free && (disc.position - other.position).norm() > disc.radius + other.radius + space;
    if (free) table.discs.push_back(disc);
  }
  return table;
}

double distance(const Billiard& a, const Billiard& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.discs.size(); ++i)
    worst = std::max({worst, (a.discs[i].position - b.discs[i].position).norm(),
                      (a.discs[i].velocity - b.discs[i].velocity).norm() / 5});
  return worst;
}

// Runs the heap with both; every step and every impact passes rounding on, more with every impact, so that the
// difference is judged by what a change of the start by 1e-12 becomes.
void expect_same_flight(const Billiard& start, double duration, double step, int& impacts) {
  Billiard exact = start, nearby = start;
  nearby.discs[0].position.y() += 1e-12;
  if (!fly(exact, duration) || !fly(nearby, duration)) return;
  const double sensitivity = distance(exact, nearby) / 1e-12;
  if (exact.impacts != nearby.impacts || sensitivity > 1e6) return;  // chaos: nobody knows
  impacts += exact.impacts;
  const model::Model model = model_of(start);
  stepping::Method method;
  method.stepper = "second-order";
  method.step = step;
  simulation::Simulation run(model, method);
  ASSERT_TRUE(run.run_until(duration));
  Billiard stepped = start;
  for (std::size_t i = 0; i < start.discs.size(); ++i) {
    stepped.discs[i].position = run.state().bodies[i].pose.position.head<2>();
    stepped.discs[i].velocity = run.state().bodies[i].velocity.linear.head<2>();
  }
  // Instants are located to 1e-13 of the way of a step, and there are up to 50 impacts.
  EXPECT_LE(distance(exact, stepped), 1e-12 + 1e-11 * sensitivity) << start.discs.size() << " discs, step " << step;
}

TEST(ImpactChain, ShotsIntoHeapsFlyAsTheEventDrivenProgramSays) {
  std::mt19937 random(5);
  int impacts = 0;
  for (int k = 0; k < 60; ++k) {
    const Billiard table = shot_into_a_heap(random, 2 + k % 9);
    expect_same_flight(table, 0.2, k % 3 == 0 ? 1e-2 : k % 3 == 1 ? 2e-3 : 5e-2, impacts);
  }
  EXPECT_GT(impacts, 100);
  RecordProperty("impacts", impacts);
}

TEST(ImpactChain, SlowShotsIntoManyHeapsFlyAsTheEventDrivenProgramSays) {
  std::mt19937 random(6);
  int impacts = 0;
  for (int k = 0; k < 3000; ++k) {
    const Billiard table = shot_into_a_heap(random, 2 + k % 19);
    expect_same_flight(table, 0.2, k % 3 == 0 ? 1e-2 : k % 3 == 1 ? 2e-3 : 5e-2, impacts);
  }
  RecordProperty("impacts", impacts);
}

// Three equal discs in line with little restitution: the outer two close on the middle one in infinitely many impacts
// that end at a finite time (McNamara and Young 1992). What is left moves as one, and momentum is what it was.
TEST(ImpactChain, InelasticCollapseEndsInCommonMotion) {
  Billiard table;
  table.restitution = 0.05;
  table.discs = {
      {0.05, 1, Vec2(-0.2, 0), Vec2(2, 0)}, {0.05, 1, Vec2(0, 0), Vec2(0, 0)}, {0.05, 1, Vec2(0.11, 0), Vec2(-1, 0)}};
  for (const double step : {1e-1, 1e-2, 1e-3}) {
    const model::Model model = model_of(table);
    stepping::Method method;
    method.stepper = "second-order";
    method.step = step;
    simulation::Simulation run(model, method);
    ASSERT_TRUE(run.run_until(1));
    double momentum = 0;
    for (const model::BodyState& s : run.state().bodies) {
      momentum += s.velocity.linear.x();
      EXPECT_NEAR(s.velocity.linear.x(), 1.0 / 3, 1e-8) << "step " << step;  // the last rebounds left out are 1e-9
    }
    EXPECT_NEAR(momentum, 1, 1e-14);
  }
}

// Two discs that meet head on: where both are at the end is a closed form, and so is how it changes with the start.
TEST(ImpactInstant, IsFoundToRoundingWhereverItLiesInTheStep) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int k = 0; k < 300; ++k) {
    const double m1 = std::pow(10.0, 2 * uniform(random) - 1), m2 = 1, e = uniform(random), h = 1e-2, end = 0.5;
    const double v1 = 1 + uniform(random), v2 = 0.5 * (uniform(random) - 0.5);
    // From just after the start of a step to just before its end.
    const double share = k % 2 == 0 ? std::pow(10.0, -9 * uniform(random)) : 1 - std::pow(10.0, -9 * uniform(random));
    const double meet = h * (10 + std::floor(20 * uniform(random)) + share);
    const double x1 = -1 + uniform(random), x2 = x1 + 0.2 + meet * (v1 - v2);
    const auto second_after = [&](double a, double b, double va, double vb) {
      const double t = (b - a - 0.2) / (va - vb), after = (m1 * va + m2 * vb + m1 * e * (va - vb)) / (m1 + m2);
      return b + vb * t + after * (end - t);
    };
    const auto second_by_steps = [&](double a, double b, double va, double vb) {
      const Billiard table{{{0.1, m1, Vec2(a, 0), Vec2(va, 0)}, {0.1, m2, Vec2(b, 0), Vec2(vb, 0)}}, e, 0};
      const model::Model model = model_of(table);
      stepping::Method method;
      method.stepper = "second-order";
      method.step = h;
      simulation::Simulation run(model, method);
      EXPECT_TRUE(run.run_until(end));
      return run.state().bodies[1].pose.position.x();
    };
    EXPECT_NEAR(second_by_steps(x1, x2, v1, v2), second_after(x1, x2, v1, v2), 1e-13) << "share " << share;
    if (k >= 40) continue;
    // Central differences over 2e-6: what rounding leaves of the positions, 1e-14, divided by that.
    const double d = 1e-6, tolerance = 1e-7;
    const auto slope = [&](const auto& f, double a, double b, double va, double vb) {
      return (f(x1 + a, x2 + b, v1 + va, v2 + vb) - f(x1 - a, x2 - b, v1 - va, v2 - vb)) / (2 * d);
    };
    EXPECT_NEAR(slope(second_by_steps, d, 0, 0, 0), slope(second_after, d, 0, 0, 0), tolerance) << share;
    EXPECT_NEAR(slope(second_by_steps, 0, d, 0, 0), slope(second_after, 0, d, 0, 0), tolerance) << share;
    EXPECT_NEAR(slope(second_by_steps, 0, 0, d, 0), slope(second_after, 0, 0, d, 0), tolerance) << share;
    EXPECT_NEAR(slope(second_by_steps, 0, 0, 0, d), slope(second_after, 0, 0, 0, d), tolerance) << share;
  }
}

}  // namespace
}  // namespace stickslip::testing
