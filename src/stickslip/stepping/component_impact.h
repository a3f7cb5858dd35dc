// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Impacts of a component at frozen configuration.
//
//     q = J v,    r by the law of each pair (impact_law.h),    v+ = v + M^-1 J' r
//
// resolve() takes the contacts that touch, with the restitution given. expand() is the second half of impacts that a
// first-order step ended inelastically: contacts get the separation speeds given, or the largest share of them with
// which the kinetic energy stays below a limit.
//
// Symbol   variable               meaning
//   J      TrialData::rows_mid    rows at the configuration of the impact
//   M^-1   TrialData::dynamics    without damping: an impact takes no time
//   r      Island::r
//
// Cost: one contact solve, a few more where friction changes direction in the impact; expand(): up to 32.
#pragma once

#include "stickslip/stepping/impact_law.h"
#include "stickslip/stepping/trial.h"

#include <span>

namespace stickslip::stepping {

class ComponentImpact {
 public:
  // Velocities after an impact at the start's configuration. restitution: of each contact of the component, negative
  // for those that do not touch. Velocities and modes of the component's start are replaced. False when not certified.
  bool resolve(World& world, Component& component, std::span<const double> restitution, TrialData& data);

  // speed: of each contact of the component. False when not certified.
  bool expand(World& world, Component& component, std::span<const double> speed, double energy, TrialData& data);

 private:
  static void pose(const World& world, const Component& component, TrialData& data);
  static void take(World& world, Component& component, const TrialData& data);

  ImpactSolver impacts_;
  std::vector<ImpactSolver::Law> laws_;
  std::vector<double> before_;  // scratch of expand()
};

[[nodiscard]] double kinetic_energy(const World& world, const Component& component);

}  // namespace stickslip::stepping
