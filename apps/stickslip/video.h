// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The motion on a page as a video (WebM). Chromium draws and encodes it: it opens the page, served by this process on
// 127.0.0.1 under a token, without a window, and sends the bytes back. Every frame is drawn for its own instant, however long
// that takes; 1280 x 720 pixels (web/src/style.css), 30 frames per second.
#pragma once

#include <stdexcept>
#include <string>

namespace stickslip::app {

// One line: there is no Chromium, or it made no video.
struct VideoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// page: a run's. seconds: that the video lasts; 0: as the page plays it. Returns the bytes of the file. Throws VideoError.
[[nodiscard]] std::string film(const std::string& page, double seconds);

}  // namespace stickslip::app
