// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip._core._load_plugin: steppers, colliders and contact solvers of a plug-in, for scenes.
#include "handles.h"
#include "plugin_file.h"
#include "plugin_loading.h"
#include "unlocked.h"

#include <dlfcn.h>

namespace stickslip::python {
namespace {

// Plug-ins are linked with the symbols of what loads them. Python keeps those of a module to itself; ours export nothing
// but what is in namespace stickslip (CMakeLists.txt), so that nobody else's functions are taken for others.
void offer_symbols() {
  Dl_info here;
  if (dladdr(reinterpret_cast<void*>(&offer_symbols), &here) != 0)
    (void)dlopen(here.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

void load_plugin(const std::string& file) {
  Unlocked::require_none("a plug-in cannot be loaded");
  offer_symbols();
  try {
    app::load_plugin(file);
  } catch (const app::PluginError& error) {
    throw py::import_error(error.what());
  }
}

}  // namespace

void bind_plugins(py::module_& module) {
  module.def("_load_plugin", &load_plugin, py::arg("file"));
}

}  // namespace stickslip::python
