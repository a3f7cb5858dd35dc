// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The derivatives of the equations of a step (step_equations.h) by its start, the model staying as it is, as one matrix
// for all directions: a row per freedom, then three per contact (approach, slip), by the 12 numbers of each body
// (tangent.h). Prescribed degrees of freedom are meant at the end of the step.
//
//     balance_s ds = -(1 - h C A^-1) dv_0 - A^-1 dJ' p,     approach_s ds = J_n dq / h (+ dJ_n v+),     slip_s ds = dJ_t v+
//
// Gaps and velocities are differentiated exactly. How rows turn is known for round bodies and points on planes
// (plane_contact.h); elsewhere it is a one-sided difference over a displacement of 1e-7 length for each way in which the
// two bodies move against each other (4 in the plane, 6 for a particle on a body that turns, 9 in space).
//
// Symbol    variable                meaning
//   A, C    Terms::dynamics, damping of Body
//   J       Terms::rows             contact rows where the step evaluates them
//   p, v+   ActiveContact::p, velocity of the step
//   ds      tangent.h               dq: its positions and rotations, dv_0: its velocities
//
// Assumptions: dynamic motion of particles, planar bodies and bodies with the same inertia about all axes, without forces
// besides gravity. Cost: O(1) per contact where rows are known; else up to 9 evaluations of its rows.
#pragma once

#include "stickslip/sensitivity/step_equations.h"

namespace stickslip::sensitivity {

class StepSlopes {
 public:
  // The equations must outlive it.
  explicit StepSlopes(StepEquations& equations) : equations_(equations) {}

  [[nodiscard]] static bool cover(const model::Model& model, const stepping::Method& method);

  // At the last evaluation of the equations. moves: 12 per body, whether any change is asked for.
  void evaluate(const StepSpan& span, double length, std::span<const ActiveContact> contacts,
                const std::vector<bool>& moves);
  [[nodiscard]] const Eigen::MatrixXd& matrix() const { return slopes_; }
  // By one freedom of v+, for rows at the end of the step: it turns by h v+, in space by the mean of that turn. Without
  // what v+ does by itself, J v+.
  [[nodiscard]] Eigen::VectorXd by_velocity(const StepSpan& span, const Freedom& freedom) const;

 private:
  void add_contact(std::size_t contact, const StepSpan& span, double length, const ActiveContact& active,
                   const std::vector<bool>& moves);
  void add_plane_contact(std::size_t contact, const ActiveContact& active, const std::vector<bool>& moves);
  void add_turn(std::size_t contact, const ActiveContact& active, const contact::ContactRows& moved, double amount,
                Eigen::Index to, Eigen::Index from);
  [[nodiscard]] Eigen::Index first_row(std::size_t contact) const {
    return std::ssize(equations_.freedoms()) + 3 * static_cast<Eigen::Index>(contact);
  }

  StepEquations& equations_;
  Eigen::MatrixXd slopes_;
  model::State moved_;
};

}  // namespace stickslip::sensitivity
