// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The first-order steppers: EulerStep over the whole step, cut at impacts.
//
//     Anitescu-Potra     closed_only               contacts at the level of velocities
//     fully implicit     end_geometry
//     Song-Pang-Kumar    end_geometry, compliant   compliant surfaces; rigid where they have no stiffness
//     Stewart-Trinkle    (none)                    with restitution, and for the motion models and supports that
//                                                  stewart_trinkle.h does not know
//
// Impacts of rigid contacts. A contact that closes within the step, and whose bodies meet faster than by settling, is
// an impact. It is left out of the step, the instant tau of zero gap is found, the impact law of the pair acts there on
// all contacts that are closed (impact_law.h), and the rest of the step follows. So there may be several impacts in a
// step, several contacts in an impact, and each pair has its own law and coefficient; none gains energy.
//
//   which       Method::impacts "auto": those that give something back. Inelastic ones belong to the step: the contact
//               problem stops the bodies (velocity level: all, since an open contact is not in its problem).
//               "back-up", "approach": all.
//   tau         backing up: the root of the smallest gap over the length of the step, by regula falsi.
//               approaching: shorter and shorter steps that end before the contact closes. With gap psi, its rate
//               psi' and a bound a of its acceleration, each takes the root of  psi + psi' t - a t^2 / 2 = 0;  the
//               steps stay, nothing is undone (unless a was no bound: then by backing up).
//   resting     a rebound whose flight would be shorter than the step is left out: bouncing ends instead of
//               accumulating for ever
//   compliant   with Method::gap_step, steps are divided so that a compliant contact begins to press at the end of a
//               sub-step (approached as above) and its gap then moves by at most gap_step in each:
//               |psi'| t + a t^2 / 2 = gap_step,  a: what its force and others accelerate
//               (Berard et al. 2007, section IV)
//   pile-up     after kMostAtOnce impacts at one instant, or kMostImpacts in one step (both mean that they accumulate),
//               the rest is done with all contacts within reach, counted as a fall-back
//
// Cost: one solve per step without impacts; about ten more per impact. Motion models: all; impacts are dynamic only.
#pragma once

#include "stickslip/stepping/euler_step.h"
#include "stickslip/stepping/impact_law.h"

namespace stickslip::stepping {

class EulerStepper final : public Stepper {
 public:
  explicit EulerStepper(EulerRules rules) : rules_(rules), step_(rules), all_contacts_(with_all_contacts(rules)) {}
  StepReport advance(World& world, double h, double end_time) override;
  void save(ByteWriter& out) const override;
  void restore(ByteReader& in) override;

 private:
  enum class Part : char { Finished, Touched, Failed };
  static EulerRules with_all_contacts(EulerRules rules) {
    rules.closed_only = false;
    return rules;
  }
  StepReport advance_by_gap(World& world, double h, double end_time);
  [[nodiscard]] double length_by_gap(World& world, double left);
  StepReport advance_parts(World& world, double h, double end_time);
  Part advance_part(World& world, double h, double end_time, StepReport& report);
  bool leave_out_impacts(World& world, double h, double end_time, StepReport& report);
  Part back_up(World& world, double h, StepReport& report);
  Part approach(World& world, double h, StepReport& report);
  [[nodiscard]] double deepest(double& tolerance);
  [[nodiscard]] double smallest_gap(World& world, double& tolerance);
  [[nodiscard]] double safe_time(const World& world, double h) const;
  void note_partings(const World& world);
  bool impact(World& world, double h, StepReport& report);
  void choose_laws(World& world, double h, const contact::Island& island);
  void keep(const World& world);

  EulerRules rules_;
  EulerStep step_, all_contacts_;
  ImpactSolver impacts_;
  contact::ContactSystem system_;
  std::vector<contact::BodyDynamics> dynamics_;
  std::vector<collision::Contact> touching_, meeting_, near_;
  std::vector<collision::ContactId> watched_;
  std::vector<ImpactSolver::Law> laws_;
  std::vector<model::Twist> velocities_;
  std::vector<Event> events_;
  // The start of a step that is cut, to go back to when it fails.
  bool kept_ = false;
  World::Snapshot start_;
};

}  // namespace stickslip::stepping
