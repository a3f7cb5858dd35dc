// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Forces that read the state and jump, under second-order: the instants are found within the step. Against closed forms and
// a program that goes from jump to jump (nothing of it is the product's), and what such a force costs bodies that it does not
// act on.
#include "stickslip/runs/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace stickslip::runs {
namespace {

struct End {
  double x = 0, v = 0;
  simulation::Counters counters;
};

std::string particle(const std::string& force, double x, double v, double y = 0) {
  return fmt::format(
      "[[body]]\nname = \"p\"\nmass = 1\nshape = \"particle\"\nposition = [{:.17g}, {}]\nvelocity = [{:.17g}, 0]\n"
      "force = [\"{}\", 0]\n",
      x, y, v, force);
}

scene::Scene scene_of(const std::string& bodies, double duration, double h) {
  return scene::parse_scene(fmt::format("dimension = 2\ngravity = [0, 0]\nduration = {:.17g}\n"
                                        "method = {{ stepper = \"second-order\", step = {:.17g} }}\n{}"
                                        "[observe]\nx = \"p.x\"\nv = \"p.vx\"\n",
                                        duration, h, bodies),
                            "jump.toml");
}

End run_to_end(const scene::Scene& scene) {
  runs::Run run(scene);
  run.begin();
  EXPECT_EQ(run.finish(), RunEnd::Finished) << run.failure();
  const std::vector<double> values = run.observables();
  return {values[0], values[1], run.simulation().counters()};
}

End end_of(const std::string& force, double x, double v, double duration, double h) {
  return run_to_end(scene_of(particle(force, x, v), duration, h));
}

constexpr double kSteps[] = {1e-1, 1e-2, 1e-3};
constexpr double kRounding = 1e-11;  // instants are found to 1e-12 of a step, and thousands of steps add up

TEST(ForceJumps, IntoARegionWithAConstantForce) {
  const double v = 0.97, enters = 1 / v, after = 2 - enters;
  for (const double h : kSteps) {
    const End end = end_of("if(p.x > 1, 5, 0)", 0, v, 2, h);
    EXPECT_NEAR(end.x, 1 + v * after + 2.5 * after * after, kRounding) << h;
    EXPECT_NEAR(end.v, v + 5 * after, kRounding) << h;
    EXPECT_EQ(end.counters.fallbacks, 0) << h;
  }
}

TEST(ForceJumps, ThroughAStripWithinOneStep) {
  const double v = 3.1, strip = 0.004, out = std::sqrt(v * v + 2 * 500 * strip), in_strip = (out - v) / 500;
  const double after = 1 - 1 / v - in_strip;
  for (const double h : kSteps) {
    const End end = end_of("if(p.x > 1 && p.x < 1.004, 500, 0)", 0, v, 1, h);
    // The force is a hundred times that of the other cases.
    EXPECT_NEAR(end.x, 1 + strip + out * after, 100 * kRounding) << h;
    EXPECT_NEAR(end.v, out, 100 * kRounding) << h;
  }
}

// Thrown against a force, the particle comes just over the edge of a region and back within a step.
TEST(ForceJumps, OverAnEdgeAndBackWithinOneStep) {
  const double g = 2, push = 3, rise = 1.0004, v = std::sqrt(2 * g * rise);
  const double at_edge = std::sqrt(v * v - 2 * g), enters = (v - at_edge) / g, back = enters + 2 * at_edge / (g + push);
  const double duration = back + 0.3, x = 1 - at_edge * 0.3 - 0.5 * g * 0.3 * 0.3;
  for (const double h : {0.1, 0.05, 1e-2, 1e-3}) {
    const End end = end_of("-2 - if(p.x > 1, 3, 0)", 0, v, duration, h);
    EXPECT_NEAR(end.x, x, kRounding) << h;
    EXPECT_NEAR(end.v, -at_edge - g * 0.3, kRounding) << h;
  }
}

// x'' = -a sign(x): arcs of parabolas.
TEST(ForceJumps, BangBang) {
  const double a = 2, v = 1.3, period = 4 * v / a, duration = 10 * period + 0.3;
  for (const char* force : {"-2 * sign(p.x)", "if(p.x > 0, -2, 2)", "2 - 4 * step(p.x)"})
    for (const double h : kSteps) {
      const End end = end_of(force, 0, v, duration, h);
      EXPECT_NEAR(end.x, v * 0.3 - 0.5 * a * 0.09, 10 * kRounding) << force << h;
      EXPECT_NEAR(end.v, v - a * 0.3, 10 * kRounding) << force << h;
      EXPECT_EQ(end.counters.fallbacks, 0) << force << h;
    }
}

// Half a swing in the spring, then back: errors are those of the spring.
TEST(ForceJumps, SpringThatEngages) {
  const double k = 40, v = 1, w = std::sqrt(k), duration = 0.37 + M_PI / w + 0.5;
  for (const char* force : {"if(p.x > 0, -40 * p.x, 0)", "-40 * max(p.x, 0)", "-20 * (p.x + abs(p.x))"}) {
    double before = 0;
    for (const double h : {4e-2, 1e-2, 1e-3}) {
      const End end = end_of(force, -0.37, v, duration, h);
      const double error = std::hypot(end.x + 0.5 * v, end.v + v);
      EXPECT_LE(error, 60 * h * h) << force << h;
      if (before > 0) EXPECT_LE(error, 0.25 * before) << force << h;
      before = error;
    }
  }
}

// On a floor, with friction: what pushes the block begins and ends at places.
TEST(ForceJumps, BlockWithFrictionPushedAlongAStretch) {
  const double mu = 0.3, g = 9.81, v = 2, push = 8, low = 0.5, high = 1.1;
  const double enter = std::sqrt(v * v - 2 * mu * g * low), t1 = (v - enter) / (mu * g);
  const double leave = std::sqrt(enter * enter + 2 * (push - mu * g) * (high - low)),
               t2 = (leave - enter) / (push - mu * g);
  const double left = leave / (mu * g), x = high + leave * leave / (2 * mu * g);
  for (const double h : kSteps) {
    const scene::Scene scene = scene::parse_scene(
        fmt::format("dimension = 2\ngravity = [0, -9.81]\nduration = {:.17g}\n"
                    "method = {{ stepper = \"second-order\", step = {} }}\n[[contact]]\nbetween = [\"*\", "
                    "\"*\"]\nfriction = 0.3\n"
                    "[[body]]\nname = \"floor\"\nfixed = true\nshape = {{ half-plane = {{ normal = [0, 1] }} }}\n"
                    "[[body]]\nname = \"p\"\nmass = 1\nshape = {{ box = [0.2, 0.1] }}\nposition = [0, 0.05]\n"
                    "velocity = [2, 0]\nforce = [\"if(p.x > 0.5 && p.x < 1.1, 8, 0)\", 0]\n"
                    "[observe]\nx = \"p.x\"\nv = \"p.vx\"\n",
                    t1 + t2 + left + 0.25, h),
        "block.toml");
    const End end = run_to_end(scene);
    EXPECT_NEAR(end.x, x, 10 * kRounding) << h;
    EXPECT_EQ(end.v, 0) << h;
  }
}

// Where force i acts from edges[i - 1] to edges[i], from jump to jump.
struct Staircase {
  std::vector<double> edges, forces;

