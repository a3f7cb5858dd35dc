// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// How the end of a smooth second-order sub-step (stepping/smooth_step.h) changes with what it reads, in closed form, for
// all unknowns at once: the formulas of the step differentiated one by one, contacts in their modes.
//
//     predict    dq_m = dq0 + h/2 dv0 + h^2/8 da + (v0/2 + h a/4) dh,   dq_1p likewise
//     rows       dJ_m, dJ_1 by the bodies' moves there                                               contact_bend.h
//     solve      A dv1 = (m - h c/2) dv0 + (m g - c (v0 + v1)/2) dh + h m dg + d(J_m' p) - dA v1
//                du    = J_1 dv1 + dJ_1 v1 + kappa du0
//                stick du = 0;   slide du_n = 0,  dp_t + d(mu p_n u_t / |u_t|) = 0
//     move       dq1 = dq0 + d[h/2 (v0 + v1) - h^3/12 j],   and the same for what closes the gaps
//
// Symbols as in smooth_step.h and position_update.h; c: damping; angular parts have angular momentum for m v0. Where an event came
// before, the step predicts twice, and so does this.
//
// An input, one row of numbers each (tangent_rows.h), is what the sub-step reads:
//
//     movable body     pose, velocity (as tangent.h), mean acceleration of the sub-step before
//     driven body      pose and velocity at the start, in the middle and at the end
//     all              length of the sub-step before, of this one; gravity
//     contact          coefficient of friction, largest slip so far
//
// Where there are more unknowns than inputs that change, the step is differentiated by the inputs, and the rest is a
// product of matrices.
//
// Trials that end at an event are such steps whose length is an unknown as well; what is read of a contact there (its
// gap, slips, impulses) is told of the one that is watched.
//
// Not covered: forces besides gravity, locked rotations, bodies that are driven in part, bodies that tumble freely, contacts
// that share a load in more than one way, and laws at a tie. Cost: some 300 sums of rows for one contact in space; no evaluation
// of geometry on planes.
#pragma once

#include "stickslip/sensitivity/smooth_pass_tangent.h"

namespace stickslip::sensitivity {

class SmoothTangent : public SmoothPassTangent {
 public:
  // All must outlive it.
  SmoothTangent(const model::Model& model, std::span<const contact::BodyTraits> traits, collision::Collider& collider)
      : SmoothPassTangent(model, traits, collider) {}

  [[nodiscard]] bool covers(const Trial& trial) const;
  // Inputs of a trial that is covered, all zero. What the trial refers to must live on.
  void begin(const Trial& trial, std::ptrdiff_t width);
  // False: the equations do not decide.
  [[nodiscard]] bool advance();
  // Ends likewise, where the length in the last column becomes one that changes so with the columns before it.
  void lengthen(std::span<const double> length);

 private:
  struct Row {  // of what is closed
    std::size_t contact;
    int k;
    double moved;
  };
  [[nodiscard]] bool run(const Columns& input, Columns& output);
  void move(const Solved& solved);
  [[nodiscard]] bool list_closing();
  [[nodiscard]] bool close_gaps(const Solved& solved);
  void know_defect(const Row& row, std::span<const MovedBody> between, double* defect);
  void take_contacts(const Solved& solved, Columns& output);
  void take_reserves(const Solved& solved, std::size_t c, double* to);
  void take_watched(const Solved& solved, Columns& output);
  void take_gap(const collision::Contact& contact, double* gap);
  [[nodiscard]] const double* response_change(const Solved& solved, std::size_t c, int k);
  std::vector<Eigen::Index> changing_;
  std::vector<Row> closing_;
};
}  // namespace stickslip::sensitivity
