// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Runs a simulation until its bodies rest.
#pragma once

#include "stickslip/simulation/simulation.h"

namespace stickslip::simulation {

enum class Settled : char { AtRest, TimeIsUp, NotCertified };

// At rest: every body that moves freely had no velocity at the ends of kRestingSteps steps in a row, or has been slower
// than `speed` (its centre, and its turning times the unit of length) for kSlowTime.
struct SettleOptions {
  double most_time = 60;
  double speed = 1e-6;
};
inline constexpr int kRestingSteps = 3;
inline constexpr double kSlowTime = 0.1;

[[nodiscard]] Settled settle(Simulation& run, const SettleOptions& options, const Simulation::Observer& observer = {});

}  // namespace stickslip::simulation
