// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Prescribed bodies whose velocity jumps, under second-order: belts that are reversed and tables that are knocked, at
// instants within steps and at their ends. Against programs that go from jump to jump in closed form (nothing of them is
// the product's).
#include "stickslip/runs/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace stickslip::runs {
namespace {

constexpr double kGravity = 9.81;

struct End {
  double value = 0;
  simulation::Counters counters;
};

End run_to_end(const std::string& text, const char* what) {
  const scene::Scene scene = scene::parse_scene(text, what);
  runs::Run run(scene);
  run.begin();
  EXPECT_EQ(run.finish(), RunEnd::Finished) << run.failure() << text;
  return {run.observables()[0], run.simulation().counters()};
}

std::string head(int dimension, double duration, double h) {
  return fmt::format(
      "dimension = {}\ngravity = [{}]\nduration = {:.17g}\nmethod = {{ stepper = \"second-order\", step = {} }}\n",
      dimension, dimension == 2 ? "0, -9.81" : "0, 0, -9.81", duration, h);
}

// A velocity of the given values, the next one from each instant on.
std::string staircase(const std::vector<double>& values, const std::vector<double>& instants) {
  std::string text = fmt::format("({:.17g})", values[0]);
  for (std::size_t k = 0; k < instants.size(); ++k)
    text += fmt::format(" + ({:.17g}) * step(t - {:.17g})", values[k + 1] - values[k], instants[k]);
  return text;
}

// Where a block is that friction drags along with a belt of these velocities.
double dragged(double mu, const std::vector<double>& values, const std::vector<double>& instants, double duration) {
  const double a = mu * kGravity;
  double x = 0, v = 0, t = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double until = k < instants.size() ? instants[k] : duration, dt = until - t, gap = values[k] - v;
    const double slips = std::min(std::abs(gap) / a, dt), by = std::copysign(a, gap);
    x += v * slips + 0.5 * by * slips * slips;
    v = slips < dt ? values[k] : v + by * slips;
    x += v * (dt - slips);
    t = until;
  }
  return x;
}

// Where a body is, in height, on a table of these velocities up and down: it leaves the table, and falls back without
// rebound.
double knocked(const std::vector<double>& values, const std::vector<double>& instants, double duration) {
  double table = 0, y = 0, v = 0, t = 0;
  bool lies = true;
  for (std::size_t k = 0; k < values.size();) {
    const double until = k < instants.size() ? instants[k] : duration, up = values[k];
    if (lies && v <= up) {
      v = up;
      y += up * (until - t);
      table = y;
      t = until;
      ++k;
      continue;
    }
    lies = false;
    const double rate = v - up,
                 flight = (rate + std::sqrt(rate * rate + 2 * kGravity * std::max(y - table, 0.0))) / kGravity;
    const double dt = std::min(flight, until - t);
    y += v * dt - 0.5 * kGravity * dt * dt;
    v -= kGravity * dt;
    table += up * dt;
    lies = flight < until - t;
    t = lies ? t + dt : until;
    if (lies)
      y = table, v = up;
    else
      ++k;
  }
  return y;
}

std::vector<double> random_instants(std::mt19937& random, double duration) {
  std::uniform_real_distribution<double> between(0.03, 0.97);
  std::uniform_int_distribution<int> count(2, 6), choice(0, 2);
  std::vector<double> instants(static_cast<std::size_t>(count(random)));
  const bool round = choice(random) == 0;
  for (double& t : instants) {
    t = duration * between(random);
    if (round) t = std::round(100 * t) / 100;  // at ends of steps
  }
  std::ranges::sort(instants);
  const auto [first, last] = std::ranges::unique(instants, [](double a, double b) { return b - a < 0.02; });
  instants.erase(first, last);
  return instants;
}

std::vector<double> random_speeds(std::mt19937& random, std::size_t count) {
  std::uniform_real_distribution<double> speed(-1.5, 1.5);
  std::vector<double> values(count);
  for (double& v : values) v = speed(random);
  return values;
}

