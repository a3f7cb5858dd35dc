// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which frames of a recording an animation needs: between two kept frames poses are interpolated linearly, and no point
// of a body may be drawn farther than a tolerance from where it was recorded.
#pragma once

#include "stickslip/report/run_data.h"

#include <cstddef>
#include <vector>

namespace stickslip::report {

struct Selection {
  std::vector<std::size_t> frames;  // ascending; the first and the last frame are always there
  double tolerance = 0;             // largest distance of an interpolated point from the recorded one; 0: all frames
  std::size_t bytes = 0;            // of the frames, before compression
  bool finest = true;               // more bytes would not give more frames
};

// The tolerance starts far below what a screen shows and is doubled until the kept frames fit `budget` bytes.
[[nodiscard]] Selection select_frames(const RunData& data, std::size_t budget);

// Largest rows of one frame's contacts that are shown: touching ones, and open ones closer than this part of the scene.
constexpr double kOpenReach = 0.02;
// Forces and normals are those on the body that is free to move; on the first one where both are.
[[nodiscard]] std::vector<contact::ContactResult> shown_contacts(const RunData& data, std::size_t frame);

// Whether force and normal are to be turned around for that.
[[nodiscard]] bool on_second_body(const model::Model& model, const contact::ContactResult& contact);

// Of one frame, in bytes before compression.
[[nodiscard]] std::size_t frame_bytes(std::size_t bodies, std::size_t contacts, int dimension);

}  // namespace stickslip::report
