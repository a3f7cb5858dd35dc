// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "live_file.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace stickslip::app {
namespace {

constexpr std::size_t kMostBytes = 500'000'000, kFrameBytes = 600, kBodyBytes = 140;  // of a recording; estimates
constexpr const char* kFile = "live.h5";

}  // namespace

void LiveFile::remove_files() {
  folder_.remove();
}

void LiveFile::start(const recording::RecordingInfo& info, const recording::Frame& first) {
  const std::lock_guard lock(mutex_);
  recorder_.reset();
  recorder_ = std::make_unique<recording::Recorder>((folder_.path() / kFile).string(), info);
  recorder_->append(first);
  recorded_ = 1;
}

bool LiveFile::append(const recording::Frame& frame) {
  const std::size_t most = kMostBytes / (kFrameBytes + kBodyBytes * frame.state.bodies.size());
  const std::size_t before = recorded_++;
  if (before < most) {
    const std::lock_guard lock(mutex_);
    recorder_->append(frame);
  }
  return before != most;
}

std::string LiveFile::bytes() {
  const std::lock_guard lock(mutex_);
  recorder_->flush();
  std::ostringstream content;
  content << std::ifstream(folder_.path() / kFile, std::ios::binary).rdbuf();
  return content.str();
}

}  // namespace stickslip::app
