// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Derivatives of runs against closed forms.
#include "stickslip/study/observable_derivatives.h"
#include "tests/support/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace stickslip::study {
namespace {

scene::Document example(const std::string& name) {
  return scene::read_document(std::filesystem::path(tests::kSourceFolder) / "examples" / name / "scene.toml");
}

// Steps that are differentiated, for differences as well.
const scene::Override kFirstOrder{"method.stepper", "stewart-trinkle"};

// A ball that slides all the time: x(T) = vx T - mu g cos(slip) T^2 / 2, with the constant direction of the slip
// (vx - r wy, vy + r wx) = (2, 2.5). The first-order stepper adds terms of order h mu g T: 1e-3 * 2 * 0.3.
TEST(Sensitivity, SlidingBallAgreesWithItsClosedForm) {
  const std::vector<scene::Override> set{{"duration", "0.3"}};
  const Sensitivities s =
      sensitivities(example("ball"), set, {"vx", "mu", "wz"}, {1e-4, 2, DerivativeMethod::Differences});
  ASSERT_THAT(s.observables, testing::Contains("x"));
  const double g = 9.8, mu = 0.2, T = 0.3, sx = 2, sy = 2.5, slip = std::hypot(sx, sy);
  const double by_vx = T - mu * g * T * T / 2 * (sy * sy) / (slip * slip * slip);
  const double by_mu = -g * T * T / 2 * sx / slip;
  EXPECT_NEAR(s.at(0, 0).value, by_vx, 1e-3);
  EXPECT_NEAR(s.at(1, 0).value, by_mu, 1.1 * 1e-3 * g * T);
  EXPECT_NEAR(s.at(2, 0).value, 0, 1e-9) << "spin about the vertical does not matter";
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(s.at(i, 0).same_modes);
    EXPECT_LT(s.at(i, 0).error, 1e-8) << "smooth: the differences agree";
  }
  EXPECT_EQ(s.runs, 13);
}

// Without friction at its lower bound: d x / d mu = -g T^2 / 2 cos(slip), with terms of order h as above.
TEST(Sensitivity, AtABoundTheOtherSideIsTaken) {
  const std::vector<scene::Override> set{{"duration", "0.3"}, {"mu", "0"}, kFirstOrder};
  const Sensitivities s = sensitivities(example("ball"), set, {"mu"}, {1e-4, 1, DerivativeMethod::Differences});
  EXPECT_NEAR(s.at(0, 0).value, -9.8 * 0.3 * 0.3 / 2 * 2 / std::hypot(2, 2.5), 1.1 * 1e-3 * 9.8 * 0.3);
  EXPECT_LT(s.at(0, 0).error, 1e-8);
  const Sensitivities implicit = sensitivities(example("ball"), set, {"mu"}, {1e-4, 1, DerivativeMethod::Implicit});
  EXPECT_NEAR(implicit.at(0, 0).value, s.at(0, 0).value, 1e-7);
}

TEST(Sensitivity, ChangeOfModesIsMarked) {
  // With a step of half the friction coefficient, the ball rolls at 0.6 s on one side and still slides on the other.
  const std::vector<scene::Override> set{{"duration", "0.4"}};
  EXPECT_FALSE(
      sensitivities(example("ball"), set, {"mu"}, {0.5, 1, DerivativeMethod::Differences}).at(0, 0).same_modes);
}

TEST(Sensitivity, ImplicitDerivativesAgreeWithDifferencesAndLeaveTheRestToThem) {
  const std::vector<scene::Override> set{{"duration", "0.8"}, kFirstOrder};
  const std::vector<std::string> parameters{"vx", "vy", "wx", "wy", "mu"};
  const Sensitivities implicit = sensitivities(example("ball"), set, parameters);
  const Sensitivities differences =
      sensitivities(example("ball"), set, parameters, {1e-5, 1, DerivativeMethod::Differences});
  for (std::size_t j = 0; j < implicit.observables.size(); ++j)
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const bool of_the_end = implicit.observables[j] == "x" || implicit.observables[j] == "y";
      if (of_the_end) EXPECT_TRUE(implicit.at(i, j).implicit);
      if (of_the_end && differences.at(i, j).same_modes) {
        const double d = differences.at(i, j).value;
        EXPECT_NEAR(implicit.at(i, j).value, d, 1e-5 * std::max(1e-2, std::abs(d)));
      }
    }
}

