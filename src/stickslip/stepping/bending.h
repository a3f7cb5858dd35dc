// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// Rows of surfaces that bend. With the rows of the start of a step a touching body moves along the tangent of the gap,
//
//     psi(q+) = psi(q) + h W_n(q)' v+ + h^2/2 v' psi'' v
//
// and where a surface is flatter than its distance from the centre of mass (the side of an ellipse, the rim of a
// cylinder that leans) the last term is negative in every step: the body sinks in, the next step lifts it with the
// velocity that also is its momentum, and p_n (W_n' v+) > 0 is energy from nowhere, of first order in h over a run. In
// the middle of the step, q_m = q (+) h/2 v+,
//
//     psi(q+) = psi(q) + h W_n(q_m)' v+ + O(h^3),
//
// so with the rows of q_m nothing sinks in, and the contact does no work. q_m is taken from the velocities that the
// rows of the start gave, and the step is solved once more: the difference to q_m of the final velocities is O(h^3).
//
// Which: superellipses, superellipsoids and cylinders, where bodies turn. Corners on planes lift by the same term
// instead of sinking, and lose energy; balls about a centre of mass have none.
//
// Steps with the geometry of their end (end_geometry.h) need the same where the normal turns. With rows of the end a body
// that goes over a round one is pressed along n+ while it already moves away along it, p_n (n+' v+) = p_n h v^2 / 2 R > 0:
// energy from nowhere, again of first order. Between two places at which the gap is zero a ball moves along the tangent of
// the middle exactly, so that rows of q_m do no work; which gap is to vanish is still that of q+ (rows_from_middle()).
//
// Cost: a second evaluation of such contacts in each step; where one sinks, a third one and a second solve. Rows of the
// middle beside gaps of the end: one more evaluation of the contacts in each iteration.
#pragma once

#include "stickslip/stepping/world.h"

#include <span>
#include <vector>

namespace stickslip::stepping {

[[nodiscard]] bool has_bending_shapes(const model::Model& model);

class Bending {
 public:
  // After a solve that found `velocity` (free degrees of freedom; other bodies stand in `at` where they are at the
  // end): points and normals of the bending contacts that would have sunk in by then become those of the middle of the
  // step, their gaps stay those of its start. False when there are none.
  bool move_to_middle(World& world, const model::State& at, std::span<const model::Twist> velocity, double h,
                      std::vector<collision::Contact>& contacts);
  // Where the rows of a contact are to be evaluated: in the middle, or at `otherwise`.
  [[nodiscard]] const model::State& place_of(std::size_t contact, const model::State& otherwise) const {
    return contact < bends_.size() && bends_[contact] != 0 ? middle_ : otherwise;
  }
  // Rows of all contacts of whole features from the middle between `start` and where `velocity` leads within h, which ends
  // at end_time; the contacts stay as they are.
  void rows_from_middle(World& world, const model::State& start, std::span<const model::Twist> velocity, double h,
                        double end_time, std::span<const collision::Contact> contacts);
  // The contact that rows are made of.
  [[nodiscard]] const collision::Contact& contact_of(std::size_t contact, const collision::Contact& otherwise) const {
    return contact < of_rows_.size() ? of_rows_[contact] : otherwise;
  }
  void forget() {
    bends_.clear();
    of_rows_.clear();
  }

 private:
  void advance(const World& world, const model::State& at, std::span<const model::Twist> velocity, double h);

  std::vector<std::uint8_t> bends_;  // per contact; empty: none does
  std::vector<std::size_t> candidates_;
  model::State middle_;
  std::vector<collision::Contact> moved_, of_rows_;  // of_rows_: of all contacts, or none
};

}  // namespace stickslip::stepping
