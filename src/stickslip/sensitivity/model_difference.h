// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a parameter changes in a model. One that moves only the start and prescribed motion leaves mass, shapes, laws
// and forces alone, and the equations of a step need not be evaluated with another model (step_slopes.h).
#pragma once

#include "stickslip/model/model.h"

#include <vector>

namespace stickslip::sensitivity {

// Whether the two differ in initial states and prescribed motion at most. Forces are functions that cannot be compared:
// models with any are taken as different.
[[nodiscard]] bool same_but_for_motion(const model::Model& a, const model::Model& b);

// Which components of which prescribed bodies differ; functions that cannot be compared do.
struct DriveChange {
  int body = 0;
  bool translation[3] = {}, rotation = false;
};
[[nodiscard]] std::vector<DriveChange> drive_changes(const model::Model& a, const model::Model& b);

}  // namespace stickslip::sensitivity
