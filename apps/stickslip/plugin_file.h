// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Shared libraries that are plug-ins (stickslip/simulation/plugin.h).
#pragma once

#include "stickslip/simulation/plugin.h"

#include <stdexcept>
#include <string>

namespace stickslip::app {

struct PluginError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Loads the file, which stays loaded until the program ends. Throws PluginError where it is no plug-in of this version.
[[nodiscard]] const simulation::PluginEntry& open_plugin(const std::string& file);

}  // namespace stickslip::app
