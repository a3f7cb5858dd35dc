// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Does a plan hold, or did the steps make it? A plan meets its conditions at its own step to rounding, whatever the
// step is worth. Run again with shorter steps and under a second stepper it misses them by more, and that is judged:
//
//     V_i(h/2), V_i(h/4)   by how much condition i is missed with half and a quarter of the step
//     V'_i(h')             under the second stepper (study/design_check.h); h' = h, or where its order is lower h/8,
//                          and h/64, h/512, h/4096 as long as that differs
//     R_i                  largest |left - right| of the condition along the plan's own run, its start included: how
//                          far the motion had to bring it
//     a_i                  max(tolerance, holds_within R_i): what may be missed; both are keys of the plan file
//
//     holds                V_i(h/2), V_i(h/4) and V'_i(h') <= a_i for every i; a run that fails misses by infinity
//
// That misses fall with the step is not enough: a first-order plan of an unstable motion settles, but far from its goal.
#pragma once

#include "stickslip/planning/plan.h"

#include <string>

namespace stickslip::app {

struct PlanCheck {
  bool artefact = false;
  std::string stepper, other;  // other: empty when none takes the scene
  double step = 0, other_step = 0;
  double half = 0, quarter = 0, second = 0;  // largest violations; infinite: the run failed
  double part = 0;                           // largest of V_i / a_i: the plan holds up to 1
  double holds_within = 0;
};

// scene_file: the solution as a scene.
[[nodiscard]] PlanCheck check_plan(const planning::Plan& plan, const std::string& scene_file);
[[nodiscard]] std::string text_of(const PlanCheck& check);

}  // namespace stickslip::app
