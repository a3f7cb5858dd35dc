// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The contact problems of an implicit Euler step (euler_step.h), from rows to what contacts remember:
//
//     build      rows J at StepData::at, islands, W = J A^-1 J' + R        R: compliant_contacts.h
//     pose       q, mu, the start of r                                     step_terms.h
//     solve      each island, static friction that broke, shares           step_outcome.h
//     take       v+ = v_free + A^-1 J' r                                   rest.h
//     remember   mode, force, slip (step_outcome.h), deformation
//
// Fully implicit: the gap in q is that of the estimate less the motion that led to it, psi(q_k) - h J_n v_k.
//
// Smoothed cone (Song, Trinkle, Kumar and Pang 2004, equation 6; gamma >= 0 a force):
//
//     sqrt(p_t^2 + (h gamma)^2) <= mu p_n + h gamma
//     a disc of radius  mu' p_n,    mu' = mu sqrt(1 + 2 h gamma / (mu p_n))
//
// mu' is found with the geometry, by iteration.
//
// Symbol   variable               meaning
//   r, p   Island::r              impulses
//   mu'    problem.mu             smoothed() of the coefficient
//
// Cost: one assembly and one contact solve.
#pragma once

#include "stickslip/stepping/compliant_contacts.h"
#include "stickslip/stepping/rest.h"
#include "stickslip/stepping/step_data.h"
#include "stickslip/stepping/step_outcome.h"
#include "stickslip/stepping/stepper.h"

namespace stickslip::stepping {

class ContactEquations {
 public:
  void build(const World& world, const CompliantContacts& compliant, StepData& step);
  void pose(const World& world, int iteration, CompliantContacts& compliant, StepData& step);
  void pose(const World& world, int iteration, CompliantContacts& compliant, StepData& step, contact::Island& island);

  // Not certified: false, and failure says why.
  bool solve(const World& world, StepData& step, StepReport& report, StepFailure& failure);
  bool solve(const World& world, StepData& step, contact::Island& island, StepReport& report, StepFailure& failure);

  // Do the impulses of the last iteration solve the problem in the geometry that they led to, up to a share of the
  // tolerance?
  [[nodiscard]] bool still_solve(const World& world, const StepData& step, double share, StepReport& report) const;

  // step.velocity and step.end from the impulses.
  void take_velocities(const World& world, StepData& step);

  // Did contacts give energy? With u velocities along the rows, and gravity alone besides the contacts,
  //
  //     E+ - E = p . u+ - 1/2 |v+ - v|^2 = 1/2 p . (u+ - u_free) + p . u - 1/2 m |v_free - v|^2
  //
  // In space with w_free in place of w in u, and with what the inertia of the end adds to this (I: that of q+),
  //
  //     1/2 w_free . I(q+) w_free - 1/2 w . I(q) w
  //
  // Rows of the end give it where a corner turns away from what it touches: p_n > 0 and u_n+ > 0 there. Not judged: what
  // prescribed bodies push, and layers that store energy.
  [[nodiscard]] static bool gains_energy(const World& world, const StepData& step);

  // How far the radii of the smoothed friction discs are from those that belong to the impulses, beside the largest
  // impulse.
  [[nodiscard]] double smoothing_error(const World& world, const StepData& step) const;

  void remember(const World& world, CompliantContacts& compliant, StepData& step);

  // A step that failed though its problems were solved; shown is the first of them.
  static void report_failure(const World& world, const StepData& step, const StepReport& report, std::string reason,
                             StepFailure& failure);

 private:
  void pose_contact(const World& world, int iteration, CompliantContacts& compliant, StepData& step, int c, double* q);
  bool finish(const World& world, StepData& step, contact::Island& island, StepReport& report, StepFailure& failure);
  static bool is_rigid(const World& world, const StepData& step, const contact::Island& island);
  [[nodiscard]] std::string why_unsolved(const World& world, const StepData& step, const contact::Island& island);

  StepSolver solver_;
  Rest rest_;
};

}  // namespace stickslip::stepping
