// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// What a plug-in sees: a shared library that adds colliders, steppers and solvers by name (docs/plugins.md).
//
//     void enter(stickslip::simulation::PluginHost& host) {
//       host.add_contact_solver({"mine", "one line about it"}, [] { ... });
//     }
//     STICKSLIP_PLUGIN(enter)
//
// The command loads it with --plugin FILE; a scene file never does. The interfaces are C++ classes, so a plug-in fits
// the version of stickslip and the compiler that it was built with; kPluginVersion changes whenever one of them does.
#pragma once

#include "stickslip/collision/registry.h"
#include "stickslip/complementarity/external_solver.h"
#include "stickslip/stepping/stepper_traits.h"

namespace stickslip::simulation {

constexpr int kPluginVersion = 4;

// Names and descriptions must be string literals. A name that is taken is refused (the plug-in is then not loaded).
class PluginHost {
 public:
  virtual void add_collider(collision::ColliderInfo info, collision::ColliderFactory factory) = 0;
  virtual void add_stepper(complementarity::AlgorithmInfo info, stepping::StepperFactory factory,
                           const stepping::StepperTraits& traits) = 0;
  virtual void add_contact_solver(complementarity::AlgorithmInfo info,
                                  complementarity::ExternalContactFactory factory) = 0;
  virtual void add_affine_solver(complementarity::AlgorithmInfo info,
                                 complementarity::ExternalAffineFactory factory) = 0;

 protected:
  ~PluginHost() = default;
};

struct PluginEntry {
  int version;
  void (*enter)(PluginHost& host);
};

}  // namespace stickslip::simulation

#define STICKSLIP_PLUGIN(enter)                                                                                \
  extern "C" __attribute__((visibility("default"))) const stickslip::simulation::PluginEntry stickslip_plugin; \
  const stickslip::simulation::PluginEntry stickslip_plugin = {stickslip::simulation::kPluginVersion, enter};
