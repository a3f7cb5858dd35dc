// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contact modes over time, per pair of bodies, from a recording.
#pragma once

#include "stickslip/report/run_data.h"

namespace stickslip::report {

// One entry per pair that ever touched, ordered by bodies; bands follow each other without gap up to the last frame.
[[nodiscard]] std::vector<PairBands> bands_of(const recording::Recording& recording, const model::Model& model);

// The mode of a pair at a time; Open outside its bands.
[[nodiscard]] contact::Mode mode_at(const PairBands& pair, double time);

}  // namespace stickslip::report
