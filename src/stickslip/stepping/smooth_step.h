// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// One smooth second-order step of a component (bodies that may touch each other within the step), with fixed modes.
//
// Contacts in mode Stick or Slide are closed and take part; Open ones only report their gap at the end.
//
//   predict    vm = v0 + h/2 a_,  qm = q0 (+) h/2 (v0 + h/4 a_),  q1p = q0 (+) h vm
//   solve      A v1 = A v_free + Jm' p                                     one contact problem, W = J1 A^-1 Jm'
//              u    = J1 v1 + b1 + kappa (0, u0_t)
//              0 <= u_n  _|_  p_n >= 0,   p_t against u_t                 kappa = 1 for Slide: friction opposes u0 + u1
//   move       q1 = q0 (+) [ h/2 (v0 + v1) - h^3/12 j ]                    position_update.h, which also closes gaps
//
// Symbol   variable                 meaning
//   a_,h_  BodyStart::acceleration  mean acceleration of the sub-step before, and its length; unknown after an event:
//                                   then a_ = 0 and the prediction is repeated once with the a that came out
//   Jm,J1  rows_mid, rows_end       contact rows at the middle and at the predicted end; prescribed motion enters
//                                   exactly
//   b1     drive_end                velocity of prescribed bodies at the end of the sub-step
//   u0     ContactStart::velocity   contact velocity at the start
//   A      BodyDynamics             angular part at the predicted end, with L0 = I(q0) w0 carried over, so that free
//                                   rotation keeps its angular momentum: A w1 = L0 + h torque + ...
//
// Bodies that nothing touches turn as contact::free_turn says, between two halves of the torque: energy and |L| are
// kept to rounding at any h.
//
// Impulses act through the rows of the middle (second order), velocities are those along the rows of the end. W is then
// not quite symmetric, but all contacts of a body see one rigid motion: with the end velocity extrapolated from Jm,
// three sticking points of one body would contradict each other by O(h^3) and jam against each other up to the friction
// limit.
//
// The normal row is the end value: closed contacts stay closed. kappa = 0 for Stick lets slip left over by rounding die
// in one step. Contact frames at middle and end are the start's, carried along with the normal, so that u0 and u1 can
// be added.
//
// Forces by the midpoint rule, predicted (Hairer, Norsett and Wanner 1993, II.1); conditions on velocities at the end
// as in Anitescu and Potra 1997. Cost: one contact solve, about four evaluations of the contacts' geometry. No
// allocation when warm.
#pragma once

#include "stickslip/stepping/position_update.h"
#include "stickslip/stepping/trial.h"

namespace stickslip::stepping {

// From the component's start over h.
void run_smooth_step(World& world, const Component& component, double h, TrialData& data, PositionUpdate& position,
                     Trial& trial);

}  // namespace stickslip::stepping
