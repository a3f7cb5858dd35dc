// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Ranges of contact forces in scenes whose statics can be done by hand, under all rigid steppers, and the balance of what
// runs report. Every range is a small linear or cone program that the comments solve.
#include "stickslip/contact/step_forces.h"
#include "stickslip/runs/run.h"
#include "stickslip/simulation/step_balance.h"
#include "stickslip/stepping/method_force_law.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <numbers>
#include <random>

namespace stickslip::runs {
namespace {

using contact::Interval;
using contact::TouchingForce;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSame = 1e-9;  // of the weight: what rounding leaves of a balance is 1e-12 and less
const std::vector<std::string> kSteppers = {"stewart-trinkle", "anitescu-potra", "implicit", "song-pang-kumar",
                                            "second-order"};

struct Found {
  std::vector<double> observed;
  std::vector<TouchingForce> forces;
  std::vector<contact::ContactResult> contacts;
  simulation::StepBalance balance;
};

Found run(int dimension, const std::string& stepper, const std::string& scene, double step = 1e-3,
          const std::string& method = "") {
  const std::string top =
      fmt::format("dimension = {}\ngravity = [{}0, -10]\nduration = {}\n[method]\nstepper = \"{}\"\nstep = {}\n{}\n",
                  dimension, dimension == 3 ? "0, " : "", 10 * step, stepper, step, method);
  const scene::Scene made = scene::parse_scene(top + scene, "test.toml");
  Run one(made);
  one.begin();
  Found found;
  found.balance.see(one.simulation());
  EXPECT_EQ(one.finish([&](const Run& now) {
    found.balance.see(now.simulation());
    return true;
  }),
            RunEnd::Finished)
      << one.failure();
  found.observed = one.observables();
  const auto contacts = one.simulation().contacts();
  found.contacts.assign(contacts.begin(), contacts.end());
  contact::StepForces forces(made.model, one.simulation().state(), contacts, stepping::force_law(made.method));
  for (std::size_t k = 0; k < forces.touching().size(); ++k) found.forces.push_back(forces.force(k));
  // What the step has is one of the shares.
  for (const TouchingForce& force : found.forces) {
    EXPECT_GE(force.normal, force.normal_range.least - 1e-8) << stepper;
    EXPECT_LE(force.normal, force.normal_range.most + 1e-8) << stepper;
    for (int d = 0; d < dimension - 1; ++d) {
      EXPECT_GE(force.tangent[d], force.tangent_range[d].least - 1e-8) << stepper;
      EXPECT_LE(force.tangent[d], force.tangent_range[d].most + 1e-8) << stepper;
    }
  }
  return found;
}

void expect_range(const Interval& found, double least, double most, double weight, const std::string& what) {
  EXPECT_NEAR(found.least, least, kSame * weight) << what;
  if (std::isinf(most))
    EXPECT_EQ(found.most, most) << what;
  else
    EXPECT_NEAR(found.most, most, kSame * std::max(weight, most)) << what;
  EXPECT_LE(found.open, kSame * weight) << what;
}

constexpr double kLegs[4][2] = {{0.5, 0.3}, {0.5, -0.3}, {-0.5, 0.3}, {-0.5, -0.3}};

// A table of 4 kg, its centre of mass at (x, y) from the middle of its four legs.
std::string table(double x, double y) {
  std::string points, text;
  for (const auto& leg : kLegs) points += fmt::format("[{},{},-0.4],", leg[0] - x, leg[1] - y);
  text = "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } }\n";
  text += fmt::format(
      "[[body]]\nname = \"table\"\nmass = 4\ninertia = [0.2, 0.5, 0.6]\nshape = {{ points = [{}] }}\n"
      "position = [{}, {}, 0.4]\n[[contact]]\nbetween = [\"table\", \"floor\"]\nfriction = 0.5\n",
      points, x, y);
  return text;
}

// Friction at the floor turns the table about no horizontal axis. So N = even + s (1, -1, -1, 1) with all N >= 0.
TEST(StepForces, EachLegOfATableBearsWithinTheVerticesOfItsProgram) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 12; ++k) {
    double x = 0.5 * uniform(random), y = 0.3 * uniform(random);
    if (k == 0) x = y = 0;
    double even[4];
    for (int i = 0; i < 4; ++i) even[i] = 10 * (1 + x * kLegs[i][0] / 0.25 + y * kLegs[i][1] / 0.09);
    const double lowest = -std::min(even[0], even[3]), highest = std::min(even[1], even[2]);
    for (const std::string& stepper : kSteppers) {
      const Found found = run(3, stepper, table(x, y), 1e-3);
      ASSERT_EQ(found.forces.size(), 4U) << stepper;
      for (const TouchingForce& force : found.forces) {
        const Vec3 place = found.contacts[static_cast<std::size_t>(force.contact)].contact.point_a;
        int leg = 0;
        while (leg < 4 && (place - Vec3(kLegs[leg][0], kLegs[leg][1], 0)).norm() > 1e-6) ++leg;
        ASSERT_LT(leg, 4);
        const bool with = leg == 0 || leg == 3;  // its load grows with s
        const double least = even[leg] + (with ? lowest : -highest), most = even[leg] + (with ? highest : -lowest);
        expect_range(force.normal_range, least, most, 40, fmt::format("{} leg {} at {}, {}", stepper, leg, x, y));
        EXPECT_FALSE(force.unique);
      }
    }
  }
}

