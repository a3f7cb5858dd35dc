// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// When a solve ends although it has found nothing: at a time, or when its caller no longer waits for it.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

namespace stickslip::complementarity {

// While this lives, solvers of this thread ask between iterations, or some of them, whether to go on; once they are told
// not to they end as at their time limit. All of affine problems do, and those of contact problems where they work in one
// thread; plug-ins do not. For callers at whom somebody may lose patience; it passes through whatever stands between them
// and the solver.
class Asking {
 public:
  explicit Asking(const std::function<bool()>& go_on) : before_(std::exchange(current(), &go_on)) {}
  ~Asking() { current() = before_; }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  // Null where nobody is to be asked.
  [[nodiscard]] static const std::function<bool()>*& current() {
    thread_local const std::function<bool()>* asked = nullptr;
    return asked;
  }

 private:
  const std::function<bool()>* before_;
};

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  Deadline() = default;  // never

  // So many seconds after `begin`; never from 1e9 on.
  Deadline(Clock::time_point begin, double seconds) : go_on_(Asking::current()) {
    if (seconds < 1e9)
      at_ = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  // To look at the clock costs as much as a small step: where this is true it is not worth while.
  [[nodiscard]] bool never() const { return at_ == Clock::time_point::max() && go_on_ == nullptr; }

  [[nodiscard]] bool passed() const {
    if (go_on_ != nullptr && !(*go_on_)()) return true;
    return at_ != Clock::time_point::max() && Clock::now() > at_;
  }

 private:
  Clock::time_point at_ = Clock::time_point::max();
  const std::function<bool()>* go_on_ = nullptr;
};

}  // namespace stickslip::complementarity
