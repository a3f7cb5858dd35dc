// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Ctrl-C as a request: while an Interruption lives, the first one asks the work to end where it can keep what it has;
// a second one ends the process as usual. Not for two at a time.
#pragma once

namespace stickslip::app {

class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] bool asked() const;
};

}  // namespace stickslip::app
