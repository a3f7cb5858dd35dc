// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "mode_mark.h"

#include <algorithm>
#include <iterator>

namespace stickslip::app {

std::string mode_band(std::span<const simulation::ModeInterval> intervals, double begin, double end, int columns) {
  std::string text(static_cast<std::size_t>(columns), mark_of(contact::Mode::Open));
  if (!(end > begin)) return text;
  const double width = (end - begin) / columns;
  for (int column = 0; column < columns; ++column) {
    double share[4] = {};
    const double from = begin + column * width, to = from + width;
    for (const simulation::ModeInterval& interval : intervals)
      share[static_cast<int>(interval.mode)] +=
          std::max(0.0, std::min(to, interval.end) - std::max(from, interval.begin));
    const auto longest = std::max_element(std::begin(share), std::end(share)) - std::begin(share);
    if (share[longest] > 0) text[static_cast<std::size_t>(column)] = mark_of(static_cast<contact::Mode>(longest));
  }
  return text;
}

}  // namespace stickslip::app
