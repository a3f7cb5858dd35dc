// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A progress bar on standard error, where that is a terminal.
#pragma once

namespace stickslip::app {

[[nodiscard]] bool progress_wanted();
// done of total, after so many seconds; draws over the line before.
void show_progress(double done, double total, double seconds, const char* what);
void end_progress();  // clears the line

}  // namespace stickslip::app