// Observables over the whole run: means and rates over a period, sums of norms at records, the largest height. The
// particle slides all the time, so that no contact changes its mode; the differences have errors of 1e-6. (At C5 = 0
// the middle of the plate's swing, and with it everything, has a corner.)
TEST(Sensitivity, SumsAndMeansOverTheRunAreDifferentiatedImplicitly) {
  const std::vector<scene::Override> set{{"duration", "0.6"}, {"A1", "2"}, {"A5", "20"}, {"C5", "0.7"}, kFirstOrder};
  const std::vector<std::string> parameters{"A6", "A3", "C3", "A1", "A5", "C5", "mu", "rate"};
  const scene::Document document = example("plate-learning");
  const Sensitivities implicit = sensitivities(document, set, parameters, {1e-4, 1, DerivativeMethod::Implicit});
  const Sensitivities differences = sensitivities(document, set, parameters, {1e-6, 1, DerivativeMethod::Differences});
  for (std::size_t j = 0; j < implicit.observables.size(); ++j) {
    double largest = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      largest = std::max(largest, std::abs(differences.at(i, j).value));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_TRUE(implicit.at(i, j).implicit) << implicit.observables[j];
      EXPECT_NEAR(implicit.at(i, j).value, differences.at(i, j).value,
                  1e-5 * std::max(std::abs(differences.at(i, j).value), 1e-2 * largest) + 1e-9)
          << "d " << implicit.observables[j] << " / d " << parameters[i];
    }
  }
}

// The block of the incline slides: its normal force is m g cos(angle) whatever the friction, its friction mu times
// that.
TEST(Sensitivity, ContactForcesAreDifferentiatedImplicitly) {
  const std::string text =
      "dimension = 2\ngravity = [0, -10]\nduration = 0.2\n[parameters]\nmass = 2\nmu = 0.3\n[method]\nstep = 0.01\n"
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-plane = { normal = [0, 1] } }\n"
      "[[body]]\nname = \"block\"\nmass = \"mass\"\nshape = { box = [1, 0.2] }\nposition = [0, 0.1]\n"
      "velocity = [5, 0]\n[[contact]]\nbetween = [\"block\", \"floor\"]\nfriction = \"mu\"\n"
      "[observe]\nn = \"normal_force(block, floor)\"\nf = \"friction_force(block, floor)\"\n"
      "most = \"max_over_time(friction_force(block, floor))\"\n";
  const Sensitivities s = sensitivities(scene::parse_document(text, "force.toml"), {}, {"mass", "mu"},
                                        {1e-4, 1, DerivativeMethod::Implicit});
  EXPECT_NEAR(s.at(0, 0).value, 10, 1e-6);
  EXPECT_NEAR(s.at(1, 0).value, 0, 1e-6);
  EXPECT_NEAR(s.at(0, 1).value, 3, 1e-6);
  EXPECT_NEAR(s.at(1, 1).value, 20, 1e-6);
  EXPECT_NEAR(s.at(1, 2).value, 20, 1e-6);
}

TEST(Sensitivity, ImplicitIsRefusedWhereItHasNoEquations) {
  const std::vector<scene::Override> set{{"method.stepper", "anitescu-potra"}};
  EXPECT_THROW((void)sensitivities(example("ball"), set, {"mu"}, {1e-4, 1, DerivativeMethod::Implicit}),
               scene::SceneError);
}

