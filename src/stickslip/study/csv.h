// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A store as CSV, in the order of the trials: the same bytes however the study was run. Numbers have all their digits
// (the shortest text that reads back to the same number), what is not defined is empty.
#pragma once

#include "stickslip/study/store.h"

#include <functional>
#include <string_view>

namespace stickslip::study {

struct CsvOptions {
  bool cost = false;  // also the seconds of each trial, which differ from run to run
};

// Calls `write` with piece after piece.
void write_csv(Store& store, const CsvOptions& options, const std::function<void(std::string_view)>& write);

}  // namespace stickslip::study
