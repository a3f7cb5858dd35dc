// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "plugin_loading.h"

#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/cone/contact_solver.h"
#include "stickslip/simulation/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace stickslip::app {
namespace {

using complementarity::AlgorithmInfo;

class Host final : public simulation::PluginHost {
 public:
  explicit Host(const std::string& file) : file_(file) {}
  void add_collider(collision::ColliderInfo info, collision::ColliderFactory factory) override {
    check(info.name, collision::colliders());
    collision::register_collider(info, factory);
  }
  void add_stepper(AlgorithmInfo info, stepping::StepperFactory factory,
                   const stepping::StepperTraits& traits) override {
    check(info.name, stepping::steppers());
    stepping::register_stepper(info, factory, traits);
  }
  void add_contact_solver(AlgorithmInfo info, complementarity::ExternalContactFactory factory) override {
    check(info.name, complementarity::ContactSolver::algorithms());
    complementarity::register_contact_solver(info, factory);
  }
  void add_affine_solver(AlgorithmInfo info, complementarity::ExternalAffineFactory factory) override {
    check(info.name, complementarity::AffineSolver::algorithms());
    complementarity::register_affine_solver(info, factory);
  }

 private:
  template <class Infos>
  void check(std::string_view name, const Infos& known) const {
    for (const auto& info : known)
      if (name == info.name) throw PluginError(fmt::format("plug-in {}: the name '{}' is taken", file_, name));
  }
  std::string file_;
};

}  // namespace

void load_plugin(const std::string& file) {
  // With a slash in it, so that the loader does not search elsewhere for a file that is not there.
  const std::string path = std::filesystem::absolute(file).string();
  if (!std::filesystem::exists(path)) throw PluginError(fmt::format("cannot read the plug-in {}", file));
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw PluginError(fmt::format("cannot load the plug-in {}: {}", file, dlerror()));
  const auto* entry = static_cast<const simulation::PluginEntry*>(dlsym(library, "stickslip_plugin"));
  if (entry == nullptr)
    throw PluginError(fmt::format("{} is not a stickslip plug-in: it has no STICKSLIP_PLUGIN (docs/plugins.md)", file));
  if (entry->version != simulation::kPluginVersion)
    throw PluginError(
        fmt::format("plug-in {} was built for version {} of the plug-in interface, this command has version {}: "
                    "build it again",
                    file, entry->version, simulation::kPluginVersion));
  Host host(file);
  entry->enter(host);
}

}  // namespace stickslip::app
