// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One implicit Euler step with contacts, the common engine of the models that differ in a few terms only (EulerRules):
//
//     A v+ = c + W_n p_n + W_t p_t                                        motion_model.h
//     0 <= p_n  _|_  psi+/h + R_n p_n + b_n >= 0                           compliance.h: R = b = 0 for rigid contacts
//     p_t in the disc of radius mu p_n, dissipating most against u_t+ + R_t p_t + b_t
//     supports: p_n = h load, the same friction                           support_rows.h, force_balance.h
//     q+ = q (+) h v+
//
// The step on one page is EulerStep::solve; its parts, each with its own equations:
//
//     motion_model.h         A and v_free of each body
//     contact_selection.h    which contacts take part
//     contact_equations.h    rows, q, mu; solve; v+; what contacts remember
//     compliant_contacts.h   R, b of compliant surfaces, lumped or in patches
//     support_balance.h      friction under bodies that stand on supports
//     quasi_static.h         motion without inertia
//     bending.h              rows of the middle of the step, for surfaces that bend, and where those of the end gain energy
//     end_geometry.h         fully implicit: geometry at the end of the step, by iteration
//
// Prescribed bodies stand at their pose of the end of the step (velocity level: of its start).
//
// Symbol  variable              meaning
//   v+    StepData::velocity    free degrees of freedom only; drive has the prescribed ones
//   p     Island::r
//   q+    StepData::end
//
// Assumptions: contacts are pairs of features within reach of the step (collision). The world is not changed before
// commit(), so that a caller may try several lengths. Cost: one assembly and one contact solve per iteration; rigid
// contacts in the plane need about three iterations where geometry is that of the end, one otherwise.
#pragma once

#include "stickslip/stepping/contact_equations.h"
#include "stickslip/stepping/contact_selection.h"
#include "stickslip/stepping/end_geometry.h"
#include "stickslip/stepping/support_balance.h"

namespace stickslip::stepping {

class EulerStep {
 public:
  explicit EulerStep(EulerRules rules) { step_.rules = rules; }

  // From world.state over h. False: failure says why, and the world is as it was.
  bool solve(World& world, double h, double end_time, StepReport& report, StepFailure& failure);
  // Makes the result of the last solve the state of the world.
  void commit(World& world);

  // Of the last solve, before commit: the end of the step, and how deep contacts that took no part have come in.
  [[nodiscard]] const model::State& end() const { return step_.end; }
  [[nodiscard]] const StepData& data() const { return step_; }
  [[nodiscard]] ContactSelection& selection() { return selection_; }
  [[nodiscard]] const ContactSelection& selection() const { return selection_; }

  // What later steps read: forces of supports.
  void save(ByteWriter& out) const { step_.supports.save(out); }
  void restore(ByteReader& in) { step_.supports.restore(in); }

 private:
  bool find_end(World& world, double h, double end_time, StepReport& report, StepFailure& failure);
  bool gain_less(World& world, double h, double end_time, StepReport& report, StepFailure& failure);
  void prepare(const World& world);  // once per run
  void begin(const World& world, double h, double end_time);
  void place(World& world, int iteration);
  void show_drives(const World& world);
  void evaluate_bodies(const World& world, int iteration);
  bool settle_motion(World& world, int iteration, StepReport& report, StepFailure& failure);
  bool balance_forces(const World& world, int iteration, StepReport& report, StepFailure& failure);
  [[nodiscard]] bool settled(const World& world);
  void keep_solved_velocities();
  [[nodiscard]] bool touches_by_corners(const World& world) const;
  [[nodiscard]] bool parts_overlaps(World& world);
  void move(World& world);

  StepData step_;
  ContactSelection selection_;
  ContactEquations equations_;
  CompliantContacts compliant_;
  SupportBalance balance_;
  EndGeometry geometry_;
  std::vector<collision::Contact> at_start_;  // the contacts of the step, where it began
  bool prepared_ = false;
  bool middle_rows_ = false;         // fully implicit, with rows of the middle of the step
  bool same_impulses_ = false;       // the impulses of the last iteration solve the problem of this one
  bool whole_rims_ = true;           // ask for the points of rims about which bodies tip
  double change_ = 0, largest_ = 0;  // of the velocities, in the last iteration
};

}  // namespace stickslip::stepping
