// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#pragma once

#include "live_recording.h"
#include "temporary_folder.h"

#include "stickslip/recording/recorder.h"

#include <memory>
#include <mutex>
#include <string>

namespace stickslip::app {

class LiveFile : public LiveRecording {
 public:
  void start(const recording::RecordingInfo& info, const recording::Frame& first) override;
  bool append(const recording::Frame& frame) override;
  [[nodiscard]] std::string bytes() override;
  // Whatever another thread does with the file: for the end of the process.
  void remove_files();

 private:
  TemporaryFolder folder_;
  std::mutex mutex_;  // held for every call of the recorder, never during a step
  std::unique_ptr<recording::Recorder> recorder_;
  std::size_t recorded_ = 0;
};

}  // namespace stickslip::app
