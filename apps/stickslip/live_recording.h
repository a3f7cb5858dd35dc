// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The recording of a live run: where its frames go. In the command, a file in a folder of its own, which is removed at the
// end; one thread records, any thread may ask for the bytes.
#pragma once

#include "stickslip/recording/frame.h"

#include <string>

namespace stickslip::app {

class LiveRecording {
 public:
  virtual ~LiveRecording() = default;
  // In place of the one before.
  virtual void start(const recording::RecordingInfo& info, const recording::Frame& first) = 0;
  // False at the first frame for which there is no room: what is exported at once has an end.
  virtual bool append(const recording::Frame& frame) = 0;
  [[nodiscard]] virtual std::string bytes() = 0;
};

}  // namespace stickslip::app
