// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// A page on which scenes run without a server: the simulator, compiled to WebAssembly (apps/stickslip_web), and the
// scenes with every file that they read lie in it. web/src/browser_simulation.ts reads what is written here.
#pragma once

#include "stickslip/scene/scene.h"

#include <string>
#include <vector>

namespace stickslip::app {

// The page of one scene, or of several to choose from, with parameters that are not as in the scenes. Throws SceneError
// when a scene cannot run, std::runtime_error when the simulator for browsers is not there.
[[nodiscard]] std::string standalone_page(const std::vector<std::string>& scenes,
                                          const std::vector<scene::Override>& overrides);

}  // namespace stickslip::app
