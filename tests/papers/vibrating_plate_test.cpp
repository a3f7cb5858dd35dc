// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Paper 000, particles on vibrating plates, against event-driven solutions of order 8 (errors below 5e-6 cm, R3) and
// the planar plate (R2, below 1e-9 cm). Each test prints the error at two steps and the order between them.
#include "tests/support/mechanics.h"
#include "tests/support/running.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace stickslip::testing {
namespace {

constexpr double kPi = std::numbers::pi;
const PlateMotion kCircle{{0, 0, 800, 0, 0, 100}, {0, 0, 1.5 * kPi, 0, 0, 0}};
const PlateMotion kCircle5{{0, 0, 800, 0, 0, 500}, {0, 0, 1.5 * kPi, 0, 0, 0}};
const PlateMotion kSeparating{{0, 0, 1633.05, 0, 0, 40.7791}, {0, 0, 6.91229, 0, 0, 0}};
const PlateMotion kKeeping{{0, 0, 981.585, 0, 0, 62.913}, {0, 0, 6.33218, 0, 0, 0}};
const PlateMotion kSaddle{{388.479, -431.188, 0, 155.816, 204.171, 0}, {-1.08465, -2.0938, 0, 0.430032, 5.77261, 0}};
// Start of the saddle's orientation, so that its angles swing symmetrically (appendix A).
const Quat kSaddleStart(0.9999990413739392, -0.0007554613419899162, 0.0011603498048259042, 1.0848679926155844e-05);

struct Case {
  const char* name;
  PlateMotion motion;
  double x, y, end_x, end_y, allowed;
  Quat start = Quat::Identity();
};

double error_of(const Case& c, const char* stepper, double h) {
  Experiment run(plate_particle(c.motion, c.x, c.y, 0.3, c.start), method(stepper, h));
  EXPECT_TRUE(run.simulation.run_until(6)) << c.name;
  const Vec3 p = in_plate_frame(run.simulation.state());
  return std::hypot(p.x() - c.end_x, p.y() - c.end_y);
}

void expect_second_order(const Case& c) {
  const double coarse = error_of(c, kSecondOrder, 1e-3), fine = error_of(c, kSecondOrder, 1e-4);
  std::printf("%-22s error %.2e cm at h = 1e-3, %.2e at 1e-4, order %.2f\n", c.name, coarse, fine,
              std::log10(coarse / fine));
  EXPECT_LE(fine, c.allowed) << c.name;
}

TEST(VibratingPlate, Circle) {
  for (const Case& c : {Case{"circle (4,0)", kCircle, 4, 0, 3.943753179, 0.677038439, 1e-4},
                        Case{"circle (6,0)", kCircle, 6, 0, 5.27059811, 2.86928588, 1e-4},
                        Case{"circle (-3,5)", kCircle, -3, 5, -4.94390230, 3.09342440, 1e-4},
                        Case{"circle (2,-4)", kCircle, 2, -4, 2.91555167, -3.39282514, 1e-4}})
    expect_second_order(c);
}

TEST(VibratingPlate, CircleFiveTimesFaster) {
  for (const Case& c : {Case{"circle x5 (4,0)", kCircle5, 4, 0, 0.520754451, 4.329112771, 2e-3},
                        Case{"circle x5 (6,0)", kCircle5, 6, 0, -1.86048262, 6.50626793, 2e-3},
                        Case{"circle x5 (2,-4)", kCircle5, 2, -4, 4.31635488, 2.35265924, 2e-3}})
    expect_second_order(c);
}

TEST(VibratingPlate, LearnedCircles) {
  for (const Case& c : {Case{"separating (4,0)", kSeparating, 4, 0, 2.50591531, 3.12504523, 2e-4},
                        Case{"separating (6,0)", kSeparating, 6, 0, 3.75884075, 4.68759844, 2e-4},
                        Case{"separating (-3,5)", kSeparating, -3, 5, -5.78575169, 0.78857124, 2e-4},
                        Case{"no separation (4,0)", kKeeping, 4, 0, 3.13892331, 2.48265842, 2e-4}})
    expect_second_order(c);
}

TEST(VibratingPlate, LearnedSaddle) {
  for (const Case& c : {Case{"saddle (4,0)", kSaddle, 4, 0, 1.44496802, -1.42895692, 1e-3, kSaddleStart},
                        Case{"saddle (2,-4)", kSaddle, 2, -4, 1.31305301, -11.50075220, 1e-3, kSaddleStart}})
    expect_second_order(c);
}

TEST(VibratingPlate, FirstOrderConvergesToTheSameEnd) {
  const Case c{"circle (4,0)", kCircle, 4, 0, 3.943753179, 0.677038439, 0};
  const double coarse = error_of(c, kFirstOrder, 1e-3), fine = error_of(c, kFirstOrder, 1e-4);
  EXPECT_LT(coarse, 0.6);
  EXPECT_LT(fine, 0.055);
}

TEST(RockingPlate, ParticleDriftsToTheMiddle) {
  for (const auto& [depth, end, allowed] : {std::tuple{5.0, 0.0053883196, 1e-6}, std::tuple{1.0, 2.30171283, 1e-5}}) {
    double error[2];
    const double steps[2] = {1e-3, 1e-4};
    for (int k = 0; k < 2; ++k) {
      Experiment run(plate_2d(depth, 4), method(kSecondOrder, steps[k]));
      ASSERT_TRUE(run.simulation.run_until(9.99));
      error[k] = std::fabs(along_plate(run.simulation.state()) - end);
    }
    std::printf("plate 2d, depth %g cm   error %.2e cm at h = 1e-3, %.2e at 1e-4, order %.2f\n", depth, error[0],
                error[1], std::log10(error[0] / error[1]));
    EXPECT_LE(error[1], allowed);
  }
}

// v_ss = b r + c r^3 (closed form of the leading-order slip cycle) against the mean velocity over a period.
TEST(RockingPlate, MeanVelocityFollowsTheCubic) {
  const double b = -0.585861663550, c = -7.29e-4, period = 0.03;
  Experiment run(plate_2d(5, 4), method(kSecondOrder, 1e-4));
  ASSERT_TRUE(run.simulation.run_until(1.02 - period));
  const double before = along_plate(run.simulation.state());
  double mean = 0;
  int count = 0;
  ASSERT_TRUE(run.simulation.run_until(1.02, [&](const simulation::Simulation& now) {
    mean += along_plate(now.state());
    ++count;
    return true;
  }));
  const double v = (along_plate(run.simulation.state()) - before) / period, r = mean / count;
  EXPECT_NEAR(v, -1.33971152, 1e-4);                  // the event-driven solution with all terms
  EXPECT_NEAR(v / (b * r + c * r * r * r), 1, 0.02);  // the cubic leaves out terms of 1.4 %
}

}  // namespace
}  // namespace stickslip::testing
