// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
#include "plugin_loading.h"

#include "plugin_file.h"

#include "stickslip/complementarity/affine/affine_solver.h"
#include "stickslip/complementarity/cone/contact_solver.h"

#include <fmt/format.h>

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
  const simulation::PluginEntry& plugin = open_plugin(file);
  Host host(file);
  plugin.enter(host);
}

}  // namespace stickslip::app
