// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A progress bar on standard error, where that is a terminal.
#pragma once

#include <string>

namespace stickslip::app {

[[nodiscard]] bool progress_wanted();
// done of total, after so many seconds; draws over the line before.
void show_progress(double done, double total, double seconds, const char* what);
// The same with a text of the caller's behind the bar.
void show_progress_line(double done, double total, const std::string& text);
void end_progress();  // clears the line

}  // namespace stickslip::app
