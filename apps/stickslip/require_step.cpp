// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "require_step.h"

#include <fmt/format.h>

namespace stickslip::app {

void require_step(const scene::Scene& scene, const char* verb) {
  if (scene.method.tolerance > 0)
    throw scene::SceneError({scene.file.string(), 0, 0},
                            fmt::format("{} needs a given step, but the scene has a tolerance", verb),
                            "leave method.tolerance out, or --set method.tolerance=0");
}

}  // namespace stickslip::app
