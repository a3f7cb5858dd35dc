// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a run says when it is over: a page for people, one JSON object for programs.
#pragma once

#include "run_session.h"

namespace stickslip::app {

// The stepper, and why it was chosen where the scene leaves it open.
[[nodiscard]] std::string stepper_text(const scene::Scene& scene);

void print_run_report(const RunSession& session, RunEnd end);
void print_run_json(const RunSession& session, RunEnd end);

}  // namespace stickslip::app
