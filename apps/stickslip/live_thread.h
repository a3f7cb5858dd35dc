// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A live session on a thread of its own. The end of the process does not depend on the end of a step.
#pragma once

#include "live_file.h"
#include "live_session.h"

#include <future>
#include <thread>

namespace stickslip::app {

class LiveThread {
 public:
  // Throws as LiveSession does. start() begins with the turns.
  LiveThread(std::string scene_file, std::vector<scene::Override> overrides, LiveSession::Publisher publisher);
  ~LiveThread();
  LiveThread(const LiveThread&) = delete;
  LiveThread& operator=(const LiveThread&) = delete;

  [[nodiscard]] LiveSession& session() { return session_; }
  void start();
  // Asks the session to end and waits for it. False when it is still in a step after `seconds`: then the process can only
  // be left with abandon().
  [[nodiscard]] bool stop_within(double seconds);
  // Removes the files of the session and ends the process with this code, whatever the session does.
  [[noreturn]] void abandon(int exit_code);

 private:
  LiveFile* file_;  // of the session
  LiveSession session_;
  std::promise<void> over_;
  std::future<void> ended_ = over_.get_future();
  std::thread thread_;
};

}  // namespace stickslip::app