// The same numbers by a parameter that sets the initial velocity, and by the initial velocity itself.
TEST(Sensitivity, InitialStateIsDifferentiatedLikeParametersThatSetIt) {
  const std::vector<scene::Override> set{{"duration", "0.3"}};
  for (const DerivativeMethod method : {DerivativeMethod::Implicit, DerivativeMethod::Differences}) {
    const Sensitivities s =
        sensitivities(example("ball"), set, {"vx", "ball.vx", "wy", "ball.wy", "ball.x", "ball.rz"}, {1e-4, 1, method});
    for (std::size_t j = 0; j < s.observables.size(); ++j) {
      if (s.observables[j] != "x" && s.observables[j] != "y") continue;
      EXPECT_NEAR(s.at(1, j).value, s.at(0, j).value, 1e-7) << s.observables[j];
      EXPECT_NEAR(s.at(3, j).value, s.at(2, j).value, 1e-7) << s.observables[j];
      EXPECT_NEAR(s.at(4, j).value, s.observables[j] == "x" ? 1 : 0, 1e-7) << "where it starts, it ends";
      EXPECT_NEAR(s.at(5, j).value, 0, 1e-7) << "a ball has no front";
    }
  }
  EXPECT_THROW((void)sensitivities(example("ball"), set, {"ball.speed"}), scene::SceneError);
  EXPECT_THROW((void)sensitivities(example("ball"), set, {"bal.vx"}), scene::SceneError);
  EXPECT_THROW((void)sensitivities(example("plate-particle"), {}, {"plate.x"}), scene::SceneError) << "prescribed";
}

// A block that friction just holds: with less it slides down, x = g (slope - mu) T^2 / 2, with more it stays.
TEST(Sensitivity, TellsLeftAndRightDerivativeAtACorner) {
  const std::string text =
      "dimension = 2\ngravity = [\"9.8 * slope\", -9.8]\nduration = 0.5\n[parameters]\nslope = 0.3\nmu = 0.3\nv = 0\n"
      "[method]\nstep = 5e-3\n"
      "[[body]]\nname = \"floor\"\nfixed = true\nshape = { half-plane = { normal = [0, 1] } }\n"
      "[[body]]\nname = \"block\"\nmass = 2\nshape = { box = [0.2, 0.1] }\nposition = [0, 0.05]\n"
      "velocity = [\"v\", 0]\n[[contact]]\nbetween = [\"block\", \"floor\"]\nfriction = \"mu\"\n"
      "[observe]\nx = \"block.x\"\n";
  const Sensitivities s = sensitivities(scene::parse_document(text, "limit.toml"), {}, {"slope", "mu"});
  const double per_slope = 0.5 * 9.8 * 0.5 * 0.5;
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_TRUE(s.at(i, 0).corner) << s.parameters[i];
    EXPECT_TRUE(std::isnan(s.at(i, 0).value)) << "no derivative";
    EXPECT_THAT(s.at(i, 0).reason, testing::HasSubstr("tie: "));
  }
  EXPECT_NEAR(s.at(0, 0).left.value, 0, 1e-9);
  EXPECT_NEAR(s.at(0, 0).right.value, per_slope, 1e-7);
  EXPECT_NEAR(s.at(1, 0).left.value, -per_slope, 1e-7);
  EXPECT_NEAR(s.at(1, 0).right.value, 0, 1e-9);
}

TEST(Sensitivity, SaysWhyADerivativeIsADifference) {
  const std::vector<scene::Override> set{{"duration", "0.1"}, {"method.stepper", "anitescu-potra"}};
  const Sensitivities s = sensitivities(example("ball"), set, {"vx"});
  EXPECT_FALSE(s.at(0, 0).implicit);
  EXPECT_THAT(s.at(0, 0).reason, testing::HasSubstr("anitescu-potra"));
}

TEST(Sensitivity, SameForEveryNumberOfThreadsAndUnknownParametersAreSaid) {
  const std::vector<scene::Override> set{{"duration", "0.1"}};
  const double one =
      sensitivities(example("ball"), set, {"vx", "mu"}, {1e-4, 1, DerivativeMethod::Differences}).at(1, 1).value;
  EXPECT_EQ(sensitivities(example("ball"), set, {"vx", "mu"}, {1e-4, 3, DerivativeMethod::Differences}).at(1, 1).value,
            one);
  EXPECT_THROW((void)sensitivities(example("ball"), set, {"nu"}), scene::SceneError);
}

}  // namespace
}  // namespace stickslip::study
