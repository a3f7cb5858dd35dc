// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How contacts share a load that they could share in many ways is a matter of geometry, laws and the load: the same for all
// steppers, steps and orders of bodies, and symmetric where the scene is. Closed forms and enumerations, written here, tell
// what it is.
#include "stickslip/runs/run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <random>

namespace stickslip::testing {
namespace {

const std::vector<std::string> kSteppers = {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar",
                                            "second-order"};

// A contact of two named bodies, and the force on the one whose name comes first.
struct Force {
  std::string bodies;
  Vec3 place, force;
};

struct How {
  std::string stepper;
  double step = 1e-3, duration = 0.1;
  Vec2 lean = Vec2::Zero();  // of gravity, in space
  [[nodiscard]] std::string text() const { return fmt::format("{}, step {}", stepper, step); }
};

std::vector<Force> forces(int dimension, const std::string& scene, const How& how) {
  const std::string gravity =
      dimension == 3 ? fmt::format("{}, {}, -10", how.lean.x(), how.lean.y()) : std::string("0, -10");
  const std::string top =
      fmt::format("dimension = {}\ngravity = [{}]\nduration = {}\n[method]\nstepper = \"{}\"\nstep = {}\n", dimension,
                  gravity, how.duration, how.stepper, how.step);
  const scene::Scene made = scene::parse_scene(top + scene, "test.toml");
  runs::Run run(made);
  run.begin();
  EXPECT_EQ(run.finish([](const runs::Run&) { return true; }), runs::RunEnd::Finished) << run.failure();
  std::vector<Force> found;
  for (const contact::ContactResult& one : run.simulation().contacts()) {
    const auto name = [&](int b) { return made.model.bodies[static_cast<std::size_t>(b)].name; };
    std::string a = name(one.contact.id.body_a), b = name(one.contact.id.body_b);
    Vec3 force = one.force;
    if (b < a) std::swap(a, b), force = -force;
    if (one.contact.gap < 1e-6) found.push_back({a + " " + b, one.contact.point_a, force});
  }
  return found;
}

// Of the weight: what rounding leaves of a balance of many contacts is 1e-12 and less.
constexpr double kSame = 1e-9;

void expect_same(const std::vector<Force>& expected, const std::vector<Force>& found, double weight,
                 const std::string& what) {
  EXPECT_FALSE(expected.empty()) << what;
  ASSERT_EQ(expected.size(), found.size()) << what;
  for (const Force& one : expected) {
    const auto same = std::ranges::find_if(found, [&](const Force& other) {
      return other.bodies == one.bodies && (other.place - one.place).norm() < 1e-4;
    });
    if (same == found.end()) {
      std::string places;
      for (const Force& other : found)
        places += fmt::format("\n  {} at {}, {}, {}", other.bodies, other.place.x(), other.place.y(), other.place.z());
      FAIL() << what << ": " << one.bodies << " at " << one.place.transpose() << " is not among" << places;
    }
    EXPECT_LT((same->force - one.force).norm(), kSame * weight)
        << what << ": " << one.bodies << " at " << one.place.transpose() << ": " << same->force.transpose()
        << " instead of " << one.force.transpose();
  }
}

constexpr double kLegs[4][2] = {{0.5, 0.3}, {0.5, -0.3}, {-0.5, 0.3}, {-0.5, -0.3}};

// A table of 4 kg on four posts, its centre of mass at (x, y) from the middle of the legs.
std::string table(double x, double y, double drop, const std::vector<int>& order) {
  std::string points, text;
  std::vector<std::string> bodies;
  for (int i = 0; i < 4; ++i) {
    points += fmt::format("[{},{},-0.4],", kLegs[i][0] - x, kLegs[i][1] - y);
    bodies.push_back(
        fmt::format("[[body]]\nname = \"p{}\"\nfixed = true\nshape = {{ box = [0.1, 0.1, 0.1] }}\n"
                    "position = [{},{},-0.05]\n",
                    i, kLegs[i][0] - x, kLegs[i][1] - y));
  }
  bodies.push_back(
      fmt::format("[[body]]\nname = \"table\"\nmass = 4\ninertia = [0.2, 0.5, 0.6]\n"
                  "shape = {{ points = [{}] }}\nposition = [0, 0, {}]\n",
                  points, 0.4 + drop));
  for (const int i : order) text += bodies[static_cast<std::size_t>(i)];
  for (int i = 0; i < 4; ++i) text += fmt::format("[[contact]]\nbetween = [\"table\", \"p{}\"]\nfriction = 0.5\n", i);
  return text;
}

// The most even loads of legs that bear 40 N at (x, y), by trying which of them bear anything.
Eigen::Vector4d most_even(double x, double y) {
  Eigen::Vector4d best;
  double least = std::numeric_limits<double>::infinity();
  for (int mask = 1; mask < 16; ++mask) {
    Eigen::Matrix<double, 3, 4> G = Eigen::Matrix<double, 3, 4>::Zero();
    for (int i = 0; i < 4; ++i)
      if (mask >> i & 1) G.col(i) = Vec3(1, kLegs[i][0], kLegs[i][1]);
    const Vec3 load = 40 * Vec3(1, x, y);
    const Eigen::Vector4d N = G.completeOrthogonalDecomposition().solve(load);
    if ((G * N - load).norm() > 1e-9 || N.minCoeff() < -1e-12 || N.norm() > least) continue;
    least = N.norm();
    best = N;
  }
  return best;
}

double load_of(const std::vector<Force>& forces, int leg) {
  double sum = 0;
  for (const Force& one : forces)
    if (one.bodies == fmt::format("p{} table", leg)) sum -= one.force.z();
  return sum;
}

TEST(SharedLoads, LegsOfATableBearTheMostEvenLoadsWhereverItsCentreIs) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<int> order = {0, 1, 2, 3, 4};
  for (int k = 0; k < 40; ++k) {
    // Half of them where equal springs would have to pull at one leg.
    double x = 0.5 * uniform(random), y = 0.3 * uniform(random);
    if (k % 2 == 0) x *= 0.3, y *= 0.3;
    std::ranges::shuffle(order, random);
    const Eigen::Vector4d expected = most_even(x, y);
    const double step = std::pow(10.0, -2 + 1.5 * uniform(random));
    for (const std::string& stepper : kSteppers) {
      const std::vector<Force> found = forces(3, table(x, y, 0, order), {stepper, step, 5 * step});
      for (int i = 0; i < 4; ++i)
        EXPECT_NEAR(load_of(found, i), expected[i], kSame * 40)
            << stepper << " step " << step << " at " << x << ", " << y;
    }
  }
}

TEST(SharedLoads, EqualSpringsInClosedForm) {  // the enumeration above, where no leg would pull
  const Eigen::Vector4d N = most_even(0.1, 0.05);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(N[i], 10 * (1 + 0.1 * kLegs[i][0] / 0.25 + 0.05 * kLegs[i][1] / 0.09), 1e-12);
}

TEST(SharedLoads, ATableThatWasDroppedStandsAsOneThatWasPut) {
  for (const std::string& stepper : kSteppers)
    for (const double step : {1e-3, 5e-3}) {
      const std::vector<Force> found = forces(3, table(0, 0, 0.05, {0, 1, 2, 3, 4}), {stepper, step, 0.5});
      for (int i = 0; i < 4; ++i) EXPECT_NEAR(load_of(found, i), 10, kSame * 40) << stepper << " step " << step;
    }
}

// A box on a slope of which friction needs nearly all: the corner above bears less, and friction there is at its limit.
TEST(SharedLoads, FrictionOfABoxOnASlopeIsEvenUntilTheConeOfTheUpperCornerIsUsedUp) {
  for (const double slope : {0.1, 0.25, 0.4, 0.49})
    for (const std::string& stepper : kSteppers)
      for (const double step : {1e-2, 1e-3}) {
        const double mu = 0.5, c = 1 / std::sqrt(1 + slope * slope), s = slope * c, width = 0.4, height = 0.2;
        const Vec2 n(s, c), along(c, -s);  // down-slope is +x
        const std::string scene = fmt::format(
            "[[body]]\nname = \"floor\"\nfixed = true\nshape = {{ half-plane = {{ normal = [{0}, {1}] }} }}\n"
            "[[body]]\nname = \"box\"\nmass = 1\ninertia = 0.02\nposition = [{2}, {3}]\n"
            "shape = {{ points = [[{4},{5}],[{6},{7}]] }}\n[[contact]]\nbetween = [\"box\", \"floor\"]\nfriction = "
            "{8}\n",
            s, c, 0.5 * height * n.x(), 0.5 * height * n.y(), -0.5 * height * n.x() - 0.5 * width * along.x(),
            -0.5 * height * n.y() - 0.5 * width * along.y(), -0.5 * height * n.x() + 0.5 * width * along.x(),
            -0.5 * height * n.y() + 0.5 * width * along.y(), mu);
        const double lower = 5 * c + 10 * s * (0.5 * height) / width, upper = 10 * c - lower;
        const double held = std::min(5 * s, mu * upper);  // by the upper corner
        const std::vector<Force> found = forces(2, scene, {stepper, step, 10 * step});
        ASSERT_EQ(found.size(), 2U);
        for (const Force& one : found) {
          const bool is_upper = Vec2(one.place.head<2>()).dot(along) < 0;
          const Vec2 force = one.force.head<2>();
          EXPECT_NEAR(force.dot(n), is_upper ? upper : lower, kSame * 10) << stepper << ' ' << slope;
          EXPECT_NEAR(-force.dot(along), is_upper ? held : 10 * s - held, kSame * 10) << stepper << ' ' << slope;
        }
      }
}

// A box in a corner touches the wall and does not lean on it.
TEST(SharedLoads, ABoxThatTouchesAWallDoesNotLeanOnIt) {
  const std::string scene =
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } }\n"
      "[[body]]\nname = \"wall\"\nfixed = true\nshape = { half-space = { normal = [1, 0, 0] } }\n"
      "[[body]]\nname = \"box\"\nmass = 1\nshape = { box = [0.2, 0.2, 0.2] }\nposition = [0.1, 0, 0.1]\n"
      "[[contact]]\nbetween = [\"box\", \"floor\"]\nfriction = 0.5\n"
      "[[contact]]\nbetween = [\"box\", \"wall\"]\nfriction = 0.5\n";
  for (const std::string& stepper : kSteppers)
    for (const Force& one : forces(3, scene, {stepper}))
      EXPECT_LT((one.force - (one.bodies == "box floor" ? Vec3(0, 0, 2.5) : Vec3(0, 0, 0))).norm(), kSame * 10)
          << stepper << ' ' << one.bodies << ' ' << one.force.transpose();
}

