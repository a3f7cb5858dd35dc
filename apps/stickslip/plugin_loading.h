// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Loads plug-ins (stickslip/simulation/plugin.h) that the user names on the command line or in Python.
#pragma once

#include <string>

namespace stickslip::app {

// Adds what the plug-in has to the registries, before the first run. Throws PluginError (plugin_file.h).
void load_plugin(const std::string& file);

}  // namespace stickslip::app
