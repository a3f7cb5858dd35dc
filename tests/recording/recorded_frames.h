// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A made-up run for the tests of recordings: everything in frame k can be recomputed from k.
#pragma once

#include "stickslip/recording/recording.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string>

namespace stickslip::recording {

class RecordingTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() /
             ("stickslip-" + std::to_string(::getpid()) + "-" + test->name() + ".h5"))
                .string();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  static RecordingInfo info() {
    return {"title = \"two bodies\"\n", "0.1.0", "stewart-trinkle", {"part", "plate"}, {"x"}};
  }

  static void append_frame(Recorder& recorder, int k) {
    model::State state;
    state.time = 0.5 * k;
    state.bodies.resize(2);
    state.bodies[0].pose.position = Vec3(k, 2.0 * k, 1.0 / (k + 1));
    state.bodies[1].velocity.angular = Vec3(0, 0, -k);
    state.bodies[1].angle = 7.0 * k;
    std::vector<contact::ContactResult> contacts(static_cast<std::size_t>(k % 3));
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      contacts[c].contact.id = {0, 1, 0, 0, static_cast<std::int32_t>(c), k};
      contacts[c].contact.gap = 1e-3 * static_cast<double>(c);
      contacts[c].mode = contact::Mode::Slide;
      contacts[c].force = Vec3(0, k, 1);
    }
    const double x = 3.0 * k;
    recorder.append(Frame{state, contacts, std::span<const double>(&x, 1), 1e-12 * k});
  }

  // Everything that a recording says, as one text.
  static std::string everything_in(const Recording& recording) {
    std::ostringstream text;
    const RecordingInfo& info = recording.info();
    text << info.scene << info.version << info.method << info.model << info.plan << recording.end() << '\n';
    export_csv(recording, text);
    for (std::size_t frame = 0; frame < recording.frames(); ++frame)
      for (const contact::ContactResult& c : recording.contacts(frame))
        text << fmt::format("{} {} {} {} {} {} {} {} {} {}\n", frame, c.contact.id.body_a, c.contact.id.body_b,
                            c.contact.id.feature_b, static_cast<int>(c.mode), c.contact.gap, c.force[1],
                            c.contact.normal[0], c.contact.point_a[2], c.relative_velocity[0]);
    for (const double residual : recording.residual()) text << fmt::format("{}\n", residual);
    for (const ModeChange& event : recording.events())
      text << fmt::format("{} {} {}\n", event.time, event.body_a, static_cast<int>(event.to));
    return text.str();
  }

  std::string path_;
};

}  // namespace stickslip::recording
