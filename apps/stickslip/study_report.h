// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a store says, for people and for programs.
#pragma once

#include "stickslip/study/summary.h"

namespace stickslip::app {

void print_study_report(study::Store& store);
void print_study_json(study::Store& store);

}  // namespace stickslip::app
