// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Loads plug-ins (stickslip/simulation/plugin.h) that the user names on the command line.
#pragma once

#include <stdexcept>
#include <string>

namespace stickslip::app {

struct PluginError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Stays loaded until the program ends. Throws PluginError.
void load_plugin(const std::string& file);

}  // namespace stickslip::app