TEST(StepForces, ThreeLegsHaveOneShareOfTheirLoads) {
  const std::string scene =
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } }\n"
      "[[body]]\nname = \"stool\"\nmass = 3\ninertia = [0.2, 0.2, 0.2]\nposition = [0, 0, 0.4]\n"
      "shape = { points = [[0.3, 0, -0.4], [-0.2, 0.2, -0.4], [-0.2, -0.3, -0.4]] }\n"
      "[[contact]]\nbetween = [\"stool\", \"floor\"]\nfriction = 0\n";
  for (const std::string& stepper : kSteppers)
    for (const TouchingForce& force : run(3, stepper, scene).forces) {
      EXPECT_TRUE(force.unique) << stepper;
      EXPECT_NEAR(force.normal_range.least, force.normal, kSame * 30);
    }
}

// Two corners stand on each other's diagonal: one bears up to half of the weight. The sum of all is the weight.
TEST(StepForces, ACornerOfABoxBearsUpToHalfOfItAndTheFloorAllOfIt) {
  const std::string scene =
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } }\n"
      "[[body]]\nname = \"box\"\nmass = 1\nshape = { box = [0.4, 0.2, 0.2] }\nposition = [0, 0, 0.1]\n"
      "[[contact]]\nbetween = [\"box\", \"floor\"]\nfriction = 0.5\n[observe]\n"
      "least = \"normal_force_min(box, floor)\"\nmost = \"normal_force_max(box, floor)\"\n"
      "force = \"normal_force(box, floor)\"\n";
  for (const std::string& stepper : kSteppers) {
    const Found found = run(3, stepper, scene);
    ASSERT_EQ(found.forces.size(), 4U);
    for (const TouchingForce& force : found.forces) expect_range(force.normal_range, 0, 5, 10, stepper);
    for (const double observed : found.observed) EXPECT_NEAR(observed, 10, kSame * 10) << stepper;
  }
}

// Both corners bear half of the weight; friction at one is what the other takes back.
TEST(StepForces, FrictionAtTwoCornersOfAPlanarBoxIsOpenAndTheirLoadIsNot) {
  const std::string scene =
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-plane = { normal = [0, 1] } }\n"
      "[[body]]\nname = \"box\"\nmass = 1\nshape = { box = [0.4, 0.2] }\nposition = [0, 0.1]\n"
      "[[contact]]\nbetween = [\"box\", \"floor\"]\nfriction = 0.3\n";
  for (const std::string& stepper : kSteppers) {
    const Found found = run(2, stepper, scene);
    ASSERT_EQ(found.forces.size(), 2U);
    for (const TouchingForce& force : found.forces) {
      expect_range(force.normal_range, 5, 5, 10, stepper);
      expect_range(force.tangent_range[0], -1.5, 1.5, 10, stepper);
      EXPECT_FALSE(force.unique);
    }
  }
}