// Equal boxes on each other, under a load that leans.
std::vector<std::string> stack() {
  std::vector<std::string> bodies = {
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } }\n"};
  for (int i = 0; i < 3; ++i)
    bodies.push_back(
        fmt::format("[[body]]\nname = \"box{}\"\nmass = {}\nshape = {{ box = [0.4, 0.3, 0.2] }}\n"
                    "position = [0, 0, {}]\n",
                    i, 1 + i, 0.1 + 0.2 * i));
  return bodies;
}

// Courses of bricks in the plane, symmetric about x = 0.
std::vector<std::string> wall(int courses) {
  std::vector<std::string> bodies = {
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-plane = { normal = [0, 1] } }\n"};
  for (int course = 0; course < courses; ++course)
    for (int i = 0; i < courses - course; ++i)
      bodies.push_back(
          fmt::format("[[body]]\nname = \"b{}{}\"\nmass = 1\nshape = {{ box = [0.2, 0.1] }}\n"
                      "position = [{}, {}]\n",
                      course, i, 0.22 * (i - 0.5 * (courses - 1 - course)), 0.05 + 0.1 * course));
  return bodies;
}

void expect_same_everywhere(int dimension, std::vector<std::string> bodies, double weight, std::vector<Force>& first) {
  std::mt19937 random(9);
  for (const std::string& stepper : kSteppers)
    for (const double step : {1e-2, 1e-3, 2e-4}) {
      std::string scene;
      for (const std::string& body : bodies) scene += body;
      scene += "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = 0.6\n";
      const How how{stepper, step, 20 * step, Vec2(1, 0.7)};
      const std::vector<Force> found = forces(dimension, scene, how);
      if (first.empty()) first = found;
      expect_same(first, found, weight, how.text());
      std::ranges::shuffle(bodies, random);
    }
}

