// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a store says, for people and for programs.
#pragma once

#include "step_check.h"

#include "stickslip/study/design_check.h"
#include "stickslip/study/study_summary.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace stickslip::app {

// The same designs with the last stage only, beside the stages.
struct NaiveCost {
  std::string stage;
  std::size_t designs = 0;
  double seconds = 0, staged = 0;
  std::int64_t lost = 0;  // designs that pass the last stage and were turned away before it

  [[nodiscard]] double saved() const { return 1 - staged / seconds; }  // part of the seconds
};

void print_study_report(study::Store& store);
void print_naive(const NaiveCost& naive);
// method: how the trials are stepped; empty: not known. checks: of trials that were run again with half the step, and
// under a second stepper.
void print_study_json(study::Store& store, const std::string& method = {}, const std::vector<StepCheck>& checks = {},
                      const std::vector<study::DesignCheck>& design_checks = {},
                      const std::optional<NaiveCost>& naive = {});
void print_step_checks(const std::vector<StepCheck>& checks);
void print_design_checks(const std::vector<study::DesignCheck>& checks);
[[nodiscard]] nlohmann::json design_check_json(const study::DesignCheck& check);

}  // namespace stickslip::app