// N of the wall: N T + t = W / 2 about the foot, T = tan of the angle with the floor; |t| <= mu_w N, N <= mu_f (W - t).
TEST(StepForces, ALadderLeansAgainstTheWallAsHardAsFrictionAllows) {
  for (const double degrees : {55.0, 60.0, 70.0})
    for (const std::string& stepper : kSteppers) {
      const double W = 20, on_wall = 0.3, on_floor = 0.5, angle = degrees * std::numbers::pi / 180, T = std::tan(angle);
      const double c = std::cos(angle), s = std::sin(angle);  // half lengths of a ladder of 2 m
      const std::string scene = fmt::format(
          "[[body]]\nname = \"floor\"\nfixed = true\nshape = {{ half-plane = {{ normal = [0, 1] }} }}\n"
          "[[body]]\nname = \"wall\"\nfixed = true\nshape = {{ half-plane = {{ normal = [1, 0] }} }}\n"
          "[[body]]\nname = \"ladder\"\nmass = 2\ninertia = 0.6\nposition = [{0}, {1}]\n"
          "shape = {{ points = [[{0}, -{1}], [-{0}, {1}]] }}\n"
          "[[contact]]\nbetween = [\"ladder\", \"wall\"]\nfriction = {2}\n"
          "[[contact]]\nbetween = [\"ladder\", \"floor\"]\nfriction = {3}\n[observe]\n"
          "least = \"normal_force_min(ladder, wall)\"\nmost = \"normal_force_max(ladder, wall)\"\n",
          c, s, on_wall, on_floor);
      double most = T > on_wall ? W / (2 * (T - on_wall)) : kInfinity;
      if (on_floor * T < 1) most = std::min(most, on_floor * W / (2 * (1 - on_floor * T)));
      const Found found = run(2, stepper, scene);
      EXPECT_NEAR(found.observed[0], W / (2 * (T + on_wall)), kSame * W) << stepper << ' ' << degrees;
      EXPECT_NEAR(found.observed[1], most, kSame * W) << stepper << ' ' << degrees;
    }
}

constexpr double kLean = 0.6;  // of the sides of a groove, from the vertical

std::string groove(int dimension, double mu, const std::string& shape, double height) {
  const char* zero = dimension == 3 ? "0, " : "";
  return fmt::format(
      "[[body]]\nname = \"left\"\nfixed = true\nshape = {{ {4} = {{ normal = [{0}, {2}{1}] }} }}\n"
      "[[body]]\nname = \"right\"\nfixed = true\nshape = {{ {4} = {{ normal = [-{0}, {2}{1}] }} }}\n"
      "[[body]]\nname = \"p\"\nmass = 1\nshape = {5}\nposition = [0, {2}{6}]\n"
      "[[contact]]\nbetween = [\"p\", \"left\"]\nfriction = {3}\n"
      "[[contact]]\nbetween = [\"p\", \"right\"]\nfriction = {3}\n",
      std::cos(kLean), std::sin(kLean), zero, mu, dimension == 3 ? "half-space" : "half-plane", shape, height);
}

// A disc: what turns it makes both sides bear the same, N sin + t cos = W / 2, so that
//     W / 2 / (sin + mu cos) <= N <= W / 2 / (sin - mu cos),      no end where mu > tan: it jams.
TEST(StepForces, ADiscInAGrooveIsHeldWithoutEndOnceFrictionBeatsTheSlope) {
  const double s = std::sin(kLean), c = std::cos(kLean);
  for (const double mu : {0.2, 0.6, 0.99 * std::tan(kLean), 1.01 * std::tan(kLean), 2.0})
    for (const std::string& stepper : kSteppers) {
      const Found found = run(2, stepper, groove(2, mu, "{ disc = 0.1 }", 0.1 / s));
      ASSERT_EQ(found.forces.size(), 2U) << stepper;
      for (const TouchingForce& force : found.forces) {
        const std::string what = fmt::format("{}, mu {}", stepper, mu);
        expect_range(force.normal_range, 5 / (s + mu * c), mu > s / c ? kInfinity : 5 / (s - mu * c), 10, what);
        EXPECT_FALSE(force.unique) << what;
      }
    }
}

