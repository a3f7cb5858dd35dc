// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The bands of contact modes that reports print over time: a character for each mode.
#pragma once

#include "stickslip/contact/contact_result.h"
#include "stickslip/simulation/mode_timeline.h"

#include <span>
#include <string>

namespace stickslip::app {

[[nodiscard]] constexpr char mark_of(contact::Mode mode) {
  switch (mode) {
    case contact::Mode::Open: return '.';
    case contact::Mode::Stick: return '=';
    case contact::Mode::Roll: return 'o';
    case contact::Mode::Slide: return '~';
  }
  return '?';
}

// A part of a run as a band of marks, the longest mode of each column's time winning. Intervals: of one pair.
[[nodiscard]] std::string mode_band(std::span<const simulation::ModeInterval> intervals, double begin, double end,
                                    int columns);

}  // namespace stickslip::app
