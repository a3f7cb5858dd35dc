// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The fully implicit step: contacts in the estimates of the end of the step, and the places from which they jumped.
//
// With q_k the last estimate of the end,  psi(q+) = psi(q_k) + h W_n(q_k)' (v - v_k)  is solved with the rows of q_k
// until v stops changing. What is left out of the derivative is the change of the rows, O(h p): the iteration contracts
// with a factor of that order, and its fixed point is the fully implicit step exactly.
//
// A pair's gap is that of its closest points. Where flat parts meet, closest points are many, and the pair names one:
// the gap is g = min_k g_k over places k, and an iteration that knows g_k of one place at a time opens it by closing
// another (the rim of a cylinder over an edge, a rim on a face: the body would rock to and fro for ever). Every place
// that a pair leaves by a jump (on both bodies, so that it is no sliding) therefore stays: material points x_a, x_b and
// a normal n,  g_k = n . (x_a - x_b) >= 0,  a contact of its own, which has the pair's id and an element number.
// g_k >= g, so that a place that was left bears no load unless it touches.
//
// Surfaces that give way push at the place that the pair names, so that a second one would make them stiffer. The place of
// such a contact is held on its bodies where it still jumps after a dozen iterations (the lowest point of a rim that
// stands on a face, whose side of the rim any tilt decides): there is no fixed point else.
//
// Redundant contacts share their load in many ways, and with friction each of them turns the bodies a little
// differently: a solver need not find the same one twice. The step is therefore done when the impulses of the last
// iteration solve the problem in the geometry that they lead to (ContactEquations::still_solve), whatever another solve
// would find.
//
// Symbol    variable              meaning
//   q_k     StepData::at          estimate of the end
//   v_k     StepData::last        the velocities that led to it
//
// The fully implicit step: Berard, Nguyen, Trinkle and Anderson 2010, equation 9. Cost: one refresh of the contacts'
// geometry per iteration.
#pragma once

#include "stickslip/stepping/step_data.h"

namespace stickslip::stepping {

class EndGeometry {
 public:
  // Bodies and contacts at the end of the step that step.velocity leads to. `divided`: contacts are elements of
  // patches, and keep their places.
  void refresh(World& world, int iteration, bool divided, StepData& step);

  // Is the linear problem at the estimated end the one that was solved at the start? So for balls and particles on
  // planes: normals and arms as before, gaps where the velocities said they would be, no force or inertia that changes.
  [[nodiscard]] bool same_problem(const World& world, bool divided, const StepData& step) const;

 private:
  struct Place {  // of a contact, in the frames of its bodies
    Vec3 local_a, local_b;
  };
  [[nodiscard]] static Place place_of(const collision::Contact& contact, const model::State& at);
  static void move_with_bodies(const Place& place, const model::State& at, collision::Contact& contact);
  static void move_to_estimate(const World& world, StepData& step);
  struct Range {
    std::size_t begin, end;
  };
  void follow(const World& world, const StepData& step, const collision::Contact& now, Range of_pair, int iteration);

  std::vector<Place> places_;       // of the contacts in the last estimate of the end
  std::vector<double> gap_before_;  // at the start of the step
  std::vector<collision::Contact> found_, merged_;
  std::vector<ContactMemory> merged_memory_;
  std::vector<double> merged_overlap_;
};

}  // namespace stickslip::stepping
