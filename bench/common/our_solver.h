// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Our side of a benchmark: `auto`, called as `stickslip solve` calls it, on one problem of any form.
#pragma once

#include "bench/common/runs.h"
#include "bench/common/stopwatch.h"
#include "stickslip/complementarity/corpus/corpus_problem.h"
#include "stickslip/complementarity/status.h"

#include <string_view>

namespace stickslip::bench {

struct OurRun {
  Run run;
  complementarity::Status status = complementarity::Status::Stalled;
};

// Cold start each time, the solver object kept between repeats (its workspaces have their size). Timed is the whole
// call: presolve, reduction of global problems, the certificate.
[[nodiscard]] OurRun run_ours(const complementarity::CorpusProblem& problem, const RepeatPolicy& policy = {},
                              std::string_view algorithm = "auto");

// The corpus' error of someone else's answer, laid out as SiconosRun::answer says; infinite when it has the wrong size.
[[nodiscard]] double corpus_error(const complementarity::CorpusProblem& problem, const std::vector<double>& answer);

}  // namespace stickslip::bench
