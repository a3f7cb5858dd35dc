// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A scene that leaves its stepper open (stepper = "auto") gets the one that simulates it best (choose_stepper.h). Where
// derivatives are what is asked for and that one has none, it gets one that has, if there is one that takes the scene:
// stewart-trinkle, then implicit.
#pragma once

#include "stickslip/scene/scene.h"

#include <span>
#include <string>
#include <vector>

namespace stickslip::sensitivity {

struct DifferentiableStepper {
  std::vector<scene::Override> overrides;  // those given, and the stepper where another one was taken
  std::string note;                        // which and why, one sentence; empty: the scene's own
};

// Throws SceneError as make_scene does.
[[nodiscard]] DifferentiableStepper with_differentiable_stepper(const scene::Document& document,
                                                                std::span<const scene::Override> overrides);

}  // namespace stickslip::sensitivity
