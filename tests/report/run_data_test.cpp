// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/run_data.h"

#include "stickslip/report/bands.h"
#include "tests/report/recorded_run.h"

#include <gtest/gtest.h>

namespace stickslip::report {
namespace {

using contact::Mode;
using testing::disc_over_floor;
using testing::RecordedRun;

contact::ContactResult disc_on_floor(Mode mode) {
  contact::ContactResult c;
  c.contact.id.body_a = 0;
  c.contact.id.body_b = 1;
  c.contact.normal = Vec3::UnitY();
  c.mode = mode;
  c.force = mode == Mode::Open ? Vec3::Zero() : Vec3(3, 20, 0);
  return c;
}

TEST(RunData, EnergyOfAFallingSpinningDiscIsConstant) {
  const RecordedRun run(disc_over_floor(), 100, 0.01, [](int frame, model::State& state, auto&) {
    const double t = state.time;
    state.bodies[0].pose.position = Vec3(3 * t, 9 - 5 * t * t, 0);
    state.bodies[0].velocity.linear = Vec3(3, -10 * t, 0);
    state.bodies[0].velocity.angular = Vec3(0, 0, 4);
    state.bodies[0].angle = 4 * t;
    ASSERT_GE(frame, 0);
  });
  const RunData data = prepare(run.recording());
  const auto plot =
      std::find_if(data.plots.begin(), data.plots.end(), [](const Plot& p) { return p.title == "energy"; });
  ASSERT_NE(plot, data.plots.end());
  // m v^2 / 2 + I w^2 / 2 at the start: 2 * 9 / 2 + 16 / 2.
  for (const double total : plot->curves.at(2).values) EXPECT_NEAR(total, 17, 1e-12 * 100);
  EXPECT_NEAR(plot->curves.at(0).values.back() - 17, 2 * 10 * 5 * 0.99 * 0.99, 1e-10);
  EXPECT_EQ(data.worst_time, 0.99) << "residuals were made to grow";
  EXPECT_NEAR(data.bounds.high.x(), 3 * 0.99 + 1, 1e-12) << "the half-plane has no bounds, the disc a radius of 1";
}

TEST(Units, FollowFromThoseOfParametersAndObservables) {
  const auto units = [](std::vector<std::string> names) {
    recording::RunDescription run;
    for (const std::string& name : names) run.observables.push_back({"x", name, "", 0});
    return units_of(run);
  };
  const Units si = units({"m", "m/s^2"});
  EXPECT_EQ(si.time, "s");
  EXPECT_EQ(si.force, "N");
  EXPECT_EQ(si.energy, "J");
  const Units small = units({"cm", "cm/s", "kg"});
  EXPECT_EQ(small.length, "cm");
  EXPECT_EQ(small.force, "") << "kg cm/s^2 has no name";
  EXPECT_EQ(units({"Hz"}).time, "s");
  EXPECT_EQ(units({"m", "ms", "mN"}).force, "mN");
  EXPECT_EQ(units({"", "rad"}).time, "");
}

TEST(RunData, BandsTakeTheirTimesFromEvents) {
  // Touches first in frame 3, slides until an event at 0.0567, then sticks.
  const auto fill = [](int frame, model::State& state, std::vector<contact::ContactResult>& contacts) {
    state.bodies[0].pose.position.y() = 1;
    contacts.push_back(disc_on_floor(frame < 3 ? Mode::Open : frame <= 5 ? Mode::Slide : Mode::Stick));
  };
  const RecordedRun run(disc_over_floor(), 11, 0.01, fill, {{0.0567, 0, 1, Mode::Slide, Mode::Stick}});
  const RunData data = prepare(run.recording());
  ASSERT_EQ(data.pairs.size(), 1U);
  const PairBands& pair = data.pairs[0];
  ASSERT_EQ(pair.bands.size(), 2U);
  EXPECT_EQ(pair.friction, 0.5);
  EXPECT_EQ(pair.bands[0].mode, Mode::Slide);
  EXPECT_DOUBLE_EQ(pair.bands[0].begin, 0.03);
  EXPECT_DOUBLE_EQ(pair.bands[0].end, 0.0567);
  EXPECT_EQ(pair.bands[1].mode, Mode::Stick);
  EXPECT_DOUBLE_EQ(pair.bands[1].end, 0.1);
  EXPECT_DOUBLE_EQ(pair.bands[1].begin, 0.0567);
  const auto friction =
      std::find_if(data.plots.begin(), data.plots.end(), [](const Plot& p) { return p.title == "friction force"; });
  ASSERT_NE(friction, data.plots.end());
  EXPECT_DOUBLE_EQ(friction->curves.at(0).values.at(7), 3);
}

TEST(RunData, ABandOfBodiesThatMeetBetweenTwoFramesIsNotStretchedToTheStart) {
  // They meet and part between frames 5 and 6; no frame shows them touching.
  const auto fill = [](int, model::State& state, std::vector<contact::ContactResult>& contacts) {
    state.bodies[0].pose.position.y() = 1;
    contacts.push_back(disc_on_floor(Mode::Open));
  };
  const RecordedRun run(disc_over_floor(), 11, 0.01, fill, {{0.0567, 0, 1, Mode::Stick, Mode::Open}});
  const RunData data = prepare(run.recording());
  ASSERT_EQ(data.pairs.size(), 1U);
  const PairBands& pair = data.pairs[0];
  EXPECT_DOUBLE_EQ(pair.bands[0].begin, 0.05);
  EXPECT_DOUBLE_EQ(pair.bands[0].end, 0.0567);
  ASSERT_EQ(pair.touches.size(), 1U);
  EXPECT_DOUBLE_EQ(pair.touches[0], 0.05);
}

}  // namespace
}  // namespace stickslip::report