// A particle in space. The largest N of one side has no friction along the groove: each force lies on an edge of its cone in the
// plane across, or is 0. Friction along the groove, of both sides against each other, is largest where they bear the same,
// where (mu N)^2 - t^2 is largest:   mu W / 2 / sqrt(sin^2 - mu^2 cos^2)
TEST(StepForces, AParticleInAGrooveInSpaceHasTheRangesOfTwoCones) {
  const double s = std::sin(kLean), c = std::cos(kLean), W = 10;
  for (const double mu : {0.2, 0.6, 0.99 * std::tan(kLean), 1.01 * std::tan(kLean), 2.0}) {
    double least = kInfinity, most = -kInfinity;
    const auto vertex = [&](double N) { least = std::min(least, N), most = std::max(most, N); };
    for (const double up : {1.0, -1.0})
      for (const double other : {1.0, -1.0}) {
        Eigen::Matrix2d edges;
        edges << c - up * mu * s, -c + other * mu * s, s + up * mu * c, s + other * mu * c;
        const Vec2 N = edges.inverse() * Vec2(0, W);
        if (N.minCoeff() >= 0) vertex(N[0]);
      }
    if (mu >= c / s) vertex(0), vertex(s * W);  // one side bears all
    const bool jams = mu > s / c;
    for (const std::string& stepper : kSteppers) {
      const Found found = run(3, stepper, groove(3, mu, "\"particle\"", 0));
      ASSERT_EQ(found.forces.size(), 2U) << stepper;
      for (const TouchingForce& force : found.forces) {
        const std::string what = fmt::format("{}, mu {}", stepper, mu);
        expect_range(force.normal_range, least, jams ? kInfinity : most, W, what);
        EXPECT_FALSE(force.unique) << what;
        const int along = std::fabs(force.tangent_direction[0].y()) > 0.5 ? 0 : 1;
        ASSERT_NEAR(std::fabs(force.tangent_direction[along].y()), 1, 1e-12);
        const double friction = jams ? kInfinity : mu * W / 2 / std::sqrt(s * s - mu * mu * c * c);
        const Interval& range = force.tangent_range[along];
        if (jams) {
          EXPECT_EQ(range.most, kInfinity) << what;
          EXPECT_EQ(range.least, -kInfinity) << what;
        } else {
          EXPECT_NEAR(range.most, friction, kSame * std::max(W, friction)) << what;
          EXPECT_NEAR(range.least, -friction, kSame * std::max(W, friction)) << what;
        }
      }
    }
  }
}

// A box that merely touches two walls, with friction: nothing presses, and anything may.
TEST(StepForces, ABoxBetweenWallsMayBeWedgedAsTightlyAsOneLikes) {
  const std::string scene =
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-plane = { normal = [0, 1] } }\n"
      "[[body]]\nname = \"left\"\nfixed = true\nshape = { half-plane = { normal = [1, 0] } }\n"
      "[[body]]\nname = \"right\"\nfixed = true\nshape = { half-plane = { normal = [-1, 0] } }\nposition = [0.4, 0]\n"
      "[[body]]\nname = \"box\"\nmass = 1\nshape = { box = [0.4, 0.2] }\nposition = [0.2, 0.1]\n"
      "[[contact]]\nbetween = [\"box\", \"*\"]\nfriction = 0.5\n[observe]\n"
      "least = \"normal_force_min(box, left)\"\nmost = \"normal_force_max(box, left)\"\nnow = \"normal_force(box, "
      "left)\"\n"
      "least_floor = \"normal_force_min(box, floor)\"\n";
  for (const std::string& stepper : kSteppers) {
    const Found found = run(2, stepper, scene);
    EXPECT_NEAR(found.observed[0], 0, kSame * 10) << stepper;
    EXPECT_EQ(found.observed[1], kInfinity) << stepper;
    EXPECT_NEAR(found.observed[2], 0, kSame * 10) << stepper;
    EXPECT_NEAR(found.observed[3], 0, kSame * 10) << stepper;
  }
}

// A pyramid of four sides along the axes of its contacts: friction along the groove is that of the pyramid.
TEST(StepForces, APyramidLimitsFrictionByItsOwnSides) {
  const std::string scene =
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } }\n"
      "[[body]]\nname = \"box\"\nmass = 1\nshape = { points = [[0.1, 0, -0.1], [-0.1, 0, -0.1]] }\n"
      "inertia = [0.1, 0.1, 0.1]\nposition = [0, 0, 0.1]\n"
      "[[contact]]\nbetween = [\"box\", \"floor\"]\nfriction = 0.5\n";
  // Two feet on the x axis: along x friction of one is taken back by the other, up to mu N at the vertex of the pyramid, and
  // to mu N cos(45 deg) where its sides face x.
  for (const double turned : {0.0, std::numbers::pi / 4}) {
    const Found found = run(3, "stewart-trinkle", scene, 1e-3,
                            fmt::format("friction = \"pyramid\"\ndirections = 4\npyramid_angle = {}", turned));
    ASSERT_EQ(found.forces.size(), 2U);
    for (const TouchingForce& force : found.forces)
      expect_range(force.tangent_range[0], -2.5 * std::cos(turned), 2.5 * std::cos(turned), 10, "pyramid");
  }
}