TEST(SharedLoads, AStackIsTheSameForAllSteppersStepsAndOrders) {
  std::vector<Force> first;
  expect_same_everywhere(3, stack(), 60, first);
  double floor = 0;
  for (const Force& one : first)
    if (one.bodies == "box0 floor") floor += one.force.z();
  EXPECT_NEAR(floor, 60, 1e-9);
}

void expect_symmetric_wall(int courses, std::size_t contacts) {
  std::vector<Force> first;
  const double weight = 5 * courses * (courses + 1);
  expect_same_everywhere(2, wall(courses), weight, first);
  EXPECT_EQ(first.size(), contacts);
  for (const Force& one : first) {
    const auto mirror = std::ranges::find_if(first, [&](const Force& other) {
      return (other.place - Vec3(-one.place.x(), one.place.y(), 0)).norm() < 1e-6;
    });
    ASSERT_NE(mirror, first.end());
    EXPECT_NEAR(std::fabs(mirror->force.y()), std::fabs(one.force.y()), kSame * weight);
    EXPECT_NEAR(std::fabs(mirror->force.x()), std::fabs(one.force.x()), kSame * weight);
  }
}

TEST(SharedLoads, AWallIsTheSameForAllSteppersStepsAndOrdersAndSymmetric) {
  expect_symmetric_wall(3, 18);
}

