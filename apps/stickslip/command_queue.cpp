// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "command_queue.h"

#include <utility>

namespace stickslip::app {

void CommandQueue::post(std::function<void()> command) {
  {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
  }
  wake_.notify_all();
}

void CommandQueue::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
}

void CommandQueue::await_commands(Seconds most) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, most, [this] { return commands_.empty() && !running_; });
}

bool CommandQueue::run(const std::function<void(const std::exception&)>& failed) {
  for (;;) {
    std::function<void()> command;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return false;
      running_ = !commands_.empty();
      if (commands_.empty()) break;
      command = std::move(commands_.front());
      commands_.pop_front();
    }
    try {
      command();
    } catch (const std::exception& error) {
      failed(error);
    }
  }
  wake_.notify_all();  // for await_commands()
  return true;
}

void CommandQueue::wait(Seconds most) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, most, [this] { return stopping_ || !commands_.empty(); });
}

}  // namespace stickslip::app
