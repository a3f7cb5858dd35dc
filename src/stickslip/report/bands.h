// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contact modes over time, per pair of bodies or per contact, from a recording.
#pragma once

#include "stickslip/report/run_data.h"

namespace stickslip::report {

// One entry per pair that ever touched, ordered by bodies; bands follow each other without gap up to the last frame.
[[nodiscard]] std::vector<PairBands> bands_of(const recording::Recording& recording, const model::Model& model);

// A contact is a corner, side or smooth place of one body at one of another: which, the collider says.
struct ContactBands {
  collision::ContactId id;
  std::string name;  // "peg corner 2 - device 1.3": corner 2 of the peg, side 3 of the first shape of the device
  std::vector<Band> bands;
};

// One entry per contact that ever touched, in the order in which they met; bands follow each other without gap. A frame tells
// the mode of the step before it, so that bands begin and end with frames.
[[nodiscard]] std::vector<ContactBands> contact_bands_of(const recording::Recording& recording,
                                                         const model::Model& model);

}  // namespace stickslip::report
