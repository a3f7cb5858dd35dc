// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Does a plan hold, or did the steps make it? A plan meets its conditions at its own step to rounding, whatever the
// step is worth. Run again with shorter steps and under a second stepper it misses them:
//
//     V(h/2), V(h/4)    largest violation of a condition          order p: C (1 - 2^-p) and C (1 - 4^-p)
//     V'(h')            under the second stepper (study/design_check.h), h' = h, or h/8 where its order is lower
//
//     artefact          V(h/4) > 2 V(h/2): the runs do not settle;  or  V' > 6 max(V(h/2), V(h/4)): they settle on a
//                       motion that the other stepper does not have;  or a run failed. Where the order of the other
//                       stepper is lower, it is enough that V' falls with its step: below V'(h')/2^k at h'/8^k for one
//                       k of 1, 2, 3, where a method of first order has V'(h')/8^k.
//                       Violations below the tolerance of the plan, or 1e-4 of the scale of its unknowns, are none.
#pragma once

#include "stickslip/planning/plan.h"

#include <string>

namespace stickslip::app {

struct PlanCheck {
  bool artefact = false;
  std::string stepper, other;  // other: empty when none takes the scene
  double step = 0, other_step = 0;
  double half = 0, quarter = 0, second = 0;  // violations; infinite: the run failed
};

// scene_file: the solution as a scene.
[[nodiscard]] PlanCheck check_plan(const planning::Plan& plan, const std::string& scene_file);
[[nodiscard]] std::string text_of(const PlanCheck& check);

}  // namespace stickslip::app
