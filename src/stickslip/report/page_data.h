// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A run as the page reads it (the types are in web/src/data.ts).
#pragma once

#include "stickslip/report/frame_selection.h"
#include "stickslip/report/packing.h"
#include "stickslip/report/run_data.h"

namespace stickslip::report {

[[nodiscard]] nlohmann::json run_json(const RunData& data, const Selection& selection, Packer& packer);

// Indices that draw curves as all samples would: first, last, and the least and greatest sample of each of `buckets`
// stretches of every curve.
[[nodiscard]] std::vector<std::size_t> plot_samples(const std::vector<Curve>& curves, std::size_t samples,
                                                    std::size_t buckets);

}  // namespace stickslip::report
