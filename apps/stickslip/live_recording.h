// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The recording of a live run: where its frames go. In the command, a file in a folder of its own, which is removed at the
// end; one thread records, any thread may ask for the bytes.
#pragma once

#include "temporary_folder.h"

#include "stickslip/recording/recorder.h"

#include <memory>
#include <mutex>
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
