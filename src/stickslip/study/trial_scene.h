// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What the expressions of a study (success, objective) may use: the parameters of the scene, its observables at the end
// of the run, and end_time. An observable hides a parameter of the same name.
#pragma once

#include "stickslip/scene/scene.h"

#include <span>

namespace stickslip::study {

[[nodiscard]] expression::Scope result_scope(const scene::Scene& scene, std::span<const double> observables,
                                             double end_time);

}  // namespace stickslip::study
