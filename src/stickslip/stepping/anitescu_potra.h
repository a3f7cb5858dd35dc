// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The Anitescu-Potra time stepper: contacts at the level of velocities, impacts at their instant.
//
//     A v+ = c + W_n p_n + W_t p_t
//     0 <= p_n  _|_  W_n' v+ >= 0        for contacts that are closed at the start (euler_step.h, closed_only)
//     q+ = q (+) h v+
//
// A contact that is open takes no part until it closes. When one would be passed through within the step, the step is
// backed up to the instant tau of zero gap (the root of the smallest gap, by regula falsi), the impact law of the pair
// acts there (impact_law.h), and the rest of the step follows. So there may be several impacts in a step, several
// contacts in an impact, and each pair has its own law and coefficient of restitution.
//
//   resting     a rebound whose flight would be shorter than the step is left out: bouncing ends instead of
//               accumulating for ever
//   drift       closed contacts of turning bodies drift by O(h^2) in a step; W_n' v+ >= -psi/h takes it out in the next
//   pile-up     after kMostImpacts in one step the rest is done with all contacts within reach, counted as a fall-back
//
// Cost: one solve per step without impacts; about ten more per impact. Motion models: all; impacts are dynamic only.
#pragma once

#include "stickslip/stepping/euler_step.h"
#include "stickslip/stepping/impact_law.h"

namespace stickslip::stepping {

class AnitescuPotra final : public Stepper {
 public:
  AnitescuPotra() : step_(EulerRules{.closed_only = true}), all_contacts_(EulerRules{}) {}
  StepReport advance(World& world, double h, double end_time) override;
  void save(ByteWriter& out) const override;
  void restore(ByteReader& in) override;

 private:
  enum class Part : char { Finished, Touched, Failed };
  Part advance_part(World& world, double h, double end_time, StepReport& report);
  [[nodiscard]] double deepest(double& tolerance);
  bool impact(World& world, double h, StepReport& report);
  void choose_laws(World& world, double h, const contact::Island& island);

  EulerStep step_, all_contacts_;
  ImpactSolver impacts_;
  contact::ContactSystem system_;
  std::vector<contact::BodyDynamics> dynamics_;
  std::vector<collision::Contact> touching_;
  std::vector<ImpactSolver::Law> laws_;
  std::vector<Event> events_;
};

}  // namespace stickslip::stepping
