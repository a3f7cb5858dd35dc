// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Work against precision: who reaches which residual in which time.
#pragma once

#include <span>
#include <string>

namespace stickslip::bench {

// A row of the table in one phase: median residual and mean time of a step.
struct Work {
  std::string name;  // of ours: "ours, MODEL, certificate C"
  bool own = false;
  double residual = 0, seconds = 0;
};

// Ours are on the front where no peer reaches a residual in less time than one of ours that is no worse.
void print_verdict(const char* phase, std::span<const Work> rows);

struct WorkPanel {
  std::string title;
  std::span<const Work> rows;
};

// Time of a step against the residual: a curve for each model of ours and each peer with several rows, one panel for
// each phase.
[[nodiscard]] std::string work_plot(const std::string& title, std::span<const WorkPanel> phases);

}  // namespace stickslip::bench
