// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// All Siconos solvers of a problem's form, run on that problem and judged by our residual.
#pragma once

#include "bench/common/runs.h"
#include "stickslip/complementarity/corpus/corpus_problem.h"

#include <functional>
#include <string_view>
#include <vector>

namespace stickslip::bench {

struct PeerLimits {
  double seconds = 1;  // processor time that any run may take
  // A run is also stopped when it is this many times slower than the fastest answer so far, but not before `floor`.
  double hopeless_factor = 1000;
  double floor = 0.25;
};

// One Run per solver name; of several matrix storages the one that served best. `fastest`: our own time.
// Empty for forms that Siconos has no solver for (global planar friction).
[[nodiscard]] std::vector<Run> run_siconos_peers(const complementarity::CorpusProblem& problem, double fastest,
                                                 const PeerLimits& limits,
                                                 const std::function<void(std::string_view)>& progress = {});

}  // namespace stickslip::bench
