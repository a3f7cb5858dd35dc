// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One entry of a solver's catalogue of algorithms: what `stickslip list` prints and `--solver NAME` accepts.
#pragma once

namespace stickslip::complementarity {

struct AlgorithmInfo {
  const char* name;         // as the user types it, for example "lemke"
  const char* description;  // one line, no full stop
};

}  // namespace stickslip::complementarity
