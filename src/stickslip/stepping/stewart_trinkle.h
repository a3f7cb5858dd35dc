// SPDX-License-Identifier: Apache-2.0
// Copyright the stickslip authors
//
// The Stewart-Trinkle time stepper: first order, one contact problem per step.
//
//     M (v+ - v) = h (f + gyroscopic) + W_n p_n + W_t p_t                    motion
//     0 <= p_n  _|_  psi(q, t+h) / h + W_n' v+ >= 0                          no penetration at the end of the step
//     p_t in the disc of radius mu p_n, dissipating most against u_t+         Coulomb friction (cone or pyramid)
//     q+ = q (+) h v+                                                         exponential map for rotations
//
// Symbol              variable          meaning
//   psi(q, t+h)       Contact::gap      with prescribed bodies at the end of the step, all others at its start
//   W_n, W_t          ContactRows       at the same configuration
//   u_t+              u                 relative velocity, with the velocity that prescribed bodies have at t+h
//   p                 Island::r         impulses
//   v without W p     free_             motion_model.h
//   terms of W r + q                    step_terms.h
//   solve, what contacts remember       step_outcome.h
//
// Prescribed bodies stand where they will be at the end of the step, so their motion is in psi and must not enter the
// normal row a second time; it does enter the tangential rows (Berard, Nguyen, Trinkle and Anderson 2010, equations 8-9
// and the text after them). For a particle on a moving plate the gap is then exact.
//
// Impacts are inelastic here: a contact that closes takes all approach velocity. Restitution: euler_stepper.h.
//
// Soft contacts (Method::compliance "normal", for pairs with a stiffness k and damping c): the bodies may overlap by
// delta, which presses them apart with the force k delta + c delta'. Backward Euler in the normal direction only,
//     0 <= p_n  _|_  psi+ / h + R p_n + b >= 0,   R = 1 / (h (h k + c)),   b = c delta / (h (h k + c)),
// delta the overlap at the start (compliance.h). That is a diagonal term of the same problem, certified as posed. At rest
// psi = -p_n / (h k), the force over the stiffness. Steps may be far above sqrt(m / k): the oscillation of the
// contact is damped away, not followed. Friction is that of the rigid contact: what sticks does not creep.
//
// Static friction bounds a contact that stuck in the step before. If it breaks away the problem is solved again with
// the kinetic coefficient for it, so that no step slides on static friction.
//
// Exact rest. Gaps and velocities below the rounding of the numbers that they are differences of are taken as zero, so
// that a body at rest has v+ = 0 exactly and does not move by one bit however long the run.
//
// A single contact (single_contact.cpp) takes the same equations in a fixed size.
//
// Assumptions: gaps are given by pairs of features within reach of the step (collision). Cost: one collision query, one
// assembly and one contact solve. Energy is not gained, except by pushing apart what penetrates by O(h^2) from turning.
#pragma once

#include "stickslip/contact/contact_system.h"
#include "stickslip/stepping/rest.h"
#include "stickslip/stepping/resting_bodies.h"
#include "stickslip/stepping/step_outcome.h"
#include "stickslip/stepping/step_terms.h"
#include "stickslip/stepping/stepper.h"

namespace stickslip::stepping {

class StewartTrinkle final : public Stepper {
 public:
  StepReport advance(World& world, double h, double end_time) override;
  void save(ByteWriter& out) const override;
  void restore(ByteReader& in) override;

 private:
  void predict_free_motion(World& world, double h);
  void place_drives(World& world, double end_time);
  void find_contacts(World& world, double h);
  bool more_contacts(World& world, double h);
  template <int D>
  bool resolve_single(World& world, double h, StepReport& report);
  [[nodiscard]] ContactMotion motion_at(const World& world, std::size_t a, std::size_t b) const;
  template <int D>
  void pose_problems(World& world, double h);
  void leave_out_gap_noise(const World& world, contact::Island& island) const;
  [[nodiscard]] const model::Compliance* softness_of(const World& world, const collision::Contact& contact) const;
  void soften(const World& world, double h);
  [[nodiscard]] bool beside_motion(const contact::Island& island) const;
  [[nodiscard]] bool stood(const contact::Island& island) const;
  [[nodiscard]] Rest::Bound rest_bound(const World& world, const contact::Island& island, double h) const;
  void keep_rest(const World& world, double h);
  bool solve_problems(World& world, double h, StepReport& report);
  void update_velocities(World& world, double h);
  void set_free_velocities(World& world) const;
  void add_drives(World& world) const;
  void move_bodies(World& world, double h, double end_time);
  void remember(World& world, double h);

  contact::ContactSystem system_;
  StepSolver solver_;
  std::vector<contact::BodyDynamics> dynamics_;
  std::vector<model::Twist> free_;                   // velocities without contacts
  std::vector<model::Twist> start_;                  // at the start of the step
  std::vector<model::Twist> drive_;                  // of prescribed degrees of freedom only
  std::vector<model::Twist> motion_;                 // of all bodies, prescribed ones at rest
  std::vector<collision::Contact> contacts_, more_;  // more_: points that find() leaves out
  std::vector<ContactMemory> memory_;                // of the contacts of this step
  std::vector<double> gap_term_;                     // s(psi) of an island's rigid contacts
  Rest rest_;
  RestingBodies resting_;
  std::vector<int> disturbed_;  // resting bodies that something comes near to
  bool skips_rest_ = false;
  bool has_chains_ = false;
  bool plain_ = false;    // the cone, the solver and the rigid contact that fixed sizes know
  double inertia_h_ = 0;  // for which dynamics_ was made
  double reach_ = 0;      // how far a force can move a body within the step
};

}  // namespace stickslip::stepping
