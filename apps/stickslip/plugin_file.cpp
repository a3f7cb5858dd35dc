// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "plugin_file.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace stickslip::app {

const simulation::PluginEntry& open_plugin(const std::string& file) {
  // With a slash in it, so that the loader does not search elsewhere for a file that is not there.
  std::error_code error;
  const std::string path = std::filesystem::absolute(file, error).string();
  if (error || !std::filesystem::exists(path, error))
    throw PluginError(fmt::format("cannot read the plug-in {}", file));
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw PluginError(fmt::format("cannot load the plug-in {}: {}", file, dlerror()));
  const auto* entry = static_cast<const simulation::PluginEntry*>(dlsym(library, "stickslip_plugin"));
  if (entry == nullptr)
    throw PluginError(fmt::format("{} is not a stickslip plug-in: it has no STICKSLIP_PLUGIN (docs/plugins.md)", file));
  if (entry->version != simulation::kPluginVersion)
    throw PluginError(
        fmt::format("plug-in {} was built for version {} of the plug-in interface, this is version {}: build it again",
                    file, entry->version, simulation::kPluginVersion));
  return *entry;
}

}  // namespace stickslip::app
