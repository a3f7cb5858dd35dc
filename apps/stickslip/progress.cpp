// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "progress.h"

#include "terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace stickslip::app {

bool progress_wanted() {
  return ::isatty(STDERR_FILENO) == 1;
}

void show_progress(double done, double total, double seconds, const char* what) {
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 1.0;
  const double left = share > 0 ? seconds * (1 - share) / share : 0;
  show_progress_line(done, total, fmt::format("{:.4g} of {:.4g} {}, {:.0f} s left", done, total, what, left));
}

void show_progress_line(double done, double total, const std::string& text) {
  // A line that wraps is not drawn over: the bar gives way first, then the end of the text.
  constexpr int kMostWidth = 32, kLeastWidth = 8, kFrame = 11;  // "[] 100 %  " and the cursor
  const int columns = std::max(terminal_columns(STDERR_FILENO), kLeastWidth + kFrame);
  const int width = std::clamp(columns - kFrame - static_cast<int>(text.size()), kLeastWidth, kMostWidth);
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 1.0;
  const int filled = static_cast<int>(share * width);
  fmt::print(stderr, "\r[{:=<{}}{: <{}}] {:3.0f} %  {:.{}}\033[K", "", filled, "", width - filled, 100 * share, text,
             std::max(columns - kFrame - width, 0));
  std::fflush(stderr);
}

void end_progress() {
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace stickslip::app
