// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Commands that any thread gives to one that works on its own, in the order in which they were given.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>

namespace stickslip::app {

class CommandQueue {
 public:
  using Seconds = std::chrono::duration<double>;

  // From any thread.
  void post(std::function<void()> command);
  void stop();  // asks the working thread to end
  // Until all commands given before have been run, `most` at the longest.
  void await_commands(Seconds most);

  // From the working thread.
  // Runs all commands; `failed` is told of what they throw. False after stop().
  [[nodiscard]] bool run(const std::function<void(const std::exception&)>& failed);
  // Until there is a command or stop() is called, `most` at the longest.
  void wait(Seconds most);

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> commands_;
  bool stopping_ = false, running_ = false;
};

}  // namespace stickslip::app
