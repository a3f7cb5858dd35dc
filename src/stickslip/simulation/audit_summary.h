// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the audit of a run found (audit.h).
#pragma once

#include <cstdint>
#include <string>

namespace stickslip::simulation {

struct AuditSummary {
  bool on = false;
  std::int64_t looks = 0;  // states in which the separation of all bodies was measured

  // Deepest overlap of two bodies by geometry, and when; the bodies are -1 while none was seen.
  double depth = 0, depth_time = 0;
  int depth_a = -1, depth_b = -1;

  // Energy that contacts and impacts added beyond what they may: the sum over the run, the largest of one step.
  std::int64_t energy_steps = 0;       // steps that were judged
  std::int64_t energy_not_judged = 0;  // steps that were not: the work of a drive or a force is not known well enough
  const char* energy_reason = "";      // why no step is judged (static text); empty when they are
  double energy_added = 0, energy_worst = 0, energy_time = 0;

  // Largest defect of  m dv = impulses  of one body, as a share of its largest impulse.
  std::int64_t momentum_steps = 0;  // steps that were judged
  double momentum = 0, momentum_time = 0;
  int momentum_body = -1;

  std::string violation;  // one line; empty when the audit holds
  double violation_time = 0;

  [[nodiscard]] bool passed() const { return violation.empty(); }
};

}  // namespace stickslip::simulation
