// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What was asked of a plan and what came out, as the JSON text that its replay's recording carries (/plan), so that
// `report` makes the plan's page of it. web/src/plan_data.ts names the keys.
#pragma once

#include "stickslip/planning/planner.h"

#include <string>
#include <vector>

namespace stickslip::app {

// Of solution `number`, counted from 0; of the closest attempt where nothing was found. `scene`: with the unknowns
// filled in; `reached`: its conditions after the replay.
[[nodiscard]] std::string plan_record(const planning::Plan& plan, const planning::PlanResult& result,
                                      std::size_t number, const scene::Scene& scene,
                                      const std::vector<planning::ReachedCondition>& reached);

}  // namespace stickslip::app
