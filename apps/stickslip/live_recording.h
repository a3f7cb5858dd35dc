// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The recording of a live run: a file in a folder of its own, which is removed at the end. One thread records, any thread
// may ask for the bytes of the file.
#pragma once

#include "temporary_folder.h"

#include "stickslip/recording/recorder.h"

#include <memory>
#include <mutex>
#include <string>

namespace stickslip::app {

class LiveRecording {
 public:
  // In place of the one before.
  void start(const recording::RecordingInfo& info, const recording::Frame& first);
  // False at the first frame for which there is no room: what lies on disk and is exported at once has an end.
  bool append(const recording::Frame& frame);

  [[nodiscard]] std::string bytes();
  // Whatever another thread does with the file: for the end of the process.
  void remove_files();

 private:
  TemporaryFolder folder_;
  std::mutex mutex_;  // held for every call of the recorder, never during a step
  std::unique_ptr<recording::Recorder> recorder_;
  std::size_t recorded_ = 0;
};

}  // namespace stickslip::app