// A block that slides: friction belongs to its normal forces, which two feet in the plane determine.
TEST(StepForces, FrictionOfWhatSlidesIsUnique) {
  const std::string scene =
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-plane = { normal = [0, 1] } }\n"
      "[[body]]\nname = \"box\"\nmass = 1\nshape = { box = [0.4, 0.2] }\nposition = [0, 0.1]\nvelocity = [1, 0]\n"
      "[[contact]]\nbetween = [\"box\", \"floor\"]\nfriction = 0.3\n";
  for (const std::string& stepper : kSteppers) {
    const Found found = run(2, stepper, scene);
    ASSERT_EQ(found.forces.size(), 2U);
    for (const TouchingForce& force : found.forces) {
      EXPECT_TRUE(force.unique) << stepper;
      EXPECT_NEAR(std::fabs(force.tangent[0]), 0.3 * force.normal, kSame * 10);
    }
  }
}

std::string stack() {
  std::string text = "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } }\n";
  for (int i = 0; i < 3; ++i)
    text += fmt::format(
        "[[body]]\nname = \"box{}\"\nmass = {}\nshape = {{ box = [0.4, 0.3, 0.2] }}\nposition = [0, 0, {}]\n", i, 1 + i,
        0.1 + 0.2 * i);
  return text + "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = 0.6\n";
}

std::string wall() {
  std::string text = "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-plane = { normal = [0, 1] } }\n";
  for (int course = 0; course < 3; ++course)
    for (int i = 0; i < 3 - course; ++i)
      text += fmt::format("[[body]]\nname = \"b{}{}\"\nmass = 1\nshape = {{ box = [0.2, 0.1] }}\nposition = [{}, {}]\n",
                          course, i, 0.22 * (i - 0.5 * (2 - course)), 0.05 + 0.1 * course);
  return text + "[[contact]]\nbetween = [\"*\", \"*\"]\nfriction = 0.6\n";
}

TEST(StepForces, ForcesOnBodiesAtRestBalanceToRounding) {
  const std::string box =
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-space = { normal = [0, 0, 1] } }\n"
      "[[body]]\nname = \"box\"\nmass = 1\nshape = { box = [0.4, 0.2, 0.2] }\nposition = [0, 0, 0.1]\n"
      "[[contact]]\nbetween = [\"box\", \"floor\"]\nfriction = 0.5\n";
  const std::vector<std::pair<int, std::string>> scenes = {
      {3, box}, {3, table(0.1, 0.05)}, {3, table(0.3, 0.2)}, {3, stack()}, {2, wall()}};
  for (const auto& [dimension, scene] : scenes)
    for (const std::string& stepper : kSteppers)
      for (const double step : {1e-2, 1e-3, 1e-4}) {
        const Found found = run(dimension, stepper, scene, step);
        EXPECT_GT(found.balance.resting().judged, 0) << stepper << scene;
        EXPECT_LE(found.balance.resting().defect, 1e-12) << stepper << " step " << step << scene;
        EXPECT_EQ(found.balance.moving().judged, 0) << stepper << " step " << step << scene;
      }
}

TEST(StepForces, ForcesOnABodyThatSlidesAndFallsBalanceItsInertia) {
  const std::string scene =
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-plane = { normal = [0, 1] } }\n"
      "[[body]]\nname = \"box\"\nmass = 1\nshape = { box = [0.4, 0.2] }\nposition = [0, 0.1]\nvelocity = [1, 0]\n"
      "[[body]]\nname = \"stone\"\nmass = 2\nshape = { disc = 0.1 }\nposition = [3, 4]\n"
      "[[contact]]\nbetween = [\"box\", \"floor\"]\nfriction = 0.3\n";
  for (const std::string& stepper : kSteppers) {
    const Found found = run(2, stepper, scene);
    EXPECT_EQ(found.balance.moving().judged, 20) << stepper;
    EXPECT_LE(found.balance.moving().defect, 1e-12) << stepper;
  }
}

}  // namespace
}  // namespace stickslip::runs
