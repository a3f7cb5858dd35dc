// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/model/svg_path.h"

#include "stickslip/model/mass_properties.h"
#include "stickslip/model/polygon_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

namespace stickslip::model {
namespace {

using ::testing::HasSubstr;
constexpr double kPi = std::numbers::pi;

std::string message_of(std::string_view d, double tolerance = 1e-3) {
  try {
    (void)parse_svg_path(d, tolerance);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "no error";
}

double area(std::string_view d, double tolerance = 1e-5) {
  return mass_properties(parse_svg_path(d, tolerance), 1).mass;
}

TEST(SvgPath, LinesAbsoluteAndRelative) {
  EXPECT_DOUBLE_EQ(area("M0 0 L2 0 L2 1 L0 1 Z"), 2);
  EXPECT_DOUBLE_EQ(area("m1,1 2,0 0,1 -2,0z"), 2);
  EXPECT_DOUBLE_EQ(area("M0 0H2V1H0Z"), 2);
  EXPECT_DOUBLE_EQ(area("M0 0h2v1h-2"), 2) << "closed without Z, as for filling";
  EXPECT_DOUBLE_EQ(area("M0-0L2-.0e0L2,1e0,0 1z"), 2) << "numbers without separators";
}

// Two half circles: chords within the tolerance of radius 1 lose less area than 2 pi times it.
TEST(SvgPath, ArcsMakeACircle) {
  for (double tolerance : {1e-2, 1e-4, 1e-6}) {
    EXPECT_NEAR(area("M-1 0A1 1 0 0 1 1 0A1 1 0 0 1-1 0Z", tolerance), kPi, 2 * kPi * tolerance);
    const Polygon circle = parse_svg_path("M-1 0A1 1 0 011 0 1 1 0 01-1 0z", tolerance);  // flags run together
    for (const Vec2& v : circle.loops[0]) EXPECT_NEAR(v.norm(), 1, 1e-12);
  }
  // A turned ellipse; the large arc and the small one.
  EXPECT_NEAR(area("M2 0A2 1 0 1 0 0 1A2 1 0 0 0 2 0Z", 1e-6), 2 * kPi, 2e-5);
  EXPECT_NEAR(area("M0 0A1 1 0 0 1 1 1L0 1Z", 1e-7), kPi / 4, 1e-5) << "quarter disc about (0, 1)";
  EXPECT_NEAR(area("M0 0A1 1 0 0 0 1 1L0 1Z", 1e-7), 1 - kPi / 4, 1e-5)
      << "what the quarter disc about (1, 0) leaves of the square above";
  EXPECT_NEAR(area("M-2 0A1 1 45 0 1 2 0Z", 1e-6), 2 * kPi, 2e-5) << "too small radii grow";
}

// The area under a Bezier curve has a closed form.
TEST(SvgPath, BezierCurves) {
  // Quadratic hump (0,0), (1,2), (2,0): area 2/3 * base * (control height / 2) = 4/3.
  EXPECT_NEAR(area("M0 0Q1 2 2 0Z"), 4.0 / 3, 4e-5);
  EXPECT_NEAR(area("M0 0q1 2 2 0t2 0L4-1L0-1Z"), 4.0 / 3 - 4.0 / 3 + 4, 1e-4) << "T mirrors the hump";
  // Cubic hump (0,0), (0,1), (1,1), (1,0): area 3/5.
  EXPECT_NEAR(area("M0 0C0 1 1 1 1 0Z"), 0.6, 2e-5);
  EXPECT_NEAR(area("M0 0c0 1 1 1 1 0s1-1 1 0L2-2L0-2Z"), 0.6 - 0.6 + 4, 1e-4) << "S mirrors the hump";
}

TEST(SvgPath, HolesAreOrientedByNesting) {
  const Polygon frame = parse_svg_path("M0 0H4V4H0Z M1 1H3V3H1Z", 1e-3);
  ASSERT_EQ(frame.loops.size(), 2u);
  EXPECT_EQ(polygon_problem(frame), "");
  EXPECT_NEAR(mass_properties(frame, 1).mass, 12, 1e-12);
  EXPECT_DOUBLE_EQ(area("M0 0h1v1h-1zm2 0h1v1h-1z"), 2) << "m after z starts from the closed subpath's beginning";
}

TEST(SvgPath, SaysWhatIsWrong) {
  EXPECT_THAT(message_of("L1 1"), HasSubstr("must begin with M"));
  EXPECT_THAT(message_of("M0 0L1 0X"), HasSubstr("character 9: unknown command"));
  EXPECT_THAT(message_of("M0 0L1"), HasSubstr("expected a number"));
  EXPECT_THAT(message_of("M0 0 L2 2 L2 0 L0 2Z"), HasSubstr("crosses itself"));
  EXPECT_THAT(message_of("M0 0A1 1 0 2 0 1 1Z"), HasSubstr("flag"));
  EXPECT_THAT(message_of(""), HasSubstr("no vertices"));
  EXPECT_THAT(message_of("M0 0H1V1Z", 0), HasSubstr("tolerance"));
  EXPECT_THAT(message_of("M0 0H1e999V1Z"), HasSubstr("expected a number"));
  EXPECT_THAT(message_of("M0 0H1V1Z 3"), HasSubstr("found a number where a command was expected"));
}

TEST(SvgPath, DamagedPathsAreRejectedOrRead) {
  std::mt19937 random(5);
  const std::string good = "M0 0c0 1 1 1 1 0s1-1 1 0A1 1 0 0 1 2 2q1 2 2 0t2 0L0-2Zm.1 .1h.1v.1z";
  const std::string letters = "MmLlHhVvCcSsQqTtAaZz0123456789.-+e ,";
  for (int trial = 0; trial < 5000; ++trial) {
    std::string d = good;
    for (int k = 0; k < 1 + trial % 5; ++k) d[random() % d.size()] = letters[random() % letters.size()];
    (void)message_of(d, 0.01);
  }
}

}  // namespace
}  // namespace stickslip::model
