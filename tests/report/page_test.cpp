// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "stickslip/report/page.h"

#include "stickslip/report/frame_selection.h"
#include "stickslip/report/page_data.h"
#include "tests/report/recorded_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stickslip::report {
namespace {

using testing::disc_over_floor;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RecordedRun;

// The disc swings in x, y and angle; it bounces off corners of its path now and then.
void swing(int frame, model::State& state, std::vector<contact::ContactResult>& contacts) {
  const double t = state.time;
  state.bodies[0].pose.position = Vec3(5 * std::sin(3 * t), std::abs(std::sin(7 * t)), 0);
  state.bodies[0].angle = 20 * std::sin(t);
  contact::ContactResult c;
  c.contact.id.body_a = 0;
  c.contact.id.body_b = 1;
  c.mode = frame % 500 < 250 ? contact::Mode::Stick : contact::Mode::Slide;
  contacts.push_back(c);
}

TEST(FrameSelection, InterpolationStaysWithinItsTolerance) {
  const RecordedRun run(disc_over_floor(), 5000, 1e-3, swing);
  const RunData data = prepare(run.recording());
  const Selection selection = select_frames(data, 1'000'000);
  ASSERT_LT(selection.frames.size(), 2500U) << "nothing was left out";
  EXPECT_EQ(selection.frames.front(), 0U);
  EXPECT_EQ(selection.frames.back(), 4999U);
  EXPECT_LE(selection.tolerance, data.bounds.size() / 4000 * 1.0001);
  for (std::size_t k = 0; k + 1 < selection.frames.size(); ++k) {
    const std::size_t from = selection.frames[k], to = selection.frames[k + 1];
    const model::BodyState a = run.recording().state(from).bodies[0], b = run.recording().state(to).bodies[0];
    for (std::size_t frame = from; frame <= to; ++frame) {
      const double s = static_cast<double>(frame - from) / static_cast<double>(to - from);
      const model::BodyState c = run.recording().state(frame).bodies[0];
      const Vec3 off = a.pose.position + s * (b.pose.position - a.pose.position) - c.pose.position;
      // Of any point of the disc, whose radius is 1.
      const double turned = std::abs(a.angle + s * (b.angle - a.angle) - c.angle);
      ASSERT_LE(off.norm() + turned, selection.tolerance * (1 + 1e-9)) << "frame " << frame;
    }
  }
  // Both sides of every change of mode are there.
  for (std::size_t change = 250; change < 5000; change += 250) {
    EXPECT_TRUE(std::binary_search(selection.frames.begin(), selection.frames.end(), change)) << change;
    EXPECT_TRUE(std::binary_search(selection.frames.begin(), selection.frames.end(), change - 1)) << change;
  }
}

TEST(FrameSelection, ASmallBudgetIsKept) {
  const RecordedRun run(disc_over_floor(), 5000, 1e-3, swing);
  const RunData data = prepare(run.recording());
  for (const std::size_t budget : {4'000U, 20'000U}) {
    const Selection selection = select_frames(data, budget);
    std::size_t rows = 0;
    for (const std::size_t frame : selection.frames) rows += shown_contacts(data, frame).size();
    EXPECT_LE(pose_bytes(2, 2) * selection.frames.size() + contact_bytes(rows) / selection.contact_stride, budget);
    EXPECT_FALSE(selection.finest);
    EXPECT_EQ(selection.frames.back(), 4999U);
  }
}

// The disc rolls with a constant speed of its mark: whatever frames are kept, the mark stays below the disc.
TEST(FrameSelection, MarksBetweenKeptFramesStayOnTheirBodies) {
  const RecordedRun run(disc_over_floor(), 2000, 1e-3, [](int, model::State& state, auto& contacts) {
    const double x = 3 * std::sin(2 * state.time);
    state.bodies[0].pose.position = Vec3(x, 1, 0);
    state.bodies[0].angle = -x;
    contact::ContactResult c;
    c.mode = contact::Mode::Roll;
    c.contact.id.body_a = 0;
    c.contact.id.body_b = 1;
    c.contact.point_a = c.contact.point_b = Vec3(x, 0, 0);
    contacts.push_back(c);
  });
  const RunData data = prepare(run.recording());
  const Selection selection = select_frames(data, 1'000'000);
  ASSERT_LT(selection.frames.size(), 500U);
  const auto point = [&](std::size_t frame) { return run.recording().contacts(frame)[0].contact.point_a.x(); };
  for (std::size_t k = 0; k + 1 < selection.frames.size(); ++k) {
    const std::size_t from = selection.frames[k], to = selection.frames[k + 1];
    for (std::size_t frame = from; frame <= to; ++frame) {
      const double s = static_cast<double>(frame - from) / static_cast<double>(to - from);
      ASSERT_NEAR((1 - s) * point(from) + s * point(to), point(frame), selection.tolerance) << "frame " << frame;
    }
  }
}

TEST(PlotSamples, KeepTheExtremesOfEveryStretch) {
  std::mt19937 random(1);
  std::vector<double> values(50'000);
  for (double& x : values) x = std::uniform_real_distribution<>(0, 1)(random);
  values[12'345] = 9;
  values[43'210] = -9;
  const std::vector<std::size_t> kept = plot_samples({{"x", values}}, values.size(), 800);
  EXPECT_LE(kept.size(), 1602U);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_THAT(kept, ::testing::AllOf(::testing::Contains(0U), ::testing::Contains(49'999U),
                                     ::testing::Contains(12'345U), ::testing::Contains(43'210U)));
}

TEST(Page, TheViewerIsEmbeddedAndDataCannotEndItsElement) {
  EXPECT_GT(viewer().size(), 100'000U);
  EXPECT_THAT(std::string(viewer()), HasSubstr("stickslip-data"));
  recording::RunDescription description = disc_over_floor();
  description.title = "</script><script>alert(1)</script>";
  const RecordedRun run(description, 3, 0.1, swing);
  const RunData data = prepare(run.recording());
  const std::string page = runs_page({{"", &data}});
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script>"));
}

TEST(Page, SaysHowTheRunEnded) {
  for (const char* end : {"finished", "failed at t = 0.484: a step could not be certified", ""}) {
    const RecordedRun run(disc_over_floor(), 3, 0.1, swing, {}, end);
    const RunData data = prepare(run.recording());
    EXPECT_THAT(runs_page({{"", &data}}), HasSubstr("\"end\":\"" + std::string(end) + "\""));
  }
}

TEST(Packing, Base64OfKnownTexts) {
  EXPECT_EQ(base64(""), "");  // RFC 4648, section 10
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

// What the page's script element holds.
nlohmann::json data_of(const std::string& page) {
  const std::string opening = R"(id="stickslip-data">)";
  const std::size_t begin = page.find(opening) + opening.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Page, ShortRunsLeaveTheirRoomToLongOnes) {
  const RecordedRun quick(disc_over_floor(), 20, 1e-3, swing), lasting(disc_over_floor(), 5000, 1e-3, swing);
  const RunData a = prepare(quick.recording()), b = prepare(lasting.recording());
  const std::size_t budget = 24'000;  // far less than the long run would take
  const Selection half = select_frames(b, budget / 2);
  ASSERT_FALSE(half.finest);
  const nlohmann::json runs = data_of(runs_page({{"short", &a}, {"long", &b}}, budget))["runs"];
  EXPECT_EQ(runs[0]["frames"]["time"][2], 20);
  EXPECT_GT(runs[1]["frames"]["time"][2], half.frames.size());
}

TEST(Page, ForcesAreThoseOnTheBodyThatIsFreeToMove) {
  const RecordedRun run(disc_over_floor(), 3, 1e-3, [](int, model::State&, auto& contacts) {
    contact::ContactResult c;  // the floor is body 1, and fixed
    c.mode = contact::Mode::Stick;
    c.contact.id.body_a = 1;
    c.contact.id.body_b = 0;
    c.contact.normal = -Vec3::UnitY();
    c.force = Vec3(1, -20, 0);
    contacts.push_back(c);
    std::swap(c.contact.id.body_a, c.contact.id.body_b);
    c.contact.normal = Vec3::UnitY();
    c.force = Vec3(-1, 20, 0);
    contacts.push_back(c);
  });
  const RunData data = prepare(run.recording());
  for (const contact::ContactResult& c : shown_contacts(data, 1)) {
    EXPECT_EQ(c.force, Vec3(-1, 20, 0));
    EXPECT_EQ(c.contact.normal, Vec3(Vec3::UnitY()));
  }
}

}  // namespace
}  // namespace stickslip::report
