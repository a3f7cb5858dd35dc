// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Our problem forms in Siconos' C structures. Used inside the child process only, which ends without freeing them.
#pragma once

#include "bench/siconos_catalogue.h"
#include "stickslip/complementarity/affine/affine_problem.h"
#include "stickslip/complementarity/cone/contact_problem.h"

#include <memory>
#include <vector>

struct SolverOptions;

namespace stickslip::bench {

class SiconosProblem {
 public:
  virtual ~SiconosProblem() = default;

  // Work space that a solver wants before its first call (not timed).
  virtual void prepare(SolverOptions* options) { (void)options; }

  // One driver call; the answer is left in `answer`.
  virtual int solve(SolverOptions* options) = 0;

  std::vector<double> answer;
  std::vector<double> start;  // read by friction problems in local form; empty: zero, as for all others
};

[[nodiscard]] std::unique_ptr<SiconosProblem> make_siconos_lcp(const complementarity::AffineProblem& problem,
                                                               SiconosStorage storage);
[[nodiscard]] std::unique_ptr<SiconosProblem> make_siconos_relay(const complementarity::AffineProblem& problem);
[[nodiscard]] std::unique_ptr<SiconosProblem> make_siconos_mlcp(const complementarity::MixedLcp& problem);
[[nodiscard]] std::unique_ptr<SiconosProblem> make_siconos_friction(const complementarity::ContactProblem& problem,
                                                                    SiconosStorage storage);
[[nodiscard]] std::unique_ptr<SiconosProblem> make_siconos_global(const complementarity::GlobalContactProblem& problem,
                                                                  SiconosStorage storage);

}  // namespace stickslip::bench
