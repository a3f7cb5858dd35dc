// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Contact problems of a run as its solver meets them: a solver called "recorded" that keeps what it is given, with the
// impulses it starts from, and then answers as `auto` does. Problems that are met between two calls of take_recorded()
// become one, block by block: islands of a step do not touch each other.
#pragma once

#include "stickslip/complementarity/cone/contact_problem.h"

#include <vector>

namespace stickslip::bench {

struct RecordedProblem {
  complementarity::ContactProblem problem;
  std::vector<double> start;
};

// Makes the solver known; once, before the first run.
void register_recorder();

// Whether problems are kept from now on; not at first.
void record_problems(bool on);

// What was recorded since the last call. Not for several threads.
[[nodiscard]] RecordedProblem take_recorded();

}  // namespace stickslip::bench
