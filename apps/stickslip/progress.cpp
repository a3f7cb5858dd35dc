// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "progress.h"

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
  constexpr int kWidth = 32;
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 1.0;
  const int filled = static_cast<int>(share * kWidth);
  fmt::print(stderr, "\r[{:=<{}}{: <{}}] {:3.0f} %  {} \033[K", "", filled, "", kWidth - filled, 100 * share, text);
  std::fflush(stderr);
}

void end_progress() {
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace stickslip::app