  [[nodiscard]] std::string text() const {
    std::string all;
    for (std::size_t i = 0; i < edges.size(); ++i)
      all += fmt::format("if(p.x < {:.17g}, {:.17g}, ", edges[i], forces[i]);
    return all + fmt::format("{:.17g}", forces.back()) + std::string(edges.size(), ')');
  }

  // The first positive root of x + v t + a t^2 / 2 = edge; infinite: there is none.
  static double time_to(double edge, double x, double v, double a) {
    const double c = x - edge;
    double first = INFINITY;
    const double root = v * v - 2 * a * c;
    if (a == 0) return v != 0 && -c / v > 0 ? -c / v : INFINITY;
    if (root < 0) return INFINITY;
    const double q = -(v + std::copysign(std::sqrt(root), v));
    for (const double t : {q / a, 2 * c / q})
      if (t > 1e-12 && t < first) first = t;
    return first;
  }

  // False: it comes so close to an edge without crossing it, or so slowly, that rounding decides.
  bool advance(double& x, double& v, double duration) const {
    std::size_t cell = 0;
    while (cell < edges.size() && x >= edges[cell]) ++cell;
    for (int jumps = 0; duration > 0; ++jumps) {
      if (jumps > 200) return false;
      const double a = forces[cell];
      const double up = cell < edges.size() ? time_to(edges[cell], x, v, a) : INFINITY;
      const double down = cell > 0 ? time_to(edges[cell - 1], x, v, a) : INFINITY;
      const double turn = x - 0.5 * v * v / a;
      for (const double edge : edges)
        if (std::abs(turn - edge) < 1e-3) return false;
      const double t = std::min({up, down, duration});
      x += v * t + 0.5 * a * t * t;
      v += a * t;
      duration -= t;
      if (duration <= 0) return true;
      x = up < down ? edges[cell] : edges[cell - 1];
      cell = up < down ? cell + 1 : cell - 1;
      if ((v > 0) != (up < down) || std::abs(v) < 0.05) return false;
    }
    return true;
  }
};

TEST(ForceJumps, RandomStaircasesOfForce) {
  std::mt19937_64 random(20261119);
  const auto in = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  int compared = 0;
  for (int k = 0; k < 150; ++k) {
    Staircase stairs;
    double edge = in(-1, 0);
    const int steps = 1 + static_cast<int>(in(0, 5));
    for (int i = 0; i < steps; ++i) {
      stairs.edges.push_back(edge);
      stairs.forces.push_back(in(-4, 4));
      edge += in(0.05, 0.6);
    }
    stairs.forces.push_back(in(-4, 4));
    const double x0 = in(-1.5, 1.5), v0 = in(-2, 2), duration = in(1, 3);
    double x = x0, v = v0;
    if (!stairs.advance(x, v, duration)) continue;
    ++compared;
    for (const double h : kSteps) {
      const End end = end_of(stairs.text(), x0, v0, duration, h);
      // A jump that is crossed at a slow speed magnifies what instants are wrong by.
      EXPECT_NEAR(end.x, x, 1e-9) << "instance " << k << ", h = " << h;
      EXPECT_NEAR(end.v, v, 1e-9) << "instance " << k << ", h = " << h;
    }
  }
  EXPECT_GE(compared, 80);
}

// Dry friction written as a force: at rest both sides push back at once. The work is bounded, the speed left is that of one
// step, and the run says so.
TEST(ForceJumps, SlidingModeIsBoundedAndCounted) {
  for (const double h : kSteps) {
    const End end = end_of("if(p.vx > 0, -2, 2)", 0, 1, 2, h);
    EXPECT_LE(std::abs(end.v), 2 * h * (1 + 1e-9));
    EXPECT_NEAR(end.x, 0.25, 2 * h);
    EXPECT_GT(end.counters.fallbacks, 0) << h;
    EXPECT_LE(end.counters.fallbacks, end.counters.steps);
  }
}

// A force on one body does not take along what it neither acts on nor reads: same bits as without.
TEST(ForceJumps, BodiesThatAForceDoesNotReadAreAlone) {
  const std::string stack =
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-plane = { normal = [0, 1] } }\n"
      "[[body]]\nname = \"a\"\nmass = 1\nshape = { box = [0.2, 0.1] }\nposition = [5, 0.05]\n"
      "[[body]]\nname = \"b\"\nmass = 1\nshape = { box = [0.2, 0.1] }\nposition = [5.01, 0.15]\n";
  const auto run_with = [&](const std::string& more) {
    const scene::Scene scene = scene::parse_scene(
        "dimension = 2\ngravity = [0, -9.81]\nduration = 0.5\nmethod = { stepper = \"second-order\", step = 1e-2 }\n" +
            stack + more,
        "two.toml");
    runs::Run run(scene);
    run.begin();
    std::int64_t settling = -1;
    EXPECT_EQ(run.finish([&](const runs::Run& now) {
      if (settling < 0) settling = now.simulation().counters().solves;
      return true;
    }),
              RunEnd::Finished)
        << run.failure();
    return std::pair(run.simulation().state().bodies[2].pose.position, run.simulation().counters().solves - settling);
  };
  const auto [alone, solves_alone] = run_with(particle("0", 0, 3, 5));
  const auto [beside, solves_beside] = run_with(particle("if(p.x > 1, 5, 0) + 0.1 * t", 0, 3, 5));
  EXPECT_EQ(alone, beside);
  EXPECT_LE(solves_alone, 1);  // it stands after its second step; the particle touches nothing
  EXPECT_EQ(solves_beside, solves_alone);
  const auto [read, solves_read] = run_with(particle("0.1 * distance(p, a)", 0, 3, 5));
  EXPECT_GT(solves_read, 40);  // of 49 steps
}

}  // namespace
}  // namespace stickslip::runs