// 55 bricks and 200 contacts, which no step shares.
TEST(SharedLoads, AHighWallIsTheSameForAllSteppersStepsAndOrdersAndSymmetric) {
  expect_symmetric_wall(10, 200);
}

// The wall of examples/brick-wall at rest: 368 contacts. (In one order of bodies: bricks touch side by side, and which of
// two corners at one place are listed is a matter of the order, and with it how many there are to share between.)
TEST(SharedLoads, ABrickWallIsTheSameForAllSteppersAndSteps) {
  std::string scene =
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } }\n"
      "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = 0.6\n";
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 5; ++j)
      scene += fmt::format(
          "[[body]]\nname = \"b{}{}\"\nmass = 2\nshape = {{ box = [0.2, 0.1, 0.06] }}\n"
          "position = [{}, 0, {}]\n",
          i, j, 0.2 * j + 0.1 * (i % 2), 0.03 + 0.06 * i);
  std::vector<Force> first;
  constexpr double kWeight = 800;
  for (const std::string& stepper : kSteppers)
    for (const double step : {1e-2, 1e-3}) {
      const How how{stepper, step, 5 * step};
      const std::vector<Force> found = forces(3, scene, how);
      if (first.empty()) first = found;
      expect_same(first, found, kWeight, how.text());
    }
  EXPECT_EQ(first.size(), 368U);
  double floor = 0;
  for (const Force& one : first) {
    if (one.bodies.ends_with(" floor")) floor += one.force.z();
    const auto mirror = std::ranges::find_if(first, [&](const Force& other) {  // at y = 0
      return (other.place - Vec3(one.place.x(), -one.place.y(), one.place.z())).norm() < 1e-6 &&
             other.bodies == one.bodies;
    });
    ASSERT_NE(mirror, first.end());
    EXPECT_LT((mirror->force - Vec3(one.force.x(), -one.force.y(), one.force.z())).norm(), kSame * kWeight);
  }
  EXPECT_NEAR(floor, kWeight, kSame * kWeight);
}

// Shares of large islands are made when forces are asked for: a run that asks after every step moves as one that does not.
// Eight boxes on each other (32 contacts) slide down a slope together.
TEST(SharedLoads, LookingAtForcesDoesNotChangeTheMotion) {
  std::string text =
      "dimension = 3\ngravity = [1, 0.5, -10]\nduration = 0.05\n[method]\nstep = 1e-3\n"
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } }\n"
      "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = 0.05\n";
  for (int i = 0; i < 8; ++i)
    text += fmt::format(
        "[[body]]\nname = \"box{}\"\nmass = {}\nshape = {{ box = [0.4, 0.3, 0.1] }}\nposition = [0, 0, {}]\n", i,
        1 + i % 3, 0.05 + 0.1 * i);
  for (const char* stepper : {"stewart-trinkle", "implicit"}) {
    const std::vector<scene::Override> overrides = {{"method.stepper", stepper}};
    const scene::Scene made = scene::parse_scene(text, "test.toml", overrides);
    simulation::Simulation looked(made.model, made.method), left(made.model, made.method);
    bool shared = false;
    EXPECT_TRUE(looked.run_until(made.duration, [&](const simulation::Simulation& now) {
      const auto as_solved = now.balanced_contacts();
      const std::vector<contact::ContactResult> before(as_solved.begin(), as_solved.end());
      const auto after = now.contacts();
      for (std::size_t c = 0; c < before.size(); ++c)
        shared = shared || (before[c].force - after[c].force).norm() > 1e-6;
      return true;
    }));
    EXPECT_TRUE(left.run_until(made.duration));
    EXPECT_TRUE(shared) << stepper << ": shares are those of the solver, so this shows nothing";
    EXPECT_EQ(looked.checkpoint(), left.checkpoint()) << stepper;
  }
}

}  // namespace
}  // namespace stickslip::testing
