// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// stickslip._complementarity._load_plugin: the solvers of a plug-in, for problems. The simulator's module has registries of
// its own and has looked at the names before.
#include "plugin_file.h"
#include "unlocked.h"

namespace stickslip::python {
namespace {

namespace ss = stickslip::complementarity;

class SolverHost final : public simulation::PluginHost {
 public:
  void add_collider(collision::ColliderInfo /*info*/, collision::ColliderFactory /*factory*/) override {}
  void add_stepper(ss::AlgorithmInfo /*info*/, stepping::StepperFactory /*factory*/,
                   const stepping::StepperTraits& /*traits*/) override {}
  void add_contact_solver(ss::AlgorithmInfo info, ss::ExternalContactFactory factory) override {
    ss::register_contact_solver(info, factory);
  }
  void add_affine_solver(ss::AlgorithmInfo info, ss::ExternalAffineFactory factory) override {
    ss::register_affine_solver(info, factory);
  }
};

void load_plugin(const std::string& file) {
  Unlocked::require_none("a plug-in cannot be loaded");
  SolverHost host;
  app::open_plugin(file).enter(host);
}

}  // namespace

void bind_solver_plugins(pybind11::module_& module) {
  module.def("_load_plugin", &load_plugin, pybind11::arg("file"));
}

}  // namespace stickslip::python
