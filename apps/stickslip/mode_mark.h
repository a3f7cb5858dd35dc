// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The character of a contact mode in the bands that reports print over time.
#pragma once

#include "stickslip/contact/contact_result.h"

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

}  // namespace stickslip::app
