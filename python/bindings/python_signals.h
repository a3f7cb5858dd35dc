// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Ctrl-C while the interpreter lock is released: the library asks now and then whether to go on, and what Python raised
// is passed on when it has come back.
#pragma once

#include "unlocked.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>

namespace stickslip::python {

constexpr auto kPatience = std::chrono::milliseconds(50);  // between two looks for signals

class Interruption {
 public:
  // For the calling thread, the only one that sees signals, and for others that are to end with it. also: what else to
  // do then, with the lock; what it raises ends the work too.
  [[nodiscard]] std::function<bool()> asking(const std::function<void()>& also = {}) {
    return [this, also] { return ask(also); };
  }
  // For loops of one thread whose turns are shorter than the way to the lock: most calls look at the clock alone.
  [[nodiscard]] std::function<bool()> asking_at_times() {
    using Clock = std::chrono::steady_clock;
    return [this, last = Clock::now()]() mutable {
      if (raised_) return false;
      const Clock::time_point now = Clock::now();
      if (now - last < kPatience) return true;
      last = now;
      return ask({});
    };
  }
  [[nodiscard]] bool caught() const { return raised_ != nullptr; }
  // With the lock: passes on what was raised.
  void raise() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  bool ask(const std::function<void()>& also) {
    const Locked locked;
    if (raised_) return false;  // every thread that asks is told
    try {
      or_wait_for_the_end([&] {
        if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
        if (also) also();
      });
      return true;
    } catch (...) {
      raised_ = std::current_exception();
      return false;
    }
  }

  std::exception_ptr raised_;
};

inline int threads_from(int threads) {
  constexpr int kMost = 1024;
  if (threads < 0 || threads > kMost)
    throw pybind11::value_error("threads must lie between 0 (one for each core) and 1024");
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace stickslip::python
