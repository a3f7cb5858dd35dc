// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "bench/common/work_precision.h"

#include "bench/common/plot.h"
#include "bench/common/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stickslip::bench {

void print_verdict(const char* phase, std::span<const Work> rows) {
  std::string not_on;
  const auto is_own = [](const Work& row) { return row.own; };
  if (std::ranges::none_of(rows, is_own) || std::ranges::all_of(rows, is_own)) {
    fmt::print("{}: nothing to compare within the cap\n", phase);
    return;
  }
  for (const Work& peer : rows) {
    if (peer.own || !std::isfinite(peer.residual)) continue;
    double best = std::numeric_limits<double>::infinity();
    for (const Work& own : rows)
      if (own.own && own.residual <= peer.residual) best = std::min(best, own.seconds);
    if (best <= peer.seconds) continue;
    not_on += fmt::format("{}{:.1e} ({}: {}, ours {})", not_on.empty() ? "" : ", ", peer.residual, peer.name,
                          time_text(peer.seconds), time_text(best));
  }
  fmt::print("{}: {}\n", phase,
             not_on.empty() ? "on the front at every residual that a peer reaches" : "not on the front at " + not_on);
}

std::string work_plot(const std::string& title, std::span<const WorkPanel> phases) {
  std::vector<Panel> panels;
  for (const WorkPanel& phase : phases) {
    Panel panel;
    panel.title = phase.title;
    double low = 1, high = 1e-9, fast = 1, slow = 1e-6;
    for (const Work& row : phase.rows) {
      if (!(row.residual > 0) || !(row.seconds > 0)) continue;
      low = std::min(low, row.residual), high = std::max(high, row.residual);
      fast = std::min(fast, row.seconds), slow = std::max(slow, row.seconds);
      const std::string label = row.name.substr(0, row.name.rfind(", "));
      if (panel.curves.empty() || panel.curves.back().label != label)
        panel.curves.push_back({label, {}, {}, false, row.own});
      panel.curves.back().x.push_back(row.residual);
      panel.curves.back().y.push_back(1e3 * row.seconds);
    }
    panel.x = decades("residual (median)", low, high);
    panel.y = decades("ms of processor time per step", 1e3 * fast, 1e3 * slow);
    panels.push_back(std::move(panel));
  }
  return svg_plot(title, panels, 2);
}

}  // namespace stickslip::bench
