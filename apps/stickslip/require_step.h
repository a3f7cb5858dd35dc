// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#pragma once

#include "stickslip/scene/scene.h"

namespace stickslip::app {

// Throws when the scene asks for a tolerance: a verb that sets the steps itself, or needs the same in all runs.
void require_step(const scene::Scene& scene, const char* verb);

}  // namespace stickslip::app