TEST(DriveJumps, BlockOnABeltFollowsEveryReversal) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> friction(0.05, 0.6);
  const double duration = 1;
  for (int trial = 0; trial < 60; ++trial) {
    const std::vector<double> instants = random_instants(random, duration);
    const std::vector<double> values = random_speeds(random, instants.size() + 1);
    const double mu = friction(random), x = dragged(mu, values, instants, duration);
    const int dimension = 2 + trial % 2;
    for (const double h : {1e-2, 2e-3}) {
      const End end = run_to_end(
          head(dimension, duration, h) +
              fmt::format("[[body]]\nname = \"belt\"\nshape = {{ {} }}\nmotion = {{ velocity = [\"{}\", 0{}] }}\n"
                          "[[body]]\nname = \"block\"\nmass = 1\nshape = {{ box = [{}] }}\nposition = [0, {}]\n"
                          "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = {:.17g}\n[observe]\nx = \"block.x\"\n",
                          dimension == 2 ? "half-plane = { normal = [0, 1] }" : "half-space = { normal = [0, 0, 1] }",
                          staircase(values, instants), dimension == 2 ? "" : ", 0",
                          dimension == 2 ? "0.2, 0.02" : "0.2, 0.2, 0.02", dimension == 2 ? "0.01" : "0, 0.01", mu),
          "belt.toml");
      EXPECT_NEAR(end.value, x, 1e-9) << trial << " " << h;
      EXPECT_EQ(end.counters.fallbacks, 0) << trial << " " << h;
      EXPECT_LE(end.counters.solves, 2 * end.counters.steps + 20 * static_cast<long>(values.size())) << trial;
    }
  }
}

TEST(DriveJumps, TableThatIsKnockedThrowsWhatLiesOnIt) {
  std::mt19937 random(2);
  const double duration = 1;
  for (int trial = 0; trial < 60; ++trial) {
    const std::vector<double> instants = random_instants(random, duration);
    std::vector<double> values = random_speeds(random, instants.size() + 1);
    values[0] = 0;
    const double y = knocked(values, instants, duration);
    const int dimension = 2 + trial % 2;
    for (const double h : {1e-2, 2e-3}) {
      const End end = run_to_end(
          head(dimension, duration, h) +
              fmt::format(
                  "[[body]]\nname = \"table\"\nshape = {{ {} }}\nmotion = {{ velocity = [{}, \"{}\"] }}\n"
                  "[[body]]\nname = \"block\"\nmass = 1\nshape = {{ {} }}\nposition = [0, {}]\n"
                  "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = 0.3\n[observe]\ny = \"block.{} - 0.05\"\n",
                  dimension == 2 ? "half-plane = { normal = [0, 1] }" : "box = [1, 1, 0.1], offset = [0, 0, -0.05]",
                  dimension == 2 ? "0" : "0, 0", staircase(values, instants),
                  dimension == 2 ? "disc = 0.05" : "box = [0.1, 0.1, 0.1]", dimension == 2 ? "0.05" : "0, 0.05",
                  dimension == 2 ? "y" : "z"),
          "table.toml");
      EXPECT_NEAR(end.value, y, 1e-8) << trial << " " << h;
    }
  }
}

// The value right at t = 0 is one that the function never takes again, and the first piece of the integral was as short as
// the smallest number: the belt's position at the start was not a number, and the block fell through.
TEST(DriveJumps, AtTheVeryStart) {
  for (const char* belt : {"sign(t)", "sign(sin(t))", "if(t > 0, 1, 0)", "1 - if(t <= 0, 1, 0)"})
    for (const double h : {1e-2, 1e-3}) {
      const End end = run_to_end(
          head(2, 0.1, h) +
              fmt::format(
                  "[[body]]\nname = \"belt\"\nshape = {{ half-plane = {{ normal = [0, 1] }} }}\n"
                  "motion = {{ velocity = [\"{}\", 0] }}\n"
                  "[[body]]\nname = \"block\"\nmass = 1\nshape = {{ box = [0.2, 0.02] }}\nposition = [0, 0.01]\n"
                  "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = 0.2\n"
                  "[observe]\nx = \"block.x + 0 * initial(belt.x)\"\n",
                  belt),
          "start.toml");
      EXPECT_NEAR(end.value, 0.5 * 0.2 * kGravity * 0.01, 1e-12) << belt << " " << h;
    }
}

}  // namespace
}  // namespace stickslip::runs
