// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Which parameters a trial has: a function of the study and the number of the trial.
//
//   group g = trial / trials     its digits in the mixed radix of the grids, the last grid running fastest
//   repeat r = trial % trials
//   drawn values                 from (seed, name of the parameter, index), index = trial, g or r as `each` says
//
// The stream of a parameter follows from its name: adding a parameter to a study leaves the others as they were.
#pragma once

#include "stickslip/study/study.h"

#include <cstdint>
#include <vector>

namespace stickslip::study {

struct TrialPoint {
  std::int64_t index = 0, group = 0, repeat = 0;
  std::vector<double> values;  // one per variation of the study
};

class TrialPlan {
 public:
  explicit TrialPlan(const Study& study);  // which must outlive the plan
  [[nodiscard]] TrialPoint trial(std::int64_t index) const;

 private:
  const Study& study_;
  std::vector<std::uint32_t> streams_;  // one per variation
  std::vector<std::int64_t> strides_;   // grids: how many groups until the next value
};

// The trial as overrides of the scene: those of the study, then one per variation, with all digits.
[[nodiscard]] std::vector<scene::Override> overrides_of(const Study& study, const TrialPoint& trial);

}  // namespace stickslip::study
