// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a store says, for people and for programs.
#pragma once

#include "step_check.h"

#include "stickslip/study/study_summary.h"

#include <string>

namespace stickslip::app {

void print_study_report(study::Store& store);
// method: how the trials are stepped; empty: not known. checks: of trials that were run again with half the step.
void print_study_json(study::Store& store, const std::string& method = {}, const std::vector<StepCheck>& checks = {});
void print_step_checks(const std::vector<StepCheck>& checks);

}  // namespace stickslip::app
