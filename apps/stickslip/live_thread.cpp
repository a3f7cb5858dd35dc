// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "live_thread.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace stickslip::app {

LiveThread::LiveThread(std::string scene_file, std::vector<scene::Override> overrides, LiveSession::Publisher publisher)
    : file_(new LiveFile),
      session_(std::move(scene_file), std::move(overrides), std::move(publisher),
               std::unique_ptr<LiveRecording>(file_)) {}

LiveThread::~LiveThread() {
  session_.stop();
  if (thread_.joinable()) thread_.join();
}

void LiveThread::start() {
  thread_ = std::thread([this] {
    while (const std::optional<LiveSession::Pause> pause = session_.turn())
      if (pause->count() > 0) session_.wait(*pause);
    over_.set_value();
  });
}

bool LiveThread::stop_within(double seconds) {
  session_.stop();
  return !thread_.joinable() || ended_.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready;
}

// No destructor runs: the thread may be using anything.
void LiveThread::abandon(int exit_code) {
  file_->remove_files();
  std::fflush(nullptr);
  std::_Exit(exit_code);
}

}  // namespace stickslip::app
