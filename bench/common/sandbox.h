// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Runs foreign code in a child process: code that may crash, hang, print, or end the process.
//
// The child sends messages of doubles through a pipe; whatever has arrived when it ends, or is ended, counts. The
// processor time limit is started by the first message, so that preparations are not charged.
#pragma once

#include <functional>
#include <vector>

namespace stickslip::bench {

using Message = std::vector<double>;

// What the child calls to report; returns when the message is in the pipe.
using Send = std::function<void(const Message&)>;

enum class ChildEnd {
  Done,       // the function returned
  OutOfTime,  // the limit passed before the next message
  Crashed,    // a signal, or the code called exit
};

struct ChildReport {
  ChildEnd end = ChildEnd::Crashed;
  std::vector<Message> messages;
};

struct ChildLimits {
  double seconds_per_message = 1;  // processor time of the child between two messages
  double preparation = 30;         // the same before the first message
};

[[nodiscard]] ChildReport run_in_child(const std::function<void(const Send&)>& work, const ChildLimits& limits);

}  // namespace stickslip::bench
