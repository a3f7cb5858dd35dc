// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Berard, Nguyen, Trinkle and Anderson 2010, section 5: particles and a tripod on vibrating plates, second order, as
// the scene files pose them. End points after 6 s of event-driven solutions (errors below 5e-6 cm); the order between
// two steps is printed.
#include "tests/support/example_run.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace stickslip::testing {
namespace {

struct End {
  const char *x0, *y0;
  double x, y;
};

void expect_ends(const char* name, const Settings& motion, double allowed, std::initializer_list<End> ends) {
  for (const End& end : ends) {
    double error[2];
    const char* steps[2] = {"1e-3", "1e-4"};
    for (int k = 0; k < 2; ++k) {
      Settings settings = with(kSecondOrder, steps[k], motion);
      settings.push_back({"x0", end.x0});
      settings.push_back({"y0", end.y0});
      const ExampleRun run("plate-particle", settings);
      error[k] = std::hypot(run["x"] - end.x, run["y"] - end.y);
    }
    std::printf("%s from (%s, %s): error %.2e cm at h = 1e-3, %.2e at 1e-4, order %.2f\n", name, end.x0, end.y0,
                error[0], error[1], std::log10(error[0] / error[1]));
    EXPECT_LE(error[1], allowed) << name << " from (" << end.x0 << ", " << end.y0 << ")";
  }
}

TEST(VibratingPlate, Circle) {
  expect_ends("circle", {{"A3", "8"}, {"A6", "100"}, {"C3", "3*pi/2"}}, 1e-4,
              {{"4", "0", 3.943753179, 0.677038439},
               {"6", "0", 5.27059811, 2.86928588},
               {"-3", "5", -4.94390230, 3.09342440},
               {"2", "-4", 2.91555167, -3.39282514}});
}

TEST(VibratingPlate, CircleFiveTimesStronger) {
  expect_ends(
      "circle x5", {{"A3", "8"}, {"A6", "500"}, {"C3", "3*pi/2"}}, 2e-3,
      {{"4", "0", 0.520754451, 4.329112771}, {"-3", "5", -4.5506511, -4.7210506}, {"2", "-4", 4.31635488, 2.35265924}});
}

TEST(VibratingPlate, LearnedCircles) {
  expect_ends("separating", {{"A3", "16.3305"}, {"A6", "40.7791"}, {"C3", "6.91229"}}, 2e-4,
              {{"4", "0", 2.50591531, 3.12504523}, {"-3", "5", -5.78575169, 0.78857124}});
  expect_ends("separating, equations", {{"A3", "15.3654"}, {"A6", "40.8332"}, {"C3", "6.5374"}}, 2e-4,
              {{"6", "0", 3.705350, 4.728102}, {"2", "-4", 4.382969, -0.914049}});
  expect_ends("no separation", {{"A3", "9.81585"}, {"A6", "62.913"}, {"C3", "6.33218"}}, 2e-4,
              {{"4", "0", 3.13892331, 2.48265842}, {"-3", "5", -5.715214, 1.179506}});
}

TEST(VibratingPlate, LearnedSaddle) {
  expect_ends("saddle",
              {{"A1", "3.88479"},
               {"A2", "-4.31188"},
               {"A3", "0"},
               {"A4", "155.816"},
               {"A5", "204.171"},
               {"A6", "0"},
               {"C1", "-1.08465"},
               {"C2", "-2.0938"},
               {"C3", "0"},
               {"C4", "0.430032"},
               {"C5", "5.77261"}},
              1e-3,
              {{"4", "0", 1.44496802, -1.42895692},
               {"-3", "5", -1.387233, 13.093567},
               {"2", "-4", 1.31305301, -11.50075220},
               {"0.5", "0.5", -0.0233324, 1.8714611}});
}

TEST(VibratingPlate, FirstOrderConvergesToTheSameEnd) {
  double error[2];
  const char* steps[2] = {"1e-3", "1e-4"};
  for (int k = 0; k < 2; ++k) {
    const ExampleRun run("plate-particle", with(kFirstOrder, steps[k]));
    error[k] = std::hypot(run["x"] - 3.943753179, run["y"] - 0.677038439);
  }
  EXPECT_LT(error[1], 0.055);
  EXPECT_NEAR(std::log10(error[0] / error[1]), 1, 0.3);
}

// No exact answer is known: both steppers and both friction laws approach one and the same motion.
TEST(Tripod, SteppersAgree) {
  const ExampleRun second("plate-tripod", with(kSecondOrder, "2e-4", {{"duration", "1"}}));
  double distance[2];
  const char* steps[2] = {"1e-3", "1e-4"};
  for (int k = 0; k < 2; ++k) {
    const ExampleRun first("plate-tripod", with(kFirstOrder, steps[k], {{"duration", "1"}}));
    distance[k] = std::hypot(first["x"] - second["x"], first["y"] - second["y"]);
  }
  EXPECT_LT(distance[1], 0.2 * distance[0]);
}

TEST(Tripod, PyramidsApproachTheConeAsDirectionsDouble) {
  const Settings shorter = {{"duration", "0.5"}};
  const ExampleRun cone("plate-tripod", with(kFirstOrder, "1e-3", shorter));
  double distance[3];
  const char* directions[3] = {"8", "32", "128"};
  for (int k = 0; k < 3; ++k) {
    Settings settings = with(kFirstOrder, "1e-3", shorter);
    settings.push_back({"method.friction", "pyramid"});
    settings.push_back({"method.directions", directions[k]});
    const ExampleRun run("plate-tripod", settings);
    distance[k] = std::hypot(run["x"] - cone["x"], run["y"] - cone["y"]);
    std::printf("tripod, %s directions: %.2e cm, %.2e rad from the cone\n", directions[k], distance[k],
                run["yaw"] - cone["yaw"]);
  }
  EXPECT_LT(distance[2], 0.3 * distance[0]);
}

}  // namespace
}  // namespace stickslip::testing
