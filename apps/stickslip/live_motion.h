// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Prescribed motion across a change of parameters.
//
// A position that is the integral of a given velocity or acceleration, x(t) = x_0 + int_0^t v, has no value of its own
// at a later time t_c: with new parameters the body goes on from where it is, x'(t) + (x(t_c) - x'(t_c)). A rotation
// R'(t) becomes R'(t) R'(t_c)^T R(t_c), which has the same angular velocity. Motions given as positions, and symmetric
// ones, which swing about a given place, follow their new expressions.
#pragma once

#include "stickslip/model/model.h"

#include <string>

namespace stickslip::app {

// Changes `after` so that its bodies with integrated motions are at `time` where those of `before` are.
void keep_places(const std::string& scene_file, const model::Model& before, double time, model::Model& after);

}  // namespace stickslip::app
