// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/still.h"

#include "stickslip/model/primitives.h"
#include "stickslip/report/outlines.h"
#include "tests/report/recorded_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace stickslip::report {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Volume by the divergence theorem: right only when the faces close and point outward.
double volume(const std::vector<std::vector<Vec3>>& list) {
  double sum = 0;
  for (const auto& face : list)
    for (std::size_t k = 1; k + 1 < face.size(); ++k) sum += face[0].dot(face[k].cross(face[k + 1])) / 6;
  return sum;
}

TEST(Outlines, FacesEncloseTheVolumeOfTheSolid) {
  constexpr double pi = std::numbers::pi;
  EXPECT_NEAR(volume(faces(model::make_box(Vec3(1, 2, 3)))), 6, 1e-12);
  // Round solids are polyhedra inside: a few percent less.
  const auto near = [](double value, double exact) { EXPECT_NEAR(value / exact, 0.98, 0.02); };
  near(volume(faces(model::Sphere{2})), 4.0 / 3 * pi * 8);
  near(volume(faces(model::Cylinder{0.5, 2})), pi * 0.25 * 4);
  near(volume(faces(model::Capsule{0.5, 2})), pi * 0.25 * 4 + 4.0 / 3 * pi * 0.125);
  near(volume(faces(model::Superellipsoid{1, 2, 3, 2, 2})), 4.0 / 3 * pi * 6);
}

TEST(Still, SvgAndPngOfAPlanarRun) {
  const testing::RecordedRun run(testing::disc_over_floor(), 20, 0.1, [](int frame, model::State& state, auto&) {
    state.bodies[0].pose.position = Vec3(frame, 1, 0);
  });
  const RunData data = prepare(run.recording());
  const std::string svg = draw_still(data, Painter::Format::Svg);
  EXPECT_THAT(svg, HasSubstr("<svg"));
  EXPECT_THAT(svg, HasSubstr("</svg>"));
  const std::string png = draw_still(data, Painter::Format::Png, {{0.5}, 1, false, 400});
  EXPECT_THAT(png, StartsWith("\x89PNG"));
  const std::string wider = draw_still(data, Painter::Format::Png, {{0.5}, 1, false, 800});
  // Width in pixels: bytes 16 to 19, big-endian; two pixels per point.
  const auto width = [](const std::string& bytes) {
    unsigned value = 0;
    for (std::size_t k = 16; k < 20; ++k) value = value << 8 | static_cast<unsigned char>(bytes[k]);
    return value;
  };
  EXPECT_EQ(width(png), 800U);
  EXPECT_EQ(width(wider), 1600U);
}

TEST(Still, HeadSaysHowTheRunEnded) {
  const auto stay = [](int, model::State& state, auto&) { state.bodies[0].pose.position.y() = 1; };
  const testing::RecordedRun finished(testing::disc_over_floor(), 3, 0.1, stay, {}, "finished");
  const testing::RecordedRun failed(testing::disc_over_floor(), 3, 0.1, stay, {}, "failed at t = 0.2: no solution");
  const testing::RecordedRun killed(testing::disc_over_floor(), 3, 0.1, stay, {}, "");
  EXPECT_EQ(end_text(finished.recording()), "run finished");
  EXPECT_EQ(end_text(failed.recording()), "run failed at t = 0.2: no solution");
  EXPECT_EQ(end_text(killed.recording()), "end unknown");
  const auto picture = [](const testing::RecordedRun& run) {
    return draw_still(prepare(run.recording()), Painter::Format::Svg, {{0.1}, 1, false, 400});
  };
  // Text is drawn as outlines: what can be seen is the colour of the failure.
  const char* red = "rgb(70.196";
  EXPECT_THAT(picture(failed), HasSubstr(red));
  EXPECT_THAT(picture(finished), ::testing::Not(HasSubstr(red)));
}

}  // namespace
}  // namespace stickslip::report
