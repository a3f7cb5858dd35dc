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
  double tolerance = 0;             // no point is drawn farther than this from where it was recorded; 0: all frames
  std::size_t contact_stride = 1;   // every so many kept frames, and the last, have contacts
  std::size_t bytes = 0;            // of the frames on the page, estimated
  bool finest = true;               // more bytes would not give more frames
};

// The tolerance starts far below what a screen shows and grows until the kept frames fit `budget` bytes.
[[nodiscard]] Selection select_frames(const RunData& data, std::size_t budget);

// Largest rows of one frame's contacts that are shown: touching ones, and open ones closer than this part of the scene.
constexpr double kOpenReach = 0.02;
// Forces and normals are those on the body that is free to move; on the first one where both are.
[[nodiscard]] std::vector<contact::ContactResult> shown_contacts(const RunData& data, std::size_t frame);

// Whether a page of so many bodies also has their velocities; with more it tells mean ones between kept frames.
[[nodiscard]] bool has_velocities(std::size_t bodies);

// What one frame takes on the page, compressed and written in base64: estimates from the pages of the examples.
[[nodiscard]] std::size_t pose_bytes(std::size_t bodies, int dimension);
[[nodiscard]] std::size_t contact_bytes(std::size_t contacts);

}  // namespace stickslip::report
