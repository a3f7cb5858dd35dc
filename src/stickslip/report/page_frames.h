// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The kept frames of a run as a page has them (web/src/frames.ts reads them).
//
// Numbers are whole multiples of a unit far below what is seen, and written as differences: of poses to the frame
// before, of a contact to the same contact in the frame before. Contacts lie relative to the middle of one of their
// bodies, the carrier: between two frames that have the contact it is interpolated and stays on that body.
#pragma once

#include "stickslip/report/frame_selection.h"
#include "stickslip/report/packing.h"
#include "stickslip/report/run_data.h"

namespace stickslip::report {

[[nodiscard]] nlohmann::json frames_json(const RunData& data, const Selection& selection, Packer& packer);

// Of two bodies the one that contacts between them are drawn relative to: free to move, and the smaller one.
[[nodiscard]] int carrier_of(const RunData& data, int body_a, int body_b);

}  // namespace stickslip::report
